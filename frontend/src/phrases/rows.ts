// The rows of phrases: the values that can be typed, where each stands in the text, and what an edit will do to them.
import type { ChangeDesc } from "@codemirror/state";
import type { Path, Step } from "../api";
import type { RowsForm } from "../editor/rows_model";
import { carried, inFlow } from "../editor/text_changes";
import type { AlternativeRow, PhraseRow, SlotRow, Span } from "../wire";

export type Key = "line" | "head" | "weight";

/** A value that can be typed; `number` counts the alternatives of a phrase. */
export type Target =
  | { of: "rule"; phrase: string; number: number }
  | { of: "part"; phrase: string; number: number; part: string }
  | { of: "key"; phrase: string; number: number; key: Key }
  | { of: "depth"; phrase: string };

/** The span of something that was made here and that the server has not written yet. */
const NEW: Span = { start: -1, end: -1 };
const written = (span: Span | undefined): Span | null => (span && span.start >= 0 ? span : null);

export const alternativeOf = (rows: PhraseRow[], phrase: string, number: number): AlternativeRow | undefined =>
  rows.find(({ name }) => name === phrase)?.alternatives[number];

/** The path of an alternative, as diagnostics give it. */
export function pathOf(phrase: PhraseRow, number: number): Path {
  const path = phrase.alternatives[number]?.path ?? [];
  return path.length ? path : ["phrases", phrase.name, number]; // one made here has no path yet
}

/** How phrases are edited as rows. */
export const phrasesForm: RowsForm<PhraseRow[], Target> = {
  kind: "phrases",
  find,
  moved,
  replaced,
  overlaid: (rows, _, target, value, span) => replaced(rows, target, value, span),
  ahead,
  stepOf,
  // a rule may be missing for a while, which is an error that is shown; but YAML has no empty item between commas
  mayBeEmpty: (text, target, { start }) => target.of === "part" || (target.of === "rule" && !inFlow(text, start)),
  isRequired: () => false,
};

/** The value of a target and its span; no span where the text does not have it in so plain a form. */
function find(rows: PhraseRow[], text: string, target: Target): { value: string; span: Span | null } {
  if (target.of === "depth") {
    const row = rows.find(({ name }) => name === target.phrase);
    return { value: row?.depth ?? "", span: written(row?.span) && keySpan(text, row!.span, "depth", row!.depth) };
  }
  const alternative = alternativeOf(rows, target.phrase, target.number);
  if (target.of === "rule") return { value: alternative?.rule ?? "", span: written(alternative?.span) };
  if (target.of === "key") {
    const value = alternative?.[target.key] ?? "";
    return { value, span: written(alternative?.span) && keySpan(text, alternative!.span, target.key, value) };
  }
  const part = alternative?.parts.find(({ name }) => name === target.part);
  return { value: part?.rule ?? "", span: written(part?.rule_span) };
}

/** Where a value stands on a line of its own, with its key before it and nothing after it. */
function keySpan(text: string, within: Span, key: string, value: string): Span | null {
  if (value === "") return null;
  const keys = new RegExp(`^[ \\t]*(?:- )?${key}:[ \\t]+`, "gm");
  const inside = text.slice(text.lastIndexOf("\n", within.start) + 1, within.end);
  const shift = within.end - inside.length;
  const starts = [...inside.matchAll(keys)].map((match) => shift + match.index + match[0].length);
  const start = starts.find((at) => text.startsWith(value, at) && /^[ \t]*(\r?\n|$)/.test(text.slice(at + value.length)));
  return start === undefined ? null : { start, end: start + value.length };
}

function stepOf(target: Target, value: string): Step {
  const { phrase } = target;
  if (target.of === "depth") return { do: "set_depth", name: phrase, depth: value };
  if (target.of === "part") return { do: "set_part", phrase, number: target.number, part: target.part, rule: value };
  return { do: "set_alternative", phrase, number: target.number, key: target.of === "rule" ? "rule" : target.key, value };
}

function moved(rows: PhraseRow[], changes: ChangeDesc): PhraseRow[] {
  const span = (old: Span): Span => (old.start < 0 ? old : (carried(old, changes) ?? NEW));
  const part = (row: SlotRow): SlotRow => ({ ...row, name_span: span(row.name_span), rule_span: span(row.rule_span) });
  return rows.map((row) => ({
    ...row,
    span: span(row.span),
    alternatives: row.alternatives.map((old) => ({ ...old, span: span(old.span), parts: old.parts.map(part) })),
  }));
}

