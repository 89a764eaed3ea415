// The two lines as lists of items: what typing in a cell does to them. The server finds what became of each item; until
// it answers, the rows stay as they were, with the new text in them.
import type { Item, ItemRow, Wording } from "../shapes";

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

/** Another item on the good side; the bad side follows where it was the same, wherever it has it. */
export function withGood(lines: Lines, row: number, item: string): Lines {
  const at = lines.rows[row];
  if (!at || at.good === null) return lines;
  const place = at.fate === "same" ? at.bad : at.partner !== null ? (lines.rows[at.partner]?.bad ?? null) : null;
  return { ...lines, good: lines.good.with(at.good, item), bad: place === null ? lines.bad : lines.bad.with(place, item) };
}

/** Another item on the bad side; none is the same as good again. */
export function withBad(lines: Lines, row: number, item: string): Lines {
  const at = lines.rows[row];
  if (!at) return lines;
  if (at.bad !== null) {
    const text = item || (at.good !== null ? lines.good[at.good]! : "");
    if (!text) return lines;
    const fate = at.good === null ? at.fate : text === lines.good[at.good] ? "same" : "replace";
    return { ...lines, bad: lines.bad.with(at.bad, text), rows: lines.rows.with(row, { ...at, fate }) };
  }
  if (!item) return lines;
  const place = lines.rows.slice(0, row).filter(({ bad }) => bad !== null).length;
  const rows = lines.rows.map((other, number) => {
    if (number === row) return { ...at, bad: place, fate: "replace" as const, partner: null };
    return other.bad !== null && other.bad >= place ? { ...other, bad: other.bad + 1 } : other;
  });
  return { ...lines, bad: lines.bad.toSpliced(place, 0, item), rows };
}

/** A new item before a row, on both sides or on the bad one only. */
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
  const made: ItemRow = { good: both ? good : null, bad, fate: both ? "same" : "add", partner: null };
  return {
    good: both ? lines.good.toSpliced(good, 0, item) : lines.good,
    bad: lines.bad.toSpliced(bad, 0, item),
    rows: shifted.toSpliced(row, 0, made),
  };
}

/** Items as they stand in a line, one blank between them. */
export function itemsOf(texts: string[]): Item[] {
  let start = 0;
  return texts.map((text) => {
    const item = { text, start, end: start + text.length, slot: "", part: "", column: "" };
    start = item.end + 1;
    return item;
  });
}

/** The items in what was typed or pasted; blanks inside quotes separate nothing. */
export function split(text: string): string[] {
  return text.match(/"(?:[^"\\]|\\.)*"?|(?:\\.|[^\s"])(?:\\.|\S)*/gs) ?? [];
}
