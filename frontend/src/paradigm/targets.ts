// The values of a paradigm that can be typed: fields, rules and lines, each with where it stands in the text.
import type { ChangeDesc } from "@codemirror/state";
import { carried } from "../differences";
import type { Field, LineRow, ParadigmRows, SlotRow, Span, Step, Wording } from "../shapes";
import { itemsOf, type Lines, split } from "./lines";

export type Target =
  | { of: "field"; name: string }
  | { of: "rule"; slot: string; variant: number | null }
  | { of: "line"; side: "good" | "bad"; variant: number | null }
  | { of: "option"; key: string; variant: number | null };

export const keyOf = (target: Target): string => JSON.stringify(target);

/** The wording of a variant, or the paradigm itself. */
export function wordingOf(rows: ParadigmRows, variant: number | null): Wording | undefined {
  return rows.wordings[variant ?? 0];
}

/** The slots that stand in a variant, or in the paradigm itself (shared, where there are variants). */
export function slotsOf(rows: ParadigmRows, variant: number | null): SlotRow[] {
  if (variant !== null) return wordingOf(rows, variant)?.slots ?? [];
  return hasVariants(rows) ? rows.slots : (rows.wordings[0]?.slots ?? []);
}

export const hasVariants = (rows: ParadigmRows): boolean => rows.wordings.some((wording) => wording.path.length > 0);

/** The value at a target and its span; no span where the text does not have it yet. */
export function find(rows: ParadigmRows, target: Target): { value: string; span: Span | null } {
  if (target.of === "field") {
    const field = rows.fields.find(({ name }) => name === target.name);
    return { value: field?.value ?? "", span: field?.span ?? null };
  }
  if (target.of === "rule") {
    const slot = slotsOf(rows, target.variant).find(({ name }) => name === target.slot);
    return { value: slot?.rule ?? "", span: slot && !isNew(slot.rule_span) ? slot.rule_span : null };
  }
  const wording = wordingOf(rows, target.variant);
  if (target.of === "option") return { value: wording?.options[target.key] ?? "", span: null };
  const line = wording?.[target.side];
  return { value: line?.text ?? "", span: line && !isNew(line.span) ? line.span : null };
}

/** The edit by which the server sets a value. */
export function stepOf(target: Target, value: string): Step {
  if (target.of === "field") return { do: "set_field", name: target.name, value };
  if (target.of === "rule") return { do: "set_rule", slot: target.slot, rule: value, variant: target.variant };
  if (target.of === "option") return { do: "set_option", key: target.key, value, variant: target.variant };
  return { do: "set_line", side: target.side, line: value, variant: target.variant };
}

/** Where something stands that was made here and that the server has not written yet. */
export const NEW: Span = { start: -1, end: -1 };
export const isNew = (span: Span): boolean => span.start < 0;
const known = (span: Span): Span | null => (isNew(span) ? null : span);

/** The rows with every span moved along with changes of the text. */
export function moved(rows: ParadigmRows, changes: ChangeDesc): ParadigmRows {
  const span = (at: Span): Span => (isNew(at) ? at : (carried(at, changes) ?? NEW));
  const slots = (found: SlotRow[]): SlotRow[] =>
    found.map((row) => ({ ...row, name_span: span(row.name_span), rule_span: span(row.rule_span) }));
  const line = (found: LineRow | null): LineRow | null => found && { ...found, span: span(found.span) };
  const field = (found: Field): Field => ({ ...found, span: found.span && known(span(found.span)) });
  const wording = (found: Wording): Wording => ({
    ...found,
    slots: slots(found.slots),
    good: line(found.good),
    bad: line(found.bad),
  });
  return { ...rows, fields: rows.fields.map(field), slots: slots(rows.slots), wordings: rows.wordings.map(wording) };
}

/** The rows with another value at a target; `span` where it now stands. */
export function replaced(rows: ParadigmRows, target: Target, value: string, span: Span | null): ParadigmRows {
  if (target.of === "field") {
    const known = rows.fields.some(({ name }) => name === target.name);
    const next = { name: target.name, value, span };
    return { ...rows, fields: known ? rows.fields.map((f) => (f.name === target.name ? next : f)) : [...rows.fields, next] };
  }
  if (target.of === "rule") {
    const slots = (found: SlotRow[]): SlotRow[] =>
      found.map((row) => (row.name === target.slot ? { ...row, rule: value, rule_span: span ?? NEW } : row));
    if (target.variant === null && hasVariants(rows)) return { ...rows, slots: slots(rows.slots) };
    return inWording(rows, target.variant, (wording) => ({ ...wording, slots: slots(wording.slots) }));
  }
  if (target.of === "option") {
    return inWording(rows, target.variant, (wording) => ({ ...wording, options: { ...wording.options, [target.key]: value } }));
  }
  return inWording(rows, target.variant, (wording) => {
    return { ...wording, [target.side]: { text: value, span: span ?? NEW, items: itemsOf(split(value)) } };
  });
}

export function inWording(rows: ParadigmRows, variant: number | null, change: (wording: Wording) => Wording): ParadigmRows {
  return { ...rows, wordings: rows.wordings.map((wording, number) => (number === (variant ?? 0) ? change(wording) : wording)) };
}

/** The rows with other items in the lines of a wording, as far as it has these lines. */
export function withLines(rows: ParadigmRows, variant: number | null, lines: Lines): ParadigmRows {
  return inWording(rows, variant, (now) => {
    const line = (side: "good" | "bad") => now[side] && { ...now[side], text: lines[side].join(" "), items: itemsOf(lines[side]) };
    return { ...now, good: line("good"), bad: line("bad"), rows: lines.rows };
  });
}

export interface SlotPlace {
  variant: number | null;
  name: string;
}

/** The rows with more slots, empty and last. */
export function withSlots(rows: ParadigmRows, more: Iterable<SlotPlace>): ParadigmRows {
  for (const { variant, name } of more) {
    if (slotsOf(rows, variant).some((row) => row.name === name)) continue;
    const row = { name, rule: "", path: [], name_span: NEW, rule_span: NEW };
    if (variant === null && hasVariants(rows)) rows = { ...rows, slots: [...rows.slots, row] };
    else rows = inWording(rows, variant, (now) => ({ ...now, slots: [...now.slots, row] }));
  }
  return rows;
}
