// The pairs of a project: how many, which ones, and the two sentences of each side by side, a page at a time.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import { holdTab } from "../tabs";
import { say } from "../notices";
import { editAddress, languageOf, number, page, pageOf, t } from "../page";
import { Marked } from "../paradigm/preview";
import type { Diversity, PairsOf, PairsPage, Problem, ShortParadigm, ShownPair } from "../wire";

const SIZE = 50; // pairs on a page
const PAUSE = 300; // milliseconds without typing
const RETRY = 1_500; // milliseconds, while the server is away
const OPEN = 5; // paradigms that fell short that are shown without a click

/** What the reader looks at; it stands in the address, so that a link leads to the same pairs. */
interface Choice {
  readonly n: number;
  readonly seed: number;
  readonly phenomenon: string;
  readonly uid: string;
  readonly text: string;
  readonly start: number;
}

const FIRST: Choice = { n: 300, seed: 0, phenomenon: "", uid: "", text: "", start: 0 };

function readAddress(): Choice {
  const query = new URLSearchParams(location.search);
  const whole = (name: "n" | "seed" | "start"): number => {
    const value = Number(query.get(name) ?? FIRST[name]);
    return Number.isSafeInteger(value) && value >= 0 ? value : FIRST[name];
  };
  const [phenomenon, uid, text] = [query.get("phenomenon") ?? "", query.get("uid") ?? "", query.get("text") ?? ""];
  return { n: whole("n"), seed: whole("seed"), start: whole("start"), phenomenon, uid, text };
}

/** The choice as a query, without what is as at first. */
function queryOf(choice: Partial<Choice>): URLSearchParams {
  const query = new URLSearchParams();
  for (const name of Object.keys(FIRST) as (keyof Choice)[]) {
    const value = choice[name];
    if (value !== undefined && value !== FIRST[name]) query.set(name, String(value));
  }
  return query;
}

/** What the page knows: the last answer, or why there is none. */
interface Found {
  readonly answer: PairsPage | null;
  readonly problems: readonly Problem[];
  readonly waiting: boolean;
}

function usePairs(choice: Choice): Found {
  const [found, setFound] = useState<Found>({ answer: null, problems: [], waiting: true });
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    const ask = (): void => {
      setFound((before) => ({ ...before, waiting: true }));
      const query = queryOf(choice);
      query.set("most", String(SIZE));
      api.lookAtPairs(page.project, query, { signal: stop.signal }).then(
        (answer) => {
          setFound({ answer, problems: [], waiting: false });
          say(range(answer));
        },
        (error: unknown) => {
          if (api.isAbort(error)) return;
          if (api.mayPass(error)) timer = window.setTimeout(ask, RETRY);
          const problems = error instanceof api.Refused ? error.problems : [api.problemOf(t("js.shell.away"))];
          setFound({ answer: null, problems, waiting: false });
        },
      );
    };
    ask();
    return () => {
      clearTimeout(timer);
      stop.abort(); // pairs that nobody waits for are not made
    };
  }, [choice]);
  return found;
}

const range = ({ total, start, pairs }: PairsPage): string =>
  pairs.length > 0 ? t("pairs.range", { from: start + 1, to: start + pairs.length, total }) : t("pairs.none_found");

function Page() {
  const [choice, setChoice] = useState(readAddress);
  const { answer, problems, waiting } = usePairs(choice);
  const known = useRef((page["paradigms"] ?? []) as readonly PairsOf[]);
  if (answer) known.current = answer.paradigms;
  const choose = (change: Partial<Choice>): void => {
    const next = { ...choice, start: 0, ...change };
    setChoice(next);
    const query = queryOf(next).toString();
    history.replaceState(null, "", query ? `?${query}` : location.pathname);
  };
  useEffect(() => prepareDownload(choice), [choice]);
  return (
    <>
      <Chooser choice={choice} choose={choose} paradigms={known.current} />
      {answer && answer.drafts.length > 0 && <p class="notice warn">{t("pairs.drafts", { files: answer.drafts.join(", ") })}</p>}
      {problems.length > 0 && <Failure problems={problems} />}
      {answer && answer.short.length > 0 && <Shortages short={answer.short} />}
      {answer && <Variety key={`${choice.n} ${choice.seed} ${choice.uid}`} choice={choice} />}
      <section aria-labelledby="title" aria-busy={waiting} class="pair-list">
        {waiting && <p class="muted" role="status">{t("pairs.making")}</p>}
        {answer && <Pager answer={answer} go={(start) => choose({ start })} />}
        {answer && <div class={waiting ? "stale" : ""}><Groups pairs={answer.pairs} paradigms={answer.paradigms} /></div>}
        {answer && answer.pairs.length > 10 && <Pager answer={answer} go={(start) => (choose({ start }), scrollTo(0, 0))} again />}
      </section>
    </>
  );
}

/** Let the button open the dialog for the pairs on the page. */
function prepareDownload({ n, seed, uid }: Choice): void {
  const opener = document.querySelector('[data-open="get-pairs"]')!;
  for (const [name, value] of Object.entries({ n, seed, uid })) opener.setAttribute(`data-set-${name}`, String(value));
}

