// One alternative of a phrase: a rule alone, or named parts with their line, head and weight.
import { useRef } from "preact/hooks";
import type { Path } from "../api";
import { keepCursor, useKeptFocus } from "../drawing";
import { Messages, RuleRow } from "../editor/diagnostics";
import { useCommit, whenLeft } from "../editor/inputs";
import { NamedKeys } from "../editor/row_tools";
import { focusEditor } from "../editor/rule_editor";
import { t } from "../page";
import type { AlternativeRow, Diagnostic, PhraseRow, SlotRow } from "../wire";
import type { PhrasesModel, Samples } from "./model";
import { alternativeOf, type Key, pathOf } from "./rows";

export function Alternative({ model, samples, phrase, number }: Place) {
  const alternative = phrase.alternatives[number]!;
  const count = phrase.alternatives.length;
  const title = t("phrases.way", { n: number + 1 });
  const focusAt = (n: number): void => {
    const there = model.phrases.find(({ name }) => name === phrase.name)?.alternatives[n];
    if (there) focusEditor(ruleId(phrase.name, n, there.parts[0]?.name ?? ""));
  };
  const move = (step: number): void => {
    const to = number + step;
    if (to < 0 || to >= count) return;
    void model.do({ do: "move_alternative", phrase: phrase.name, number, to });
    focusAt(to);
  };
  const remove = (): void => {
    if (count === 1) return;
    void model.do({ do: "delete_alternative", phrase: phrase.name, number });
    focusAt(Math.min(number, count - 2)); // the one that takes its place
  };
  const heading = `way-${number}`;
  const [up, down] = [t("phrases.move_up", { what: title }), t("phrases.move_down", { what: title })];
  return (
    <li class="alternative">
      <div class="alternative-head">
        <h3 id={heading}>{title}</h3>
        {alternative.parts.length > 0 ? <KeyField {...{ model, samples, phrase, number }} name="weight" value={alternative.weight} /> : null}
        {model.mayEdit ? (
          <div class="row-tools">
            <button type="button" class="plain" disabled={number === 0} onClick={() => move(-1)} aria-label={up} title={up}>↑</button>
            <button type="button" class="plain" disabled={number === count - 1} onClick={() => move(1)} aria-label={down} title={down}>↓</button>
            {alternative.parts.length === 0 ? (
              <button type="button" class="plain" onClick={() => split(model, phrase.name, number, alternative)}>
                {t("phrases.split")}
              </button>
            ) : null}
            <button type="button" class="plain danger" disabled={count === 1} onClick={remove} aria-label={t("phrases.delete_what", { what: title })}>
              {t("phrases.delete")}
            </button>
          </div>
        ) : null}
      </div>
      {alternative.parts.length > 0 ? (
        <Parts {...{ model, samples, phrase, number }} heading={heading} />
      ) : (
        <PhraseRule
          {...{ model, samples, phrase, number }}
          id={ruleId(phrase.name, number)}
          label={t("phrases.rule_of", { what: title })}
          value={alternative.rule ?? ""}
          path={pathOf(phrase, number)}
          slot=""
          change={(value) => model.write({ of: "rule", phrase: phrase.name, number }, value)}
          keys={rowKeys(phrase, ruleId(phrase.name, number), { move, remove })}
        />
      )}
      <Others model={model} path={pathOf(phrase, number)} alternative={alternative} />
    </li>
  );
}

function KeyField({ model, phrase, number, name, value }: Place & { name: Key; value: string }) {
  const id = `${name}-${number}`;
  return (
    <div class="field inline">
      <label for={id}>{t(`phrases.${name}`)}</label>
      <input
        id={id}
        class="number"
        inputMode="decimal"
        value={value}
        placeholder="1"
        autocomplete="off"
        readOnly={!model.mayEdit}
        onInput={(event) => model.write({ of: "key", phrase: phrase.name, number, key: name }, event.currentTarget.value)}
      />
    </div>
  );
}

/** The problems of an alternative as a whole, or of something in it that has no editor here. */
function Others({ model, path, alternative }: { model: PhrasesModel; path: Path; alternative: AlternativeRow }) {
  const shown = new Set([JSON.stringify([...path, "line"]), ...alternative.parts.map((part) => JSON.stringify(part.path))]);
  const inside = ({ row }: Diagnostic): boolean => path.every((step, n) => row[n] === step) && !shown.has(JSON.stringify(row));
  const hasRow = ({ row }: Diagnostic): boolean => alternative.parts.length === 0 && row.length <= path.length;
  const rest = model.live.diagnostics.filter((diagnostic) => inside(diagnostic) && !hasRow(diagnostic));
  return rest.length > 0 ? <Messages id={`others-${path.join("-")}`} diagnostics={rest} /> : null;
}

