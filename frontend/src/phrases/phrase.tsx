// The open phrase: its name and depth, its alternatives, and who uses it.
import { useEffect, useRef, useState } from "preact/hooks";
import { useOnce } from "../once";
import { page } from "../page";
import { at, Messages, NameRefused, refusal } from "../paradigm/messages";
import { useWatching } from "../paradigm/watching";
import { focusEditor } from "../rule_field";
import type { PhraseRow } from "../shapes";
import { number, t } from "../words";
import { Alternative } from "./alternative";
import { focusLink, problemsOf } from "./list";
import type { PhrasesModel } from "./model";
import { type Uses, usesOf } from "./renaming";
import { ruleId } from "./rule_row";
import type { Samples } from "./samples";

const TWICE = 500; // milliseconds between the clicks of a double click

export type Choose = (name: string, options?: { enter?: boolean }) => void;

interface PhraseProps {
  model: PhrasesModel;
  samples: Samples;
  phrase: PhraseRow;
  choose: Choose;
  rename: (phrase: string, to: string) => Promise<boolean>;
  deleted: (phrase: string) => void;
}

export function PhraseEditor({ model, samples, phrase, choose, rename, deleted }: PhraseProps) {
  const uses = useUses(phrase.name, model.carried);
  const { input, take, refused, listens } = useOnce(
    model.edits,
    {
      value: phrase.name,
      step: (to) => (to && to !== phrase.name ? { do: "rename_phrase", name: phrase.name, to } : null),
      take: ({ to }) => rename(phrase.name, String(to)),
    },
    (event) => {
      if (event.key !== "Enter") return;
      take();
      event.preventDefault();
    },
  );
  const add = (part: string): void => {
    const value = part ? { parts: { [part]: "" }, head: part } : "";
    const place = model.rows.find(({ name }) => name === phrase.name)?.alternatives.length ?? 0;
    void model.do({ do: "add_alternative", phrase: phrase.name, value });
    focusEditor(ruleId(phrase.name, place, part));
  };
  const [sure, ask] = useState(false);
  const remove = (): void => {
    const place = model.rows.findIndex((row) => row.name === phrase.name);
    const next = model.rows[place + 1] ?? model.rows[place - 1];
    void model.do({ do: "delete_phrase", name: phrase.name });
    if (next) choose(next.name);
    deleted(phrase.name);
    if (!next) return;
    setTimeout(() => focusLink(next.name));
  };
  const deleting = useRef(performance.now());
  /** Asks first where it is in use; the second click of two is meant for the phrase before. */
  const wish = (): void => {
    if (performance.now() - deleting.current < TWICE) return;
    if (uses?.total === 0) remove();
    else ask(true);
  };
  const whole = problemsOf(model.diagnostics, phrase.name).filter(({ row }) => row.length <= 2);
  return (
    <section class="phrase" aria-labelledby="phrase-title">
      <h2 id="phrase-title" class="unseen">
        {t("phrases.phrase", { name: phrase.name })}
      </h2>
      <div class="phrase-head">
        <div class="field">
          <label for="phrase-name">{t("phrases.name")}</label>
          <input
            id="phrase-name"
            ref={input}
            class="mono"
            defaultValue={phrase.name}
            readOnly={!model.mayEdit}
            autocomplete="off"
            spellcheck={false}
            {...refusal("phrase-name-refused", refused)}
            {...listens}
          />
        </div>
        <div class="field">
          <label for="phrase-depth">{t("phrases.depth")}</label>
          <input
            id="phrase-depth"
            class="number"
            inputMode="numeric"
            value={phrase.depth}
            placeholder="0"
            autocomplete="off"
            readOnly={!model.mayEdit}
            title={t("phrases.depth_hint")}
            onInput={(event) => model.write({ of: "depth", phrase: phrase.name }, event.currentTarget.value)}
          />
        </div>
        {model.mayEdit ? (
          <button type="button" class="danger" onClick={wish} aria-label={t("phrases.delete_what", { what: phrase.name })}>
            {t("phrases.delete")}
          </button>
        ) : null}
      </div>
      <div class="phrase-says">
        <NameRefused id="phrase-name-refused" reason={refused} />
        <p class="hint" role="status">{carriedTo(model, phrase.name)}</p>
        <Messages id="phrase-messages" diagnostics={[...whole, ...at(model.diagnostics, ["phrases", phrase.name, "depth"])]} />
      </div>
      <Printed samples={samples} />
      <ol class="alternatives">
        {phrase.alternatives.map((_, n) => (
          <Alternative key={n} {...{ model, samples, phrase }} number={n} />
        ))}
      </ol>
      {model.mayEdit ? (
        <div class="phrase-add">
          <button type="button" id="add-way" onClick={() => add("")} aria-keyshortcuts="Alt+A">
            {t("phrases.add_way")}
          </button>
          <button type="button" onClick={() => add("word")}>
            {t("phrases.add_parts")}
          </button>
        </div>
      ) : null}
      <Users uses={uses} />
      {sure && <DeleteDialog name={phrase.name} uses={uses} close={(yes) => (ask(false), yes && remove())} />}
    </section>
  );
}

