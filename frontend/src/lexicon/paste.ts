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
  readonly header: Header | null;
  readonly existing: readonly string[]; // words of the added rows that the lexicon has already
}

/** The first row of a block, where it names columns. */
export interface Header {
  readonly columns: readonly (string | null)[]; // of each cell below; null where the lexicon has no such column
  readonly unknown: readonly string[];
}

const alike = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

/**
 * The header of a block: a first row that names `expression`, or nothing but columns, at least two. The names may be
 * those that the grid shows (`labels`, one for each column), and differ in case.
 */
export function headerOf(
  cells: readonly (readonly string[])[],
  columns: readonly string[],
  labels: readonly string[] = columns,
): Header | null {
  const names = cells.length > 1 ? cells[0]!.map((name) => name.trim()) : [];
  const found = names.map((name) => columns.find((column, n) => alike(column, name) || alike(labels[n] ?? "", name)) ?? null);
  const known = found.filter((name) => name !== null);
  const unknown = names.filter((name, n) => name !== "" && found[n] === null);
  const named = known.includes("expression") || (known.length > 1 && unknown.length === 0);
  return named && new Set(known).size === known.length ? { columns: found, unknown } : null;
}

export function planPaste(
  cells: readonly (readonly string[])[],
  rows: readonly Row[], // as shown, from the first one pasted over
  column: string,
  columns: readonly string[], // as shown
  sheetOf: (row: Row) => Sheet,
  last: Sheet,
  labels: readonly string[] = columns,
  known: (form: string) => boolean = () => false, // whether the lexicon has a word already
): Effects {
  const header = headerOf(cells, columns, labels);
  const adds = header?.columns.includes("expression") ?? false; // new words, rather than values for those in sight
  const body = header ? cells.slice(1) : cells;
  const target = adds ? [] : rows;
  const first = columns.indexOf(column);
  const changes: CellChange[] = [];
  const added: string[][] = [];
  let refused = 0;
  body.forEach((line, n) => {
    const row = target[n];
    const sheet = row === undefined || row.ghost ? last : sheetOf(row);
    const cellsAdded: string[] = last.columns.map(() => "");
    line.forEach((value, m) => {
      const name = header ? header.columns[m] : columns[first + m];
      const at = name == null ? -1 : sheet.columns.indexOf(name);
      if (name == null || at < 0) refused += value === "" ? 0 : 1;
      else if (row === undefined || row.ghost) cellsAdded[at] = value;
      else if ((row.cells[at] ?? "") !== value) changes.push({ row, column: name, old: row.cells[at] ?? "", value });
    });
    if ((row === undefined || row.ghost) && cellsAdded.some(Boolean)) added.push(cellsAdded);
  });
  const expression = last.columns.indexOf("expression");
  const existing = added.map((row) => row[expression] ?? "").filter((form) => form !== "" && known(form));
  return { changes, added, sheet: last, refused, header, existing: [...new Set(existing)] };
}

const SMALL = 24; // cells that are pasted without a question

export function isLarge(plan: PastePlan): boolean {
  const unclear = plan.refused > 0 || plan.header !== null || plan.existing.length > 0;
  return unclear || plan.odd.length > 0 || plan.added.length > 8 || plan.changes.length > SMALL;
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