/** Turn a rule into the first part of an alternative with parts. */
function split(model: PhrasesModel, phrase: string, number: number, alternative: AlternativeRow): void {
  const value = { parts: { word: alternative.rule ?? "" }, head: "word" };
  void model.do({ do: "add_alternative", phrase, value, at: number + 1 });
  void model.do({ do: "delete_alternative", phrase, number });
  focusEditor(ruleId(phrase, number, "word"));
}

// Parts -------------------------------------------------------------------------------------------------------------

export function Parts({ model, samples, phrase, number, heading }: Place & { heading: string }) {
  useKeptFocus();
  const alternative = phrase.alternatives[number]!;
  const keys = useRef<NamedKeys | null>(null);
  const named = (keys.current ??= new NamedKeys());
  const rename = (part: string, name: string): Promise<boolean> => {
    const names = alternativeOf(model.phrases, phrase.name, number)?.parts.map((row) => row.name) ?? [];
    if (!names.includes(part)) return Promise.resolve(false); // it has been deleted
    const edit = model.do({ do: "rename_part", phrase: phrase.name, number, part, name });
    return names.includes(name) ? edit : named.rename(part, name, edit);
  };
  return (
    <>
      <table class="parts" aria-labelledby={heading}>
        <thead>
          <tr>
            <th scope="col" class="name">
              {t("phrases.part")}
            </th>
            <th scope="col">{t("phrases.rule")}</th>
            {model.mayEdit ? (
              <th scope="col" class="narrow">
                <span class="unseen">{t("phrases.actions")}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody ref={keepCursor}>
          {alternative.parts.map((part, place) => (
            <Part key={named.of(part.name)} {...{ model, samples, phrase, number, part, place, rename }} />
          ))}
          {model.mayEdit ? <NewPart {...{ model, samples, phrase, number }} /> : null}
        </tbody>
      </table>
      <div class="alternative-keys">
        <div class="field grow">
          <span aria-hidden="true">{t("phrases.line")}</span>
          <PhraseRule
            {...{ model, samples, phrase, number }}
            id={`line:${phrase.name}:${number}`}
            kind="line"
            label={t("phrases.line_of", { n: number + 1 })}
            value={alternative.line}
            path={[...pathOf(phrase, number), "line"]}
            slot=""
            change={(value) => model.write({ of: "key", phrase: phrase.name, number, key: "line" }, value)}
          />
        </div>
        <Head {...{ model, samples, phrase, number }} />
      </div>
    </>
  );
}

interface PartProps extends Place {
  part: SlotRow;
  place: number;
  rename: (part: string, name: string) => Promise<boolean>;
}

function Part({ model, samples, phrase, number, part, place, rename }: PartProps) {
  const parts = phrase.alternatives[number]!.parts;
  const id = ruleId(phrase.name, number, part.name);
  const move = (step: number): void => {
    const to = place + step;
    if (to < 0 || to >= parts.length) return;
    void model.do({ do: "move_part", phrase: phrase.name, number, part: part.name, to });
    focusEditor(id, "keep");
  };
  const remove = (): void => {
    if (parts.length === 1) return;
    const next = parts[place + 1] ?? parts[place - 1];
    void model.do({ do: "delete_part", phrase: phrase.name, number, part: part.name });
    if (next) focusEditor(ruleId(phrase.name, number, next.name));
  };
  const deleteLabel = t("phrases.delete_what", { what: part.name });
  return (
    <tr>
      <td class="name">
        <PartName {...{ model, samples, phrase, number, part, rename }} />
      </td>
      <td class="cell">
        <PhraseRule
          {...{ model, samples, phrase, number, id }}
          label={t("phrases.rule_of", { what: part.name })}
          value={part.rule}
          path={part.path}
          slot={part.name}
          change={(rule) => model.write({ of: "part", phrase: phrase.name, number, part: part.name }, rule)}
          keys={rowKeys(phrase, id, { move, remove })}
        />
      </td>
      {model.mayEdit ? (
        <td class="narrow">
          <button type="button" class="plain danger" disabled={parts.length === 1} onClick={remove}
            aria-label={deleteLabel} title={`${deleteLabel} (Alt+Delete)`}>×</button>
        </td>
      ) : null}
    </tr>
  );
}

function PartName({ model, phrase, number, part, rename }: Omit<PartProps, "place">) {
  const rule = ruleId(phrase.name, number, part.name);
  const { attributes, refusal } = useCommit(
    model.edits,
    {
      value: part.name,
      step: (name) => (name ? { do: "rename_part", phrase: phrase.name, number, part: part.name, name } : null),
      apply: ({ name }) => rename(part.name, String(name)),
      reason: `${rule}-refused`,
    },
    (event) => {
      if (event.key !== "Enter") return;
      focusEditor(rule); // leaving the input commits it
      event.preventDefault();
    },
  );
  return (
    <>
      <input {...attributes} class="mono bare" readOnly={!model.mayEdit} aria-label={t("phrases.part_name", { part: part.name })} />
      {refusal}
    </>
  );
}

/** The last row, which becomes a part when it gets a name. */
function NewPart({ model, phrase, number }: Place) {
  const taken = new Set(phrase.alternatives[number]!.parts.map(({ name }) => name));
  const { input, commit, attributes, refusal } = useCommit(
    model.edits,
    {
      value: null,
      step: (part) => (taken.has(part) ? null : { do: "add_part", phrase: phrase.name, number, part, rule: "" }),
      apply: (step) => model.do(step),
      reason: `new-part-${number}-refused`,
    },
    (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      add();
    },
  );
  const add = (): void => {
    const part = input.current!.value.trim();
    if (commit()) focusEditor(ruleId(phrase.name, number, part));
    else input.current!.select();
  };
  return (
    <tr class="new" {...whenLeft(commit)}>
      <td class="name">
        <input {...attributes} class="mono bare" placeholder={t("phrases.part_new")}
          aria-label={t("phrases.part_new_of", { n: number + 1 })} onBlur={undefined} />
        {refusal}
      </td>
      <td colSpan={2}>
        <button type="button" class="plain" onClick={add}>
          {t("phrases.part_add")}
        </button>
      </td>
    </tr>
  );
}

function Head({ model, phrase, number }: Place) {
  const alternative = phrase.alternatives[number]!;
  const id = `head-${number}`;
  const names = [...new Set(["", ...alternative.parts.map(({ name }) => name), alternative.head])];
  return (
    <div class="field">
      <label for={id}>{t("phrases.head")}</label>
      <select
        id={id}
        value={alternative.head}
        disabled={!model.mayEdit}
        onChange={(event) => model.write({ of: "key", phrase: phrase.name, number, key: "head" }, event.currentTarget.value)}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name || t("phrases.no_head")}
          </option>
        ))}
      </select>
    </div>
  );
}

