// The values of phrases that can be typed, each with where it stands in the text.
import type { ChangeDesc } from "@codemirror/state";
import { carried } from "../differences";
import type { Path, PhraseAlternative, PhraseRow, SlotRow, Span, Step } from "../shapes";

export type Key = "line" | "head" | "weight";

export type Target =
  | { of: "rule"; phrase: string; number: number }
  | { of: "part"; phrase: string; number: number; part: string }
  | { of: "key"; phrase: string; number: number; key: Key }
  | { of: "depth"; phrase: string };

/** Where something stands that was made here and that the server has not written yet. */
export const NEW: Span = { start: -1, end: -1 };
const known = (span: Span | undefined): Span | null => (span && span.start >= 0 ? span : null);

export const keyOf = (target: Target): string => JSON.stringify(target);

export const alternativeOf = (rows: PhraseRow[], phrase: string, number: number): PhraseAlternative | undefined =>
  rows.find(({ name }) => name === phrase)?.alternatives[number];

/** The path of an alternative, as diagnostics give it. */
export function pathOf(phrase: PhraseRow, number: number): Path {
  return (phrase.alternatives[number] as { path?: Path } | undefined)?.path ?? ["phrases", phrase.name, number];
}

/** The value at a target and its span; no span where the text does not have it in so plain a form. */
export function find(rows: PhraseRow[], text: string, target: Target): { value: string; span: Span | null } {
  if (target.of === "depth") {
    const row = rows.find(({ name }) => name === target.phrase);
    return { value: row?.depth ?? "", span: known(row?.span) && keySpan(text, row!.span, "depth", row!.depth) };
  }
  const found = alternativeOf(rows, target.phrase, target.number);
  if (target.of === "rule") return { value: found?.rule ?? "", span: known(found?.span) };
  if (target.of === "key") {
    const value = found?.[target.key] ?? "";
    return { value, span: known(found?.span) && keySpan(text, found!.span, target.key, value) };
  }
  const part = found?.parts.find(({ name }) => name === target.part);
  return { value: part?.rule ?? "", span: known(part?.rule_span) };
}

/** Where a value stands on a line of its own, with its key before it and nothing after it. */
function keySpan(text: string, within: Span, key: string, value: string): Span | null {
  if (value === "") return null;
  const lines = new RegExp(`^[ \\t]*(?:- )?${key}:[ \\t]+`, "gm");
  const inside = text.slice(text.lastIndexOf("\n", within.start) + 1, within.end);
  const shift = within.end - inside.length;
  const found = [...inside.matchAll(lines)].map((match) => shift + match.index + match[0].length);
  const start = found.find((at) => text.startsWith(value, at) && /^[ \t]*(\r?\n|$)/.test(text.slice(at + value.length)));
  return start === undefined ? null : { start, end: start + value.length };
}

/** The edit by which the server sets a value. */
export function stepOf(target: Target, value: string): Step {
  const { phrase } = target;
  if (target.of === "depth") return { do: "set_depth", name: phrase, depth: value };
  if (target.of === "rule") return { do: "set_alternative", phrase, number: target.number, key: "rule", value };
  if (target.of === "key") return { do: "set_alternative", phrase, number: target.number, key: target.key, value };
  return { do: "set_part", phrase, number: target.number, part: target.part, rule: value };
}

/** The rows with every span moved along with changes of the text. */
export function moved(rows: PhraseRow[], changes: ChangeDesc): PhraseRow[] {
  const span = (at: Span): Span => (at.start < 0 ? at : (carried(at, changes) ?? NEW));
  const part = (row: SlotRow): SlotRow => ({ ...row, name_span: span(row.name_span), rule_span: span(row.rule_span) });
  return rows.map((row) => ({
    ...row,
    span: span(row.span),
    alternatives: row.alternatives.map((one) => ({ ...one, span: span(one.span), parts: one.parts.map(part) })),
  }));
}

/** The rows with another value at a target; `span` where it now stands. */
export function replaced(rows: PhraseRow[], target: Target, value: string, span: Span | null): PhraseRow[] {
  const alternative = (one: PhraseAlternative): PhraseAlternative => {
    if (target.of === "rule") return { ...one, rule: value, span: span ?? one.span };
    if (target.of === "key") return { ...one, [target.key]: value };
    if (target.of === "depth") return one;
    const parts = one.parts.map((row) => (row.name === target.part ? { ...row, rule: value, rule_span: span ?? row.rule_span } : row));
    return { ...one, parts };
  };
  return rows.map((row) => {
    if (row.name !== target.phrase) return row;
    if (target.of === "depth") return { ...row, depth: value };
    return { ...row, alternatives: row.alternatives.map((one, n) => (n === target.number ? alternative(one) : one)) };
  });
}
