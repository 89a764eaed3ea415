// The rows of a paradigm: the values that can be typed, where each stands in the text, and the items of the two lines.
import type { ChangeDesc } from "@codemirror/state";
import type { Step } from "../api";
import type { RowsForm } from "../editor/rows_model";
import { carried } from "../editor/text_changes";
import type { Field, Item, ItemRow, LineRow, ParadigmRows, SlotRow, Span, Wording } from "../wire";

/** A value that can be typed. A variant of null means the paradigm itself. */
export type Target =
  | { of: "field"; name: string }
  | { of: "rule"; slot: string; variant: number | null }
  | { of: "line"; side: "good" | "bad"; variant: number | null }
  | { of: "option"; key: string; variant: number | null };

/** The span of something that was made here and that the server has not written yet. */
const NEW: Span = { start: -1, end: -1 };
const isNew = (span: Span): boolean => span.start < 0;

/** The wording of a variant, or of the paradigm itself. */
export const wordingOf = (rows: ParadigmRows, variant: number | null): Wording | undefined => rows.wordings[variant ?? 0];

/** The slots of a variant, or of the paradigm itself (shared ones, where there are variants). */
export function slotsOf(rows: ParadigmRows, variant: number | null): SlotRow[] {
  if (variant !== null) return wordingOf(rows, variant)?.slots ?? [];
  return hasVariants(rows) ? rows.slots : (rows.wordings[0]?.slots ?? []);
}

export const hasVariants = (rows: ParadigmRows): boolean => rows.wordings.some((wording) => wording.path.length > 0);

/** The value of a target and its span; no span where the text does not have it yet. */
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

export const fieldOf = (rows: ParadigmRows, name: string): string => find(rows, { of: "field", name }).value;

/** How a paradigm is edited as rows. */
export const paradigmForm: RowsForm<ParadigmRows, Target> = {
  kind: "paradigm",
  find: (rows, _, target) => find(rows, target),
  moved,
  replaced,
  overlaid: (rows, before, target, value, span) => {
    const overlaid = replaced(rows, target, value, span);
    if (target.of !== "line") return overlaid;
    const items = wordingOf(before, target.variant)?.rows; // as they were typed: the server does not know the line yet
    return items ? inWording(overlaid, target.variant, (wording) => ({ ...wording, rows: items })) : overlaid;
  },
  ahead: (rows, step) =>
    step.do === "add_slot" ? withSlot(rows, step["variant"] as number | null, String(step["slot"])) : rows,
  stepOf,
  mayBeEmpty: (_, target) => target.of === "rule", // an error that is shown
  isRequired: (target) => target.of === "line",
};

function stepOf(target: Target, value: string): Step {
  if (target.of === "field") return { do: "set_field", name: target.name, value };
  if (target.of === "rule") return { do: "set_rule", slot: target.slot, rule: value, variant: target.variant };
  if (target.of === "option") return { do: "set_option", key: target.key, value, variant: target.variant };
  return { do: "set_line", side: target.side, line: value, variant: target.variant };
}

function moved(rows: ParadigmRows, changes: ChangeDesc): ParadigmRows {
  const span = (old: Span): Span => (isNew(old) ? old : (carried(old, changes) ?? NEW));
  const slots = (old: SlotRow[]): SlotRow[] =>
    old.map((slot) => ({ ...slot, name_span: span(slot.name_span), rule_span: span(slot.rule_span) }));
  const line = (old: LineRow | null): LineRow | null => old && { ...old, span: span(old.span) };
  const field = (old: Field): Field => ({ ...old, span: old.span && carried(old.span, changes) });
  const wording = (old: Wording): Wording => ({ ...old, slots: slots(old.slots), good: line(old.good), bad: line(old.bad) });
  return { ...rows, fields: rows.fields.map(field), slots: slots(rows.slots), wordings: rows.wordings.map(wording) };
}

function replaced(rows: ParadigmRows, target: Target, value: string, span: Span | null): ParadigmRows {
  switch (target.of) {
    case "field": {
      const field = { name: target.name, value, span };
      const exists = rows.fields.some(({ name }) => name === target.name);
      const fields = exists ? rows.fields.map((old) => (old.name === target.name ? field : old)) : [...rows.fields, field];
      return { ...rows, fields };
    }
    case "rule":
      return inSlots(rows, target.variant, (slots) =>
        slots.map((slot) => (slot.name === target.slot ? { ...slot, rule: value, rule_span: span ?? NEW } : slot)),
      );
    case "option":
      return inWording(rows, target.variant, (wording) => ({ ...wording, options: { ...wording.options, [target.key]: value } }));
    case "line": {
      const line = { text: value, span: span ?? NEW, items: itemsOf(split(value)) };
      return inWording(rows, target.variant, (wording) => ({ ...wording, [target.side]: line }));
    }
  }
}

