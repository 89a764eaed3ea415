// Blocks of cells from a spreadsheet: read as it copies them, and held against the rows that they would change.
import type { Row, Sheet } from "./sheets";

// Characters that nobody sees: web pages and chats leave them in what is copied from there.
const UNSEEN = /(?![\t\r\n])[\p{Cc}\p{Cf}]/gu;
// What else a cell cannot hold: characters that only some fonts know, halves of characters, and blanks of odd widths.
const ODD = /(?![ \u3000\u00a0])[\p{Co}\p{Cs}\p{Z}]/u;

/** A text without the characters that nobody sees, and how many there were. */
export function seen(text: string): { text: string; unseen: number } {
  const clean = text.replace(UNSEEN, "");
  return { text: clean, unseen: [...text].length - [...clean].length };
}

/** A cell of a block that no cell of a table can hold. */
export interface OddCell {
  readonly row: number; // of the block, from 1
  readonly column: number;
  readonly value: string;
  readonly character: string;
}

export function oddCells(cells: readonly (readonly string[])[]): OddCell[] {
  return cells.flatMap((line, row) =>
    line.flatMap((value, column) => {
      const character = ODD.exec(value)?.[0];
      return character === undefined ? [] : [{ row: row + 1, column: column + 1, value, character }];
    }),
  );
}

/** The cells of a block, quotes and all, without blanks at the edges of cells. */
export function readBlock(text: string): string[][] {
  const rows: string[][] = [[]];
  const source = text.replace(/(\r\n|\r|\n)+$/, "");
  let cell = "";
  let at = 0;
  const close = (): void => {
    rows.at(-1)!.push(cell.trim());
    cell = "";
  };
  while (at < source.length) {
    const char = source[at]!;
    if (char === '"' && cell === "") {
      const end = closing(source, at);
      if (end > at) {
        cell = source.slice(at + 1, end).replaceAll('""', '"');
        at = end + 1;
        continue;
      }
    }
    if (char === "\t") close();
    else if (char === "\n" || char === "\r") {
      close();
      rows.push([]);
      if (char === "\r" && source[at + 1] === "\n") at += 1;
    } else cell += char;
    at += 1;
  }
  close();
  return rows.map((row) => row.map((one) => one.replace(/[\t\r\n]+/g, " ")));
}

/** Where the quotes that open at a place close, if a cell ends there; else the place itself. */
function closing(source: string, start: number): number {
  let at = start + 1;
  while ((at = source.indexOf('"', at)) >= 0) {
    if (source[at + 1] !== '"') return /^[\t\r\n]?$/.test(source[at + 1] ?? "") ? at : start;
    at += 2;
  }
  return start;
}

export interface CellChange {
  readonly row: Row;
  readonly column: string;
  readonly old: string;
  readonly value: string;
}

/** What a block would do: cells that change, and rows that are added at the end of a file. */
export interface PastePlan extends Effects {
  readonly unseen: number; // characters that were left out
  readonly odd: readonly OddCell[]; // where there are some, nothing is pasted
}

interface Effects {
  readonly changes: readonly CellChange[];
  readonly added: readonly (readonly string[])[]; // in the order of the sheet's columns
  readonly sheet: Sheet;
  readonly refused: number; // cells for which there is no column
}

/** A block whose first row names columns, `expression` among them: all its rows are new. */
export function namesColumns(cells: readonly (readonly string[])[], columns: readonly string[]): boolean {
  const head = cells[0] ?? [];
  return cells.length > 1 && head.includes("expression") && head.every((name) => columns.includes(name));
}

export function planPaste(
  cells: readonly (readonly string[])[],
  rows: readonly Row[], // as they are shown, from the first that is pasted over
  column: string,
  columns: readonly string[], // as they are shown
  sheetOf: (row: Row) => Sheet,
  last: Sheet,
): Effects {
  if (namesColumns(cells, last.columns)) {
    const [head = [], ...body] = cells;
    const added = body.map((row) => last.columns.map((name) => row[head.indexOf(name)] ?? ""));
    return { changes: [], added: added.filter((row) => row.some(Boolean)), sheet: last, refused: 0 };
  }
  const first = columns.indexOf(column);
  const changes: CellChange[] = [];
  const added: string[][] = [];
  let refused = 0;
  cells.forEach((line, n) => {
    const row = rows[n];
    const sheet = row === undefined || row.ghost ? last : sheetOf(row);
    const fresh: string[] = last.columns.map(() => "");
    line.forEach((value, m) => {
      const name = columns[first + m];
      const at = name === undefined ? -1 : sheet.columns.indexOf(name);
      if (name === undefined || at < 0) refused += value === "" ? 0 : 1;
      else if (row === undefined || row.ghost) fresh[at] = value;
      else if ((row.cells[at] ?? "") !== value) changes.push({ row, column: name, old: row.cells[at] ?? "", value });
    });
    if ((row === undefined || row.ghost) && fresh.some(Boolean)) added.push(fresh);
  });
  return { changes, added, sheet: last, refused };
}