function replaced(rows: PhraseRow[], target: Target, value: string, span: Span | null): PhraseRow[] {
  const alternative = (old: AlternativeRow): AlternativeRow => {
    if (target.of === "rule") return { ...old, rule: value, span: span ?? old.span };
    if (target.of === "key") return { ...old, [target.key]: value };
    if (target.of === "depth") return old;
    const parts = old.parts.map((row) => (row.name === target.part ? { ...row, rule: value, rule_span: span ?? row.rule_span } : row));
    return { ...old, parts };
  };
  return rows.map((row) => {
    if (row.name !== target.phrase) return row;
    if (target.of === "depth") return { ...row, depth: value };
    return { ...row, alternatives: row.alternatives.map((old, n) => (n === target.number ? alternative(old) : old)) };
  });
}

// Rows ahead of the server ------------------------------------------------------------------------------------------
// What an edit will do to the rows is shown at once, so that the reader can type into what it adds.

type Parts = Record<string, string>;

function ahead(rows: PhraseRow[], step: Step): PhraseRow[] {
  const { phrase, name, part } = step as { phrase?: string; name?: string; part?: string };
  const { number = -1, to = -1, at } = step as { number?: number; to?: number; at?: number };
  const alternatives = (change: (old: AlternativeRow[]) => AlternativeRow[]): PhraseRow[] =>
    rows.map((row) => (row.name === phrase ? { ...row, alternatives: change(row.alternatives) } : row));
  const parts = (change: (old: SlotRow[]) => SlotRow[]): PhraseRow[] =>
    alternatives((all) => all.map((old, n) => (n === number ? { ...old, parts: change(old.parts) } : old)));
  switch (step.do) {
    case "add_phrase": {
      const path = ["phrases", name!];
      const added = { name: name!, span: NEW, path, depth: "", alternatives: [newAlternative([...path, 0], "")] };
      return rows.toSpliced(at ?? rows.length, 0, added);
    }
    case "rename_phrase": {
      const free = !rows.some((row) => row.name === step["to"]);
      return rows.map((row) => (free && row.name === name ? { ...row, name: String(step["to"]) } : row));
    }
    case "delete_phrase":
      return rows.filter((row) => row.name !== name);
    case "move_phrase":
      return shifted(rows, rows.findIndex((row) => row.name === name), to);
    case "add_alternative": {
      const value = step["value"] as string | { parts: Parts; head: string };
      return alternatives((all) => {
        const place = at ?? all.length;
        return all.toSpliced(place, 0, newAlternative(["phrases", phrase!, place], value));
      });
    }
    case "delete_alternative":
      return alternatives((all) => all.filter((_, n) => n !== number));
    case "move_alternative":
      return alternatives((all) => shifted(all, number, to));
    case "add_part": {
      const row = rows.find((other) => other.name === phrase);
      const added = newPart([...(row ? pathOf(row, number) : []), "parts", part!], part!);
      return parts((all) => all.toSpliced(at ?? all.length, 0, added));
    }
    case "delete_part":
      return parts((all) => all.filter((row) => row.name !== part));
    case "move_part":
      return parts((all) => shifted(all, all.findIndex((row) => row.name === part), to));
    case "rename_part":
      return parts((all) => all.map((row) => (row.name === part ? { ...row, name: name! } : row)));
    default:
      return rows;
  }
}

function shifted<Item>(items: Item[], from: number, to: number): Item[] {
  const item = items[from];
  return item === undefined ? items : items.toSpliced(from, 1).toSpliced(to, 0, item);
}

function newAlternative(path: Path, value: string | { parts: Parts; head: string }): AlternativeRow {
  if (typeof value === "string") return { span: NEW, path: [], rule: value, parts: [], line: "", head: "", weight: "" };
  const parts = Object.entries(value.parts).map(([name, rule]) => newPart([...path, "parts", name], name, rule));
  return { span: NEW, path: [], rule: null, parts, line: "", head: value.head, weight: "" };
}

const newPart = (path: Path, name: string, rule = ""): SlotRow => ({ name, rule, path, name_span: NEW, rule_span: NEW });
