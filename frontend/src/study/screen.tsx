// The participant's screen as it will look, beside the form: the texts, the question and a pair of the chosen paradigms.
import { useEffect, useState } from "preact/hooks";
import * as api from "../api";
import { useObserved } from "../drawing";
import { languageOf, page, t } from "../page";
import type { Lang, Plan } from "./plan";

type View = "consent" | "instructions" | "choice" | "rating" | "background";

export function Screen({ plan }: { plan: Plan }) {
  useObserved(plan);
  const { design, texts } = plan.chosen;
  const [view, setView] = useState<View>("choice");
  const [lang, setLang] = useState<Lang>(design.language.startsWith("zh") ? "zh" : "en");
  const asked: View[] = [];
  if (design.lists || design.list_per_paradigm) asked.push("choice");
  if (design.rating_lists) asked.push("rating");
  const views: View[] = ["consent", ...(design.background.length ? (["background"] as View[]) : []), "instructions", ...asked];
  const shown = views.includes(view) ? view : (asked[0] ?? "consent");
  const say = (key: string): string => texts[key]?.[lang] ?? "";
  return (
    <section class="screen-side" aria-labelledby="screen-title">
      <div class="heading">
        <h2 id="screen-title">{t("new_study.screen")}</h2>
        <div class="inline" role="group" aria-label={t("new_study.screen_language")}>
          {(["zh", "en"] as const).map((each) => (
            <button type="button" key={each} lang={each === "zh" ? "zh-Hans" : "en"} aria-pressed={lang === each} onClick={() => setLang(each)}>
              {each === "zh" ? "中文" : "English"}
            </button>
          ))}
        </div>
      </div>
      <div class="inline" role="group" aria-label={t("new_study.screen_view")}>
        {views.map((each) => (
          <button type="button" key={each} aria-pressed={shown === each} onClick={() => setView(each)}>
            {t(`new_study.view_${each}`)}
          </button>
        ))}
      </div>
      <div class="screen" lang={lang === "zh" ? "zh-Hans" : "en"}>
        {shown === "consent" ? <p class="pre">{say("consent")}</p> : null}
        {shown === "instructions" ? asked.map((task) => <p key={task} class="pre">{say(`instructions-${task}`)}</p>) : null}
        {shown === "background" ? design.background.map((each) => <p key={each}>{say(`background-${each}`)}</p>) : null}
        {shown === "choice" || shown === "rating" ? <Question plan={plan} task={shown} say={say} /> : null}
      </div>
      <p class="hint">{t("new_study.screen_hint")}</p>
    </section>
  );
}

function Question({ plan, task, say }: { plan: Plan; task: "choice" | "rating"; say: (key: string) => string }) {
  const [pair, next] = useSample(plan);
  return (
    <>
      <p class="question">{say(`question-${task}`)}</p>
      {pair === null ? <p class="muted">…</p> : null}
      {pair && task === "choice" ? (
        <ol class={`pair ${plan.chosen.design.layout}`}>
          {pair.map((sentence, at) => (
            <li key={sentence}>
              <span class="key">{at + 1}</span> <span lang={languageOf(sentence)}>{sentence}</span>
            </li>
          ))}
        </ol>
      ) : null}
      {pair && task === "rating" ? (
        <>
          <p class="sentence" lang={languageOf(pair[0])}>{pair[0]}</p>
          <ol class="scale">{[1, 2, 3, 4, 5, 6, 7].map((point) => <li key={point}>{point}</li>)}</ol>
          <p class="ends">
            <span>{say("scale-low")}</span> <span>{say("scale-high")}</span>
          </p>
        </>
      ) : null}
      <p>
        <button type="button" class="plain" onClick={next}>{t("new_study.another")}</button>
      </p>
    </>
  );
}

/** A pair of one of the chosen paradigms, and how to get the next one. */
function useSample(plan: Plan): [[string, string] | null | undefined, () => void] {
  const [pair, setPair] = useState<[string, string] | null | undefined>(null);
  const [turn, setTurn] = useState(0);
  const { uids } = plan.chosen;
  const uid = uids.length ? uids[(turn * 7) % uids.length] : undefined;
  const file = plan.form.paradigms.find((each) => each.uid === uid)?.file;
  useEffect(() => {
    if (!file) return setPair(undefined);
    let gone = false;
    void sample(file, turn).then(
      (found) => gone || setPair(found),
      () => gone || setPair(undefined), // the form works without
    );
    return () => {
      gone = true;
    };
  }, [file, turn]);
  return [pair, () => setTurn(turn + 1)];
}

async function sample(file: string, seed: number): Promise<[string, string] | undefined> {
  const { text } = await api.openFile(page.project, file);
  const { pairs } = await api.preview(page.project, { file, text, n: 1, seed, editor: "study" });
  const first = pairs[0];
  if (!first) return undefined;
  return seed % 2 ? [first.bad, first.good] : [first.good, first.bad];
}
