// Changes of a YAML text made in the browser: a typed value written where it stands, and a text from elsewhere turned
// into small changes, so that cursors, positions and the undo history stay valid.
import type { ChangeDesc } from "@codemirror/state";
import type { Span } from "../wire";

export interface TextChange {
  from: number;
  to: number;
  insert: string;
}

/** How many items two sequences share at their start, and how many of the rest at their end. */
export function commonEnds<Item>(before: ArrayLike<Item>, after: ArrayLike<Item>): { head: number; tail: number } {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  let tail = 0;
  while (head < shorter && before[head] === after[head]) head++;
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  return { head, tail };
}

// Values ------------------------------------------------------------------------------------------------------------

const INDICATORS = /^[-?:](?=\s|$)|^[,[\]{}#&*!|>'"%@`]/;
const UNWRITABLE = "[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029\\ufeff]";

/** Whether YAML reads a value back unquoted, inside `{…}` or `[…]` (`flow`) or outside; false where in doubt. */
export function isPlain(value: string, flow: boolean): boolean {
  if (value === "" || value !== value.trim() || new RegExp(UNWRITABLE).test(value)) return false;
  if (INDICATORS.test(value) || /:(\s|$)|\s#/.test(value) || /^(---|\.\.\.)(\s|$)/.test(value)) return false;
  return !flow || !/[,[\]{}?]|^[-:]/.test(value);
}

/** A value on one line, quoted only where it must be. Control characters become blanks. */
export function scalar(value: string, flow: boolean): string {
  const clean = value.replace(new RegExp(UNWRITABLE, "g"), " ").trim();
  return isPlain(clean, flow) ? clean : `'${clean.replaceAll("'", "''")}'`;
}

/** Whether the value at a position is inside `{…}` or `[…]`: otherwise only its key stands before it on the line. */
export function inFlow(text: string, start: number): boolean {
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return !/^\s*(?:-\s+)*(?:[^\s'"{[#][^{[]*?|'[^']*'|"[^"]*"):\s*$/.test(before) && !/^\s*(?:-\s+)*-\s*$/.test(before);
}

/** How a value is put into a text. */
export interface Splice {
  change: TextChange | null; // null: the text has the value already
  start: number; // of the old value
  lead: number; // blanks before the new value
  length: number; // of the new value and these blanks
}

/** The splice that replaces what stands at `span` by a value; a blank value leaves an empty place. */
export function spliceOf(text: string, span: Span, value: string): Splice {
  const { start, end } = span;
  if (!value) return { change: removal(text, span), start, lead: 0, length: 0 };
  const lead = start === end && /\S/.test(text[start - 1] ?? " ") ? 1 : 0;
  const written = " ".repeat(lead) + scalar(value, inFlow(text, start));
  return { change: narrowed(text.slice(start, end), written, start), start, lead, length: written.length };
}

/** The change that removes a value, at the end of a line with the blanks before it. */
function removal(text: string, { start, end }: Span): TextChange | null {
  const last = /^[ \t]*(\r?\n|$)/.test(text.slice(end));
  const blanks = last ? /[ \t]*$/.exec(text.slice(0, start))![0].length : 0;
  return start === end ? null : { from: start - blanks, to: end, insert: "" };
}

/** The smallest change from `old`, which begins at `start`, to `now`; null where they are equal. */
export function narrowed(old: string, now: string, start: number): TextChange | null {
  if (old === now) return null;
  const { head, tail } = commonEnds(old, now);
  return { from: start + head, to: start + old.length - tail, insert: now.slice(head, now.length - tail) };
}

// Whole texts -------------------------------------------------------------------------------------------------------

const MOST = 1_000_000; // pairs of lines to compare; larger differences become one change

/** The changes that turn one text into another, line by line. */
export function changesBetween(old: string, now: string): TextChange[] {
  const [before, after] = [linesOf(old), linesOf(now)];
  const changes: TextChange[] = [];
  let [row, other, position] = [0, 0, 0];
  for (const [same, there] of [...sharedLines(before, after), [before.length, after.length] as const]) {
    const removed = before.slice(row, same).join("");
    const change = narrowed(removed, after.slice(other, there).join(""), position);
    if (change) changes.push(change);
    position += removed.length + (before[same]?.length ?? 0);
    [row, other] = [same + 1, there + 1];
  }
  return changes;
}

/** The span that a stretch of text has after changes; null where a change took part of it with something beside it. */
export function carried({ start, end }: Span, changes: ChangeDesc): Span | null {
  let cut = false;
  changes.iterChangedRanges((from, to) => {
    cut ||= (from < start && start < to) || (from < end && end < to);
  }, true);
  const first = changes.mapPos(start, 1);
  return cut ? null : { start: first, end: Math.max(first, changes.mapPos(end, -1)) };
}

/** The lines of a text, each with its line break. */
const linesOf = (text: string): string[] => text.split(/(?<=\n)/);

/** As many lines as two texts share in the same order: the index of each in both. */
function sharedLines(before: string[], after: string[]): (readonly [number, number])[] {
  const { head, tail } = commonEnds(before, after);
  const run = (from: number, count: number, shift: number) => Array.from({ length: count }, (_, n) => [from + n, from + n + shift] as const);
  const [rows, others] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const between = rows.length * others.length > MOST ? [] : longestCommon(rows, others);
  return [
    ...run(0, head, 0),
    ...between.map(([row, other]) => [head + row, head + other] as const),
    ...run(before.length - tail, tail, after.length - before.length),
  ];
}

/** The longest common subsequence of two lists of lines. */
function longestCommon(rows: string[], others: string[]): (readonly [number, number])[] {
  const width = others.length + 1;
  const lengths = new Uint32Array((rows.length + 1) * width); // of the longest one from each pair of positions on
  for (let row = rows.length - 1; row >= 0; row--) {
    for (let other = others.length - 1; other >= 0; other--) {
      const at = row * width + other;
      lengths[at] = rows[row] === others[other] ? lengths[at + width + 1]! + 1 : Math.max(lengths[at + width]!, lengths[at + 1]!);
    }
  }
  const pairs: (readonly [number, number])[] = [];
  for (let row = 0, other = 0; row < rows.length && other < others.length; ) {
    const at = row * width + other;
    if (rows[row] === others[other]) pairs.push([row++, other++]);
    else if (lengths[at + width]! >= lengths[at + 1]!) row++;
    else other++;
  }
  return pairs;
}
