// The open phrase: its name and depth, samples of what it prints, its alternatives, and the files that use it.
import { useEffect, useRef, useState } from "preact/hooks";
import { phraseUses } from "../api";
import { useDialog, useObserved } from "../drawing";
import { at, Messages } from "../editor/diagnostics";
import { useCommit } from "../editor/inputs";
import { focusEditor } from "../editor/rule_editor";
import { editAddress, languageOf, number, page, t } from "../page";
import type { PhraseRow, PhraseUses } from "../wire";
import { Alternative, ruleId } from "./alternative";
import { focusLink, problemsOf } from "./list";
import type { PhrasesModel, Samples } from "./model";

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
  useObserved(samples.live);
  const uses = useUses(phrase.name, model.renamed);
  const { commit, attributes, refusal } = useCommit(
    model.edits,
    {
      value: phrase.name,
      step: (to) => (to ? { do: "rename_phrase", name: phrase.name, to } : null),
      apply: ({ to }) => rename(phrase.name, String(to)),
      reason: "phrase-name-refused",
    },
    (event) => {
      if (event.key !== "Enter") return;
      commit();
      event.preventDefault();
    },
  );
  const add = (part: string): void => {
    const value = part ? { parts: { [part]: "" }, head: part } : "";
    const place = model.phrases.find(({ name }) => name === phrase.name)?.alternatives.length ?? 0;
    void model.do({ do: "add_alternative", phrase: phrase.name, value });
    focusEditor(ruleId(phrase.name, place, part));
  };
  const [confirming, setConfirming] = useState(false);
  const remove = (): void => {
    const place = model.phrases.findIndex((row) => row.name === phrase.name);
    const next = model.phrases[place + 1] ?? model.phrases[place - 1];
    void model.do({ do: "delete_phrase", name: phrase.name });
    if (next) choose(next.name);
    deleted(phrase.name);
    if (!next) return;
    setTimeout(() => focusLink(next.name));
  };
  const opened = useRef(performance.now());
  /** Ask first if the phrase is in use; the second click of a double click was meant for the phrase before. */
  const requestDelete = (): void => {
    if (performance.now() - opened.current < TWICE) return;
    if (uses?.total === 0) remove();
    else setConfirming(true);
  };
  const general = problemsOf(model.live.diagnostics, phrase.name).filter(({ row }) => row.length <= 2);
  return (
    <section class="phrase" aria-labelledby="phrase-title">
      <h2 id="phrase-title" class="unseen">
        {t("phrases.phrase", { name: phrase.name })}
      </h2>
      <div class="phrase-head">
        <div class="field">
          <label for="phrase-name">{t("phrases.name")}</label>
          <input {...attributes} id="phrase-name" class="mono" readOnly={!model.mayEdit} />
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
          <button type="button" class="danger" onClick={requestDelete} aria-label={t("phrases.delete_what", { what: phrase.name })}>
            {t("phrases.delete")}
          </button>
        ) : null}
      </div>
      <div class="phrase-says">
        {refusal}
        <p class="hint" role="status">{renamedIn(model, phrase.name)}</p>
        <Messages id="phrase-messages" diagnostics={[...general, ...at(model.live.diagnostics, ["phrases", phrase.name, "depth"])]} />
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
      {confirming && <DeleteDialog name={phrase.name} uses={uses} close={(yes) => (setConfirming(false), yes && remove())} />}
    </section>
  );
}

function DeleteDialog({ name, uses, close }: { name: string; uses: PhraseUses | null; close: (yes: boolean) => void }) {
  const dialog = useDialog();
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

/** A message that the new name was also written into paradigms, if it was. */
function renamedIn({ renamed }: PhrasesModel, name: string): string {
  if (renamed.name !== name || !renamed.paradigms) return "";
  return t(renamed.paradigms === 1 ? "phrases.carried_one" : "phrases.carried", { n: renamed.paradigms });
}

/** Some of what the phrase prints, so that mistakes are seen here and not in the paradigms. */
function Printed({ samples }: { samples: Samples }) {
  const { printed } = samples;
  if (!printed.length) return null;
  return (
    <p class="words printed">
      <span class="count">{t("phrases.prints")}</span>
      <span class="examples" lang={languageOf(printed[0]!)}>{printed.join(" · ")}{samples.live.pairs?.complete ? "" : " …"}</span>
    </p>
  );
}

/** The saved files that use a phrase; requested again when the name was written into other files. */
function useUses(phrase: string, renamed: object): PhraseUses | null {
  const [uses, setUses] = useState<PhraseUses | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    phraseUses(page.project, phrase, { signal: stop.signal }).then(setUses, () => undefined);
    return () => stop.abort();
  }, [phrase, renamed]);
  return uses;
}

function Users({ uses }: { uses: PhraseUses | null }) {
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
              <a href={editAddress(file)}>{uid}</a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
