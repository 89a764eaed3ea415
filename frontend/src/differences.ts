// Texts that come from outside, as changes of the text that is there, line by line: cursors, places and steps back stay
// what they are, also between two lines that somebody else changed.
import { type ChangeDesc, Transaction } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { narrowed } from "./paradigm/scalars";
import type { Span } from "./shapes";

const MOST = 1_000_000; // pairs of lines that are compared; beyond, all that lies between the first and the last change is one

type Change = NonNullable<ReturnType<typeof narrowed>>;

/** Puts another text into an editor; what others wrote is not for this reader to undo. */
export function replaceText(view: EditorView, text: string, undoable: boolean): void {
  const changes = changesBetween(view.state.doc.toString(), text.replaceAll("\r\n", "\n"));
  if (!changes.length) return;
  view.dispatch({ changes, userEvent: "edit.merge", annotations: Transaction.addToHistory.of(undoable) });
}

/** Where a stretch of the text stands after changes; nowhere, where one took a part of it with something beside it. */
export function carried({ start, end }: Span, changes: ChangeDesc): Span | null {
  let gone = false;
  changes.iterChangedRanges((from, to) => {
    gone ||= (from < start && start < to) || (from < end && end < to);
  }, true);
  const first = changes.mapPos(start, 1);
  return gone ? null : { start: first, end: Math.max(first, changes.mapPos(end, -1)) };
}

/** The changes that make `now` of `old`. */
export function changesBetween(old: string, now: string): Change[] {
  const [before, after] = [linesOf(old), linesOf(now)];
  const changes: Change[] = [];
  let [row, other, place] = [0, 0, 0];
  for (const [same, there] of [...sameLines(before, after), [before.length, after.length] as const]) {
    const gone = before.slice(row, same).join("");
    const change = narrowed(gone, after.slice(other, there).join(""), place);
    if (change) changes.push(change);
    place += gone.length + (before[same]?.length ?? 0);
    [row, other] = [same + 1, there + 1];
  }
  return changes;
}

/** The lines of a text with their ends. */
const linesOf = (text: string): string[] => text.split(/(?<=\n)/);

/** The lines that two texts share, in their order, as many as there can be: where each stands in both. */
function sameLines(before: string[], after: string[]): (readonly [number, number])[] {
  const least = Math.min(before.length, after.length);
  let head = 0;
  let tail = 0;
  while (head < least && before[head] === after[head]) head++;
  while (tail < least - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (from: number, count: number, shift: number) => Array.from({ length: count }, (_, n) => [from + n, from + n + shift] as const);
  const [rows, others] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const between = rows.length * others.length > MOST ? [] : longest(rows, others);
  return [
    ...same(0, head, 0),
    ...between.map(([row, other]) => [head + row, head + other] as const),
    ...same(before.length - tail, tail, after.length - before.length),
  ];
}

/** The longest run of equal lines in the same order. */
function longest(rows: string[], others: string[]): (readonly [number, number])[] {
  const wide = others.length + 1;
  const most = new Uint32Array((rows.length + 1) * wide); // how many follow from each pair of places on
  for (let row = rows.length - 1; row >= 0; row--) {
    for (let other = others.length - 1; other >= 0; other--) {
      const at = row * wide + other;
      most[at] = rows[row] === others[other] ? most[at + wide + 1]! + 1 : Math.max(most[at + wide]!, most[at + 1]!);
    }
  }
  const found: (readonly [number, number])[] = [];
  for (let row = 0, other = 0; row < rows.length && other < others.length; ) {
    const at = row * wide + other;
    if (rows[row] === others[other]) found.push([row++, other++]);
    else if (most[at + wide]! >= most[at + 1]!) row++;
    else other++;
  }
  return found;
}