// What to look at ---------------------------------------------------------------------------------------------------

function Chooser(props: { choice: Choice; choose: (change: Partial<Choice>) => void; paradigms: readonly PairsOf[] }) {
  const { choice, choose, paradigms } = props;
  const phenomena = [...new Set(paradigms.map(({ phenomenon }) => phenomenon))];
  const listed = paradigms.filter(({ phenomenon }) => !choice.phenomenon || phenomenon === choice.phenomenon);
  return (
    <form class="filters" role="search" aria-label={t("pairs.chooser")} onSubmit={(event) => event.preventDefault()}>
      <NumberField id="pairs-n" label={t("project.pairs_n")} value={choice.n} most={1_000} least={1} set={(n) => choose({ n })} />
      <NumberField id="pairs-seed" label={t("project.seed")} value={choice.seed} most={2 ** 53} least={0} set={(seed) => choose({ seed })} />
      <div class="field">
        <label for="pairs-phenomenon">{t("project.phenomenon")}</label>
        <select id="pairs-phenomenon" value={choice.phenomenon} onChange={({ currentTarget }) => choose({ phenomenon: currentTarget.value, uid: "" })}>
          <option value="">{t("project.all")}</option>
          {withChosen(phenomena, choice.phenomenon).map((name) => <option key={name} value={name}>{name}</option>)}
        </select>
      </div>
      <div class="field">
        <label for="pairs-uid">{t("project.paradigm")}</label>
        <select id="pairs-uid" value={choice.uid} onChange={({ currentTarget }) => choose({ uid: currentTarget.value })}>
          <option value="">{t("project.all")}</option>
          {withChosen(listed.map(({ uid }) => uid), choice.uid).map((uid) => (
            <option key={uid} value={uid}>{nameInList(uid, listed)}</option>
          ))}
        </select>
      </div>
      <TextField value={choice.text} set={(text) => choose({ text })} />
    </form>
  );
}

/** The names to choose from, with the chosen one before the list is known. */
const withChosen = (names: string[], chosen: string): string[] => (chosen && !names.includes(chosen) ? [chosen, ...names] : names);

function nameInList(uid: string, paradigms: readonly PairsOf[]): string {
  const paradigm = paradigms.find((each) => each.uid === uid);
  return paradigm?.excluded ? t("pairs.excluded", { uid }) : uid;
}

interface NumberProps {
  id: string;
  label: string;
  value: number;
  least: number;
  most: number;
  set: (value: number) => void;
}

function NumberField({ id, label, value, least, most, set }: NumberProps) {
  return (
    <div class="field small-number">
      <label for={id}>{label}</label>
      <input id={id} type="number" required min={least} max={most} step={1} value={value} title={t("pairs.number_hint", { least, most })}
        onChange={({ currentTarget: field }) => field.reportValidity() && set(Number(field.value))} />
    </div>
  );
}

function TextField({ value, set }: { value: string; set: (text: string) => void }) {
  const timer = useRef(0);
  const typed = (text: string): void => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => set(text), PAUSE);
  };
  return (
    <div class="field grow">
      <label for="pairs-text">{t("pairs.text")}</label>
      <input id="pairs-text" type="search" defaultValue={value} maxLength={200} autocomplete="off" spellcheck={false} aria-keyshortcuts="/"
        placeholder={t("pairs.text_hint")} onInput={(event) => event.isComposing || typed(event.currentTarget.value)}
        onCompositionEnd={(event) => typed(event.currentTarget.value)} />
    </div>
  );
}

// What is wrong, and what is missing --------------------------------------------------------------------------------