function DeleteDialog({ name, uses, close }: { name: string; uses: Uses | null; close: (yes: boolean) => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const names = uses?.files.map(({ uid }) => uid ?? t("phrases.other_phrases")).join(", ") ?? "";
  return (
    <dialog ref={dialog} aria-labelledby="delete-title" onClose={() => close(dialog.current?.returnValue === "yes")}>
      <form method="dialog">
        <header><h2 id="delete-title">{t("phrases.delete_what", { what: name })}</h2></header>
        <div class="body">
          {uses && <p>{t(uses.total === 1 ? "phrases.in_use_one" : "phrases.in_use", { n: uses.total, names })}</p>}
          <p>{t("phrases.in_use_then")}</p>
        </div>
        <footer>
          <button type="button" autofocus onClick={() => dialog.current?.close("no")}>{t("shell.cancel")}</button>
          <button class="danger" value="yes">{t("phrases.delete")}</button>
        </footer>
      </form>
    </dialog>
  );
}

/** That a new name is in the paradigms, too, where it is. */
function carriedTo({ carried }: PhrasesModel, name: string): string {
  if (carried.name !== name || !carried.paradigms) return "";
  return t(carried.paradigms === 1 ? "phrases.carried_one" : "phrases.carried", { n: carried.paradigms });
}

/** Some of what the phrase prints, so that a slip is seen here and not in the paradigms. */
function Printed({ samples }: { samples: Samples }) {
  useWatching(samples.live);
  const { printed } = samples;
  if (!printed.length) return null;
  return (
    <p class="words printed">
      <span class="count">{t("phrases.prints")}</span>
      <span class="examples" lang={/\p{Script=Han}/u.test(printed[0]!) ? "zh-Hans" : page.lang}>{printed.join(" · ")}{samples.live.pairs?.complete ? "" : " …"}</span>
    </p>
  );
}

/** Who uses a phrase, as the server has it saved; asked anew when the name was carried into other files. */
function useUses(phrase: string, carried: object): Uses | null {
  const [uses, setUses] = useState<Uses | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    usesOf(page.project, phrase, { signal: stop.signal }).then(setUses, () => undefined);
    return () => stop.abort();
  }, [phrase, carried]);
  return uses;
}

function Users({ uses }: { uses: Uses | null }) {
  if (!uses) return null;
  return (
    <section class="phrase-users" aria-labelledby="users-title">
      <h3 id="users-title">
        {t("phrases.used_by")} <span class="badge">{number(uses.total)}</span>
      </h3>
      {uses.total === 0 ? <p class="muted">{t("phrases.unused")}</p> : null}
      <ul>
        {uses.files.map(({ file, uid }) => (
          <li key={file}>
            {uid === null ? (
              <span class="muted">{t("phrases.other_phrases")}</span>
            ) : (
              <a href={`/p/${encodeURIComponent(page.project)}/edit/${file.split("/").map(encodeURIComponent).join("/")}`}>{uid}</a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