// Rules -------------------------------------------------------------------------------------------------------------

export interface Place {
  model: PhrasesModel;
  samples: Samples;
  phrase: PhraseRow;
  number: number;
}

export const ruleId = (phrase: string, number: number, part = ""): string => `rule:${phrase}:${number}:${part}`;

/** The editors of a phrase from top to bottom, for the arrow keys. */
export function editorsOf(phrase: PhraseRow): string[] {
  return phrase.alternatives.flatMap((alternative, number) =>
    alternative.parts.length > 0 ? alternative.parts.map((part) => ruleId(phrase.name, number, part.name)) : [ruleId(phrase.name, number)],
  );
}

/** Arrows and Enter leave a row, Alt+arrow moves it, Alt+Delete deletes it. */
export function rowKeys(phrase: PhraseRow, id: string, row: { move: (step: number) => void; remove: () => void }) {
  return (event: KeyboardEvent): boolean => {
    const step = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
    if (event.altKey && event.key === "Delete") row.remove();
    else if (step === undefined || event.shiftKey || event.ctrlKey || event.metaKey) return false;
    else if (event.altKey && event.key !== "Enter") row.move(step);
    else {
      const all = editorsOf(phrase);
      const next = all[all.indexOf(id) + step];
      if (next !== undefined) focusEditor(next);
    }
    return true;
  };
}

interface PhraseRuleProps extends Place {
  id: string;
  label: string;
  value: string;
  path: Path;
  slot: string;
  kind?: "rule" | "line";
  change: (value: string) => void;
  keys?: (event: KeyboardEvent) => boolean;
}

/** The rule of an alternative or of a part, or the line of an alternative. */
function PhraseRule({ model, samples, phrase, number, slot, kind = "rule", keys, ...field }: PhraseRuleProps) {
  const slots = Object.fromEntries((phrase.alternatives[number]?.parts ?? []).map((part) => [part.name, part.rule]));
  return (
    <div class="rule-row">
      <RuleRow {...field} live={model.live} kind={kind} readOnly={!model.mayEdit} messages={`messages-${field.id}`}
        empty={t(kind === "rule" ? "phrases.rule_empty" : "phrases.line_empty")} scope={() => ({ slots, slot })}
        words={kind === "rule" ? samples.words(number, slot) : undefined} onKey={(event) => keys?.(event) ?? false} />
    </div>
  );
}