function Failure({ problems }: { problems: readonly Problem[] }) {
  return (
    <div class="notice bad" role="alert">
      <p>{t("pairs.failed")}</p>
      <ul>
        {problems.map(({ place, text }, n) => (
          <li key={n}>
            {place?.file ? <><a class="place" href={pageOf(place.file)}>{place.line ? `${place.file}:${place.line}` : place.file}</a>{" "}</> : null}
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Shortages({ short }: { short: readonly ShortParadigm[] }) {
  return (
    <details class="notice warn" open={short.length <= OPEN}>
      <summary>{t("pairs.short", { n: short.length })}</summary>
      <ul>
        {short.map(({ uid, file, asked, given, reason }) => (
          <li key={uid}>
            <a class="mono" href={editAddress(file)}>{uid}</a> {t("pairs.given", { given, asked })} <span class="small">{reason.split("\n")[0]}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** How varied the pairs are: measured when somebody asks, since it takes seconds. */
function Variety({ choice }: { choice: Choice }) {
  const [figures, setFigures] = useState<Diversity | null>(null);
  const [state, setState] = useState<"" | "waiting" | "failed">("");
  const measure = (): void => {
    if (figures || state === "waiting") return;
    setState("waiting");
    const { n, seed, uid } = choice;
    api.diversity(page.project, queryOf({ n, seed, uid })).then(
      (answer) => (setFigures(answer), setState("")),
      () => setState("failed"),
    );
  };
  return (
    <details class="variety" onToggle={({ currentTarget }) => currentTarget.open && measure()}>
      <summary>{t("pairs.diversity")}{choice.uid ? `: ${choice.uid}` : ""}</summary>
      {state && <p class="muted" role="status">{t(`pairs.diversity_${state}`)}</p>}
      {figures && <Figures figures={figures} />}
    </details>
  );
}

function Figures({ figures }: { figures: Diversity }) {
  const { equal, good_shorter, good_longer, ngrams, unit } = figures;
  const all = equal + good_shorter + good_longer || 1;
  const share = (count: number): string => `${number(count)} (${Math.round((100 * count) / all)}%)`;
  const rows: [string, string][] = [
    [t("pairs.distinct"), `${number(figures.distinct_sentences)} / ${number(figures.sentences)}`],
    [t("pairs.lexicon_words"), number(figures.lexicon_words)],
    ...(figures.word_types === null ? [] : [[t("pairs.word_types"), number(figures.word_types)] as [string, string]]),
    [t(`pairs.ngrams_${unit}`), ngrams.map((count) => number(count as number)).join(" · ")],
    [t(`pairs.length_${unit}`), `${figures.mean_length.toFixed(1)} · ${number(figures.median_length)}`],
    [t("pairs.equal"), share(equal)],
    [t("pairs.good_shorter"), share(good_shorter)],
    [t("pairs.good_longer"), share(good_longer)],
  ];
  return (
    <dl class="figures">
      {rows.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
    </dl>
  );
}

// The pairs ---------------------------------------------------------------------------------------------------------

function Pager({ answer, go, again = false }: { answer: PairsPage; go: (start: number) => void; again?: boolean }) {
  const { start, total } = answer;
  const last = Math.max(0, Math.floor((total - 1) / SIZE) * SIZE);
  const keys = (key: string): { "aria-keyshortcuts"?: string } => (again ? {} : { "aria-keyshortcuts": key });
  return (
    <nav class="pager" aria-label={t(again ? "pairs.pages_below" : "pairs.pages")}>
      <p>{range(answer)}{total < answer.all ? <span class="muted"> {t("pairs.of_all", { all: answer.all })}</span> : null}</p>
      {total > SIZE && (
        <div class="actions">
          <button type="button" disabled={start === 0} onClick={() => go(0)}>{t("pairs.first")}</button>
          <button type="button" disabled={start === 0} onClick={() => go(Math.max(0, start - SIZE))} {...keys("p")}>{t("pairs.previous")}</button>
          <button type="button" disabled={start >= last} onClick={() => go(start + SIZE)} {...keys("n")}>{t("pairs.next")}</button>
          <button type="button" disabled={start >= last} onClick={() => go(last)}>{t("pairs.last")}</button>
        </div>
      )}
    </nav>
  );
}

/** The pairs under the names of their paradigms. */
function Groups({ pairs, paradigms }: { pairs: readonly ShownPair[]; paradigms: readonly PairsOf[] }) {
  const counts = new Map(paradigms.map(({ uid, pairs }) => [uid, pairs]));
  const groups: ShownPair[][] = [];
  for (const pair of pairs) {
    const group = groups.at(-1);
    if (group?.[0]!.uid === pair.uid) group.push(pair);
    else groups.push([pair]);
  }
  return (
    <>
      {groups.map((group) => {
        const { uid, file, phenomenon, good } = group[0]!;
        return (
          <section class="pair-group" key={uid} aria-labelledby={`group-${uid}`}>
            <h2 id={`group-${uid}`}>
              <a class="mono" href={editAddress(file)}>{uid}</a>{" "}
              <span class="muted small">{phenomenon} · {t("pairs.count", { n: counts.get(uid) ?? 0 })}</span>
            </h2>
            <ol class="pairs beside" lang={languageOf(good)}>
              {group.map((pair) => <Row key={pair.pair} pair={pair} />)}
            </ol>
          </section>
        );
      })}
    </>
  );
}

function Row({ pair }: { pair: ShownPair }) {
  return (
    <li>
      <span class="pair-number muted small" lang={page.lang}><span class="unseen">{t("pairs.pair")} </span>{pair.pair}</span>
      {(["good", "bad"] as const).map((side) => (
        <p class={side} key={side}>
          <span class="unseen" lang={page.lang}>{t(`pairs.${side}`)}: </span>
          <span class="sign" aria-hidden="true">{side === "good" ? "✓" : "✗"}</span>
          <Marked text={pair[side]} regions={pair[`${side}_regions`]} />
        </p>
      ))}
      {pair.variant ? <span class="pair-variant badge" lang={page.lang} title={t("pairs.variant")}>{pair.variant}</span> : <span />}
    </li>
  );
}

holdTab();
const root = document.getElementById("pairs")!;
root.replaceChildren();
render(<Page />, root);
