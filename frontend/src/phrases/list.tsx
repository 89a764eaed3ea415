// The list of phrases: their names, the number of alternatives of each, and where something is wrong.
import { useRef, useState } from "preact/hooks";
import { useCommit, whenLeft } from "../editor/inputs";
import { number, t } from "../page";
import type { Diagnostic, PhraseRow } from "../wire";
import type { PhrasesModel } from "./model";

interface ListProps {
  model: PhrasesModel;
  open: string;
  choose: (name: string, options?: { enter?: boolean }) => void;
}

/** The errors and warnings in a phrase. */
export const problemsOf = (diagnostics: readonly Diagnostic[], phrase: string): Diagnostic[] =>
  diagnostics.filter(({ row }) => row[0] === "phrases" && row[1] === phrase);

export function PhraseList({ model, open, choose }: ListProps) {
  const [filter, setFilter] = useState("");
  const list = useRef<HTMLUListElement>(null);
  const wanted = filter.trim().toLowerCase();
  const shown = model.phrases.filter((row) => matches(row, wanted));
  const go = (step: number): void => {
    const links = [...(list.current?.querySelectorAll<HTMLElement>("a") ?? [])];
    links[links.indexOf(document.activeElement as HTMLElement) + step]?.focus();
  };
  const move = (name: string, step: number): void => {
    const from = model.phrases.findIndex((row) => row.name === name);
    const to = from + step;
    if (to < 0 || to >= model.phrases.length || !model.mayEdit) return;
    void model.do({ do: "move_phrase", name, to });
    setTimeout(() => focusLink(name));
  };
  const keys = (event: KeyboardEvent, name: string): void => {
    const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (step !== undefined && event.altKey) move(name, step);
    else if (step !== undefined) go(step);
    else return;
    event.preventDefault();
  };
  return (
    <nav class="phrase-list" aria-label={t("phrases.list")}>
      <div class="field">
        <label for="phrase-filter">{t("phrases.filter")}</label>
        <input
          id="phrase-filter"
          type="search"
          value={filter}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setFilter(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.isComposing || (event.key !== "ArrowDown" && event.key !== "Enter")) return;
            list.current?.querySelector<HTMLElement>("a")?.focus();
            event.preventDefault();
          }}
        />
      </div>
      <ul ref={list}>
        {shown.map((row) => (
          <li key={row.name}>
            <a
              href={`#${encodeURIComponent(row.name)}`}
              id={linkId(row.name)}
              aria-current={row.name === open ? "true" : undefined}
              onClick={(event) => {
                event.preventDefault();
                choose(row.name);
              }}
              onKeyDown={(event) => keys(event, row.name)}
            >
              <span class="name">{row.name}</span>
              <ProblemBadge diagnostics={problemsOf(model.live.diagnostics, row.name)} />
              <span class="muted small" aria-hidden="true">
                {row.alternatives.length}
              </span>
              <span class="unseen">{t("phrases.ways", { n: row.alternatives.length })}</span>
            </a>
          </li>
        ))}
        {shown.length === 0 ? <li class="muted">{t(model.phrases.length ? "phrases.none_found" : "phrases.none")}</li> : null}
      </ul>
      {model.mayEdit ? <NewPhrase model={model} open={open} choose={choose} /> : null}
    </nav>
  );
}

const linkId = (name: string): string => `phrase-${name}`;

export function focusLink(name: string): void {
  document.getElementById(linkId(name))?.focus();
}

function matches(row: PhraseRow, wanted: string): boolean {
  if (!wanted) return true;
  const rules = row.alternatives.flatMap(({ rule, parts }) => [rule ?? "", ...parts.flatMap((part) => [part.name, part.rule])]);
  return [row.name, ...rules].some((text) => text.toLowerCase().includes(wanted));
}

function ProblemBadge({ diagnostics }: { diagnostics: readonly Diagnostic[] }) {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  if (diagnostics.length === 0) return null;
  return <span class={`badge ${errors ? "bad" : "warn"}`}>{number(errors || diagnostics.length)}</span>;
}

function NewPhrase({ model, open, choose }: ListProps) {
  const at = model.phrases.findIndex((row) => row.name === open) + 1 || model.phrases.length;
  const [existing, setExisting] = useState(""); // the phrase that has the name already
  const { input, commit, attributes, refusal } = useCommit(model.edits, {
    value: null,
    step: (name) => (model.phrases.some((row) => row.name === name) ? null : { do: "add_phrase", name, rule: "", at }),
    apply: (step) => model.do(step),
    reason: "new-phrase-refused",
  });
  const add = (event: Event): void => {
    event.preventDefault();
    const name = input.current!.value.trim();
    const exists = model.phrases.some((row) => row.name === name);
    setExisting(exists ? name : "");
    if (exists) choose(name);
    if (!exists && commit()) choose(name, { enter: true });
    else input.current!.select();
  };
  return (
    <form class="new-phrase" onSubmit={add} onInput={() => setExisting("")} {...whenLeft(commit)}>
      <div class="field grow">
        <label for="new-phrase">{t("phrases.new")}</label>
        <input {...attributes} id="new-phrase" aria-keyshortcuts="Alt+N" onBlur={undefined} />
      </div>
      <button>{t("phrases.add")}</button>
      {refusal}
      <p class="messages" role="status">{existing && t("phrases.there", { name: existing })}</p>
    </form>
  );
}
