// Pasting: what a block of cells from a spreadsheet would change, and how the changes are sent.
import { type Edit, groupBy, type Row, type Sheet } from "./sheets";

// Invisible characters, which text copied from web pages and chats often contains.
const UNSEEN = /(?![\t\r\n])[\p{Cc}\p{Cf}]/gu;
// Other characters that a cell cannot hold: private-use characters, unpaired surrogates and unusual spaces.
const ODD = /(?![ \u3000\u00a0])[\p{Co}\p{Cs}\p{Z}]/u;

/** A text without its invisible characters, and their number. */
export function withoutUnseen(text: string): { text: string; unseen: number } {
  const clean = text.replace(UNSEEN, "");
  return { text: clean, unseen: [...text].length - [...clean].length };
}

/** A cell of a block with a character that no table can hold. */
export interface OddCell {
  readonly row: number; // in the block, from 1
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

export interface CellChange {
  readonly row: Row;
  readonly column: string;
  readonly old: string;
  readonly value: string;
}

/** What a block would do: change cells, and add rows at the end of a file. */
export interface PastePlan extends Effects {
  readonly unseen: number; // invisible characters that were removed
  readonly odd: readonly OddCell[]; // if there are any, nothing is pasted
}

interface Effects {
  readonly changes: readonly CellChange[];
  readonly added: readonly (readonly string[])[]; // in the order of the sheet's columns
  readonly sheet: Sheet;
  readonly refused: number; // cells without a column
}

/** Whether the first row of a block names columns, including `expression`: then all other rows are added. */
function namesColumns(cells: readonly (readonly string[])[], columns: readonly string[]): boolean {
  const head = cells[0] ?? [];
  return cells.length > 1 && head.includes("expression") && head.every((name) => columns.includes(name));
}

export function planPaste(
  cells: readonly (readonly string[])[],
  rows: readonly Row[], // as shown, from the first one pasted over
  column: string,
  columns: readonly string[], // as shown
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
    const cellsAdded: string[] = last.columns.map(() => "");
    line.forEach((value, m) => {
      const name = columns[first + m];
      const at = name === undefined ? -1 : sheet.columns.indexOf(name);
      if (name === undefined || at < 0) refused += value === "" ? 0 : 1;
      else if (row === undefined || row.ghost) cellsAdded[at] = value;
      else if ((row.cells[at] ?? "") !== value) changes.push({ row, column: name, old: row.cells[at] ?? "", value });
    });
    if ((row === undefined || row.ghost) && cellsAdded.some(Boolean)) added.push(cellsAdded);
  });
  return { changes, added, sheet: last, refused };
}

const SMALL = 24; // cells that are pasted without a question

export function isLarge(plan: PastePlan): boolean {
  return plan.refused > 0 || plan.odd.length > 0 || plan.added.length > 8 || plan.changes.length > SMALL;
}

const GAP = 50; // unchanged rows that a block may contain

/** The changes of one sheet as one block, which is sent and undone as a whole; null where the rows are too far apart. */
export function asBlock(changes: readonly CellChange[], sheet: Sheet): Edit | null {
  if (changes.length === 0 || changes.some(({ row }) => row.file !== sheet.file)) return null;
  const numbers = new Map(sheet.rows.map((row, n) => [row, n]));
  const touched = new Map([...groupBy(changes, ({ row }) => row)].map(([row, group]) => [numbers.get(row) ?? -1, group]));
  const columns = [...new Set(changes.map(({ column }) => sheet.columns.indexOf(column)))];
  const [left, right] = [Math.min(...columns), Math.max(...columns)];
  const keys = [...touched.keys()];
  const [top, bottom] = [keys.reduce((a, b) => Math.min(a, b)), keys.reduce((a, b) => Math.max(a, b))];
  if (top < 0 || bottom - top >= 2 * keys.length + GAP) return null;
  const rows = sheet.rows.slice(top, bottom + 1);
  const cells = rows.map((row, n) => {
    const line = sheet.columns.slice(left, right + 1).map((_, m) => row.cells[left + m] ?? "");
    for (const { column, value } of touched.get(top + n) ?? []) line[sheet.columns.indexOf(column) - left] = value;
    return line;
  });
  return { do: "paste", rows, column: sheet.columns[left]!, cells };
}