function inWording(rows: ParadigmRows, variant: number | null, change: (wording: Wording) => Wording): ParadigmRows {
  return { ...rows, wordings: rows.wordings.map((wording, number) => (number === (variant ?? 0) ? change(wording) : wording)) };
}

function inSlots(rows: ParadigmRows, variant: number | null, change: (slots: SlotRow[]) => SlotRow[]): ParadigmRows {
  if (variant === null && hasVariants(rows)) return { ...rows, slots: change(rows.slots) };
  return inWording(rows, variant, (wording) => ({ ...wording, slots: change(wording.slots) }));
}

/** The rows with one more slot, empty and last. */
function withSlot(rows: ParadigmRows, variant: number | null, name: string): ParadigmRows {
  if (slotsOf(rows, variant).some((slot) => slot.name === name)) return rows;
  return inSlots(rows, variant, (slots) => [...slots, { name, rule: "", path: [], name_span: NEW, rule_span: NEW }]);
}

/** The rows with new items in the lines of a wording, as far as it has these lines. */
export function withLines(rows: ParadigmRows, variant: number | null, lines: Lines): ParadigmRows {
  return inWording(rows, variant, (wording) => {
    const line = (side: "good" | "bad") =>
      wording[side] && { ...wording[side], text: lines[side].join(" "), items: itemsOf(lines[side]) };
    return { ...wording, good: line("good"), bad: line("bad"), rows: lines.rows };
  });
}

// Lines -------------------------------------------------------------------------------------------------------------
// The server decides what becomes of each item. Until it answers, the rows stay as they were, with the new text in them.

export interface Lines {
  good: string[];
  bad: string[];
  rows: ItemRow[];
}

export function linesOf(wording: Wording): Lines {
  const good = (wording.good?.items ?? []).map(({ text }) => text);
  const bad = wording.bad ? wording.bad.items.map(({ text }) => text) : [...good];
  return { good, bad, rows: wording.rows };
}

/** The lines with a new item on the good side; the bad side follows where it had the same item, also elsewhere. */
export function withGood(lines: Lines, row: number, item: string): Lines {
  const old = lines.rows[row];
  if (!old || old.good === null) return lines;
  const place = old.fate === "same" ? old.bad : old.partner !== null ? (lines.rows[old.partner]?.bad ?? null) : null;
  return { ...lines, good: lines.good.with(old.good, item), bad: place === null ? lines.bad : lines.bad.with(place, item) };
}

/** The lines with a new item on the bad side; a blank one makes it the same as the good item again. */
export function withBad(lines: Lines, row: number, item: string): Lines {
  const old = lines.rows[row];
  if (!old) return lines;
  if (old.bad !== null) {
    const text = item || (old.good !== null ? lines.good[old.good]! : "");
    if (!text) return lines;
    const fate = old.good === null ? old.fate : text === lines.good[old.good] ? "same" : "replace";
    return { ...lines, bad: lines.bad.with(old.bad, text), rows: lines.rows.with(row, { ...old, fate }) };
  }
  if (!item) return lines;
  const place = lines.rows.slice(0, row).filter(({ bad }) => bad !== null).length;
  const rows = lines.rows.map((other, number) => {
    if (number === row) return { ...old, bad: place, fate: "replace" as const, partner: null };
    return other.bad !== null && other.bad >= place ? { ...other, bad: other.bad + 1 } : other;
  });
  return { ...lines, bad: lines.bad.toSpliced(place, 0, item), rows };
}

/** The lines with a new item before a row, on both sides or only on the bad one. */
export function withItem(lines: Lines, row: number, item: string, side: "both" | "bad"): Lines {
  const both = side === "both";
  const before = lines.rows.slice(0, row);
  const good = before.filter((other) => other.good !== null).length;
  const bad = before.filter((other) => other.bad !== null).length;
  const shifted = lines.rows.map((other) => ({
    ...other,
    good: both && other.good !== null && other.good >= good ? other.good + 1 : other.good,
    bad: other.bad !== null && other.bad >= bad ? other.bad + 1 : other.bad,
    partner: other.partner !== null && other.partner >= row ? other.partner + 1 : other.partner,
  }));
  const added: ItemRow = { good: both ? good : null, bad, fate: both ? "same" : "add", partner: null };
  return {
    good: both ? lines.good.toSpliced(good, 0, item) : lines.good,
    bad: lines.bad.toSpliced(bad, 0, item),
    rows: shifted.toSpliced(row, 0, added),
  };
}

/** Items as they stand in a line, separated by one blank. */
function itemsOf(texts: string[]): Item[] {
  let start = 0;
  return texts.map((text) => {
    const item = { text, start, end: start + text.length, slot: "", part: "", column: "" };
    start = item.end + 1;
    return item;
  });
}

/** The items in what was typed or pasted; blanks inside quotes do not separate. */
export function split(text: string): string[] {
  return text.match(/"(?:[^"\\]|\\.)*"?|(?:\\.|[^\s"])(?:\\.|\S)*/gs) ?? [];
}
