// A sheet: one file of the lexicon as the grid shows it. It consists of the rows that the server has confirmed, with the
// edits that are on their way applied to them. Edits refer to row objects, so that they stay right when other people
// move lines; line numbers are worked out just before a request.
import type { TableOp } from "../api";
import { commonEnds } from "../editor/text_changes";
import type { Change, Table, TableAnswer } from "../wire";

export interface Row {
  readonly key: number;
  readonly file: string;
  cells: string[];
  /** Not in the file yet: the row is added when its first cell is written. */
  ghost: boolean;
}

/** A row as the server has it; `line` counts from 1, and line 1 is the header. */
export interface PlacedRow {
  readonly row: Row;
  readonly line: number;
  readonly cells: readonly string[];
}

export interface Sheet {
  readonly file: string;
  revision: number | null; // null: the file is created with its first row
  columns: string[];
  confirmed: PlacedRow[];
  rows: Row[];
}

export type Edit =
  | { readonly do: "set"; readonly row: Row; readonly column: string; readonly value: string }
  | { readonly do: "add"; readonly rows: readonly Row[]; readonly cells: readonly (readonly string[])[]; readonly after: Row | null }
  | { readonly do: "delete"; readonly rows: readonly Row[] }
  | { readonly do: "column"; readonly name: string }
  | { readonly do: "paste"; readonly rows: readonly Row[]; readonly column: string; readonly cells: readonly (readonly string[])[] }
  | { readonly do: "changes"; readonly changes: readonly Change[] };

/** A row as the API sends it: its line, then its cells, of which the last may be missing. */
type TableRow = Table["rows"][number];

const lineOf = (row: TableRow): number => Number(row[0]);
const cellsOf = (row: TableRow): string[] => row.slice(1).map(String);

let keys = 0;

export function newRow(file: string, cells: readonly string[] = [], ghost = false): Row {
  return { key: ++keys, file, cells: [...cells], ghost };
}

export function readSheet({ file, revision, columns, rows }: Table): Sheet {
  const confirmed = rows.map((row) => ({ row: newRow(file, cellsOf(row)), line: lineOf(row), cells: cellsOf(row) }));
  return { file, revision, columns: [...columns], confirmed, rows: confirmed.map(({ row }) => row) };
}

/** Show an edit in the sheet at once. */
export function show(sheet: Sheet, edit: Edit): void {
  switch (edit.do) {
    case "set":
      put(edit.row.cells, sheet.columns.indexOf(edit.column), edit.value);
      return;
    case "add": {
      const added = new Set(edit.rows);
      const rows = sheet.rows.filter((row) => !added.has(row));
      const place = edit.after === null ? 0 : rows.indexOf(edit.after) + 1;
      edit.rows.forEach((row, n) => {
        row.cells = [...(edit.cells[n] ?? [])];
        row.ghost = false;
      });
      rows.splice(place, 0, ...edit.rows);
      sheet.rows = rows;
      return;
    }
    case "delete": {
      const deleted = new Set(edit.rows);
      sheet.rows = sheet.rows.filter((row) => !deleted.has(row));
      return;
    }
    case "column":
      if (!sheet.columns.includes(edit.name)) sheet.columns.push(edit.name);
      return;
    case "paste": {
      const first = sheet.columns.indexOf(edit.column);
      edit.rows.forEach((row, n) => edit.cells[n]?.forEach((cell, m) => put(row.cells, first + m, cell)));
      return;
    }
    case "changes": // shown when the server answers
  }
}

/** Make the shown rows again from the confirmed ones and the edits that wait. */
export function rebuild(sheet: Sheet, waiting: readonly Edit[]): void {
  sheet.rows = sheet.confirmed.map(({ row, cells }) => {
    row.cells = [...cells];
    row.ghost = false;
    return row;
  });
  for (const edit of waiting) show(sheet, edit);
}

/** Translate edits into operations for the server, each on the lines that the one before leaves; return both. */
export function walk(sheet: Sheet, from: readonly PlacedRow[], edits: readonly Edit[]): { ops: TableOp[]; placed: PlacedRow[] } {
  let placed = [...from];
  const columns = [...sheet.columns];
  const ops: TableOp[] = [];
  for (const edit of edits) {
    switch (edit.do) {
      case "set": {
        const index = placed.findIndex(({ row }) => row === edit.row);
        const old = placed[index];
        if (old === undefined) break; // somebody else deleted the row
        ops.push({ do: "set", line: old.line, column: edit.column, value: edit.value });
        placed[index] = { ...old, cells: put([...old.cells], columns.indexOf(edit.column), edit.value) };
        break;
      }
      case "add": {
        const above = nearestAbove(sheet, edit.after, placed);
        const after = above?.line ?? (edit.after === null ? 1 : (placed.at(-1)?.line ?? 1));
        ops.push({ do: "add", rows: edit.cells.map((cells) => [...cells]), after });
        const added = edit.rows.map((row, n) => ({ row, line: after + 1 + n, cells: [...(edit.cells[n] ?? [])] }));
        const before = placed.filter(({ line }) => line <= after);
        const below = placed.filter(({ line }) => line > after).map((old) => ({ ...old, line: old.line + added.length }));
        placed = [...before, ...added, ...below];
        break;
      }
      case "delete": {
        const deleted = new Set(edit.rows);
        const lines = placed.filter(({ row }) => deleted.has(row)).map(({ line }) => line);
        if (lines.length === 0) break;
        ops.push({ do: "delete", lines });
        let shift = 0;
        placed = placed.flatMap((old) => {
          if (!deleted.has(old.row)) return [{ ...old, line: old.line - shift }];
          shift += 1;
          return [];
        });
        break;
      }
      case "column":
        ops.push({ do: "column", name: edit.name });
        if (!columns.includes(edit.name)) columns.push(edit.name);
        break;
      case "paste": {
        const first = columns.indexOf(edit.column);
        const line = placed.find(({ row }) => row === edit.rows[0])?.line;
        if (line === undefined) break;
        ops.push({ do: "paste", block: blockOf(edit.cells), line, column: edit.column });
        const pasted = new Map(edit.rows.map((row, n) => [row, edit.cells[n] ?? []]));
        placed = placed.map((old) => {
          const cells = [...old.cells];
          pasted.get(old.row)?.forEach((cell, n) => put(cells, first + n, cell));
          return { ...old, cells };
        });
        break;
      }
      case "changes":
        ops.push({ do: "changes", changes: [...edit.changes] });
    }
  }
  return { ops, placed };
}

/** The row itself, or the nearest above it, among those that the file has: rows on their way may be left out. */
function nearestAbove(sheet: Sheet, row: Row | null, placed: readonly PlacedRow[]): PlacedRow | undefined {
  const rows = new Map(placed.map((old) => [old.row, old]));
  for (let at = row === null ? -1 : sheet.rows.indexOf(row); at >= 0; at -= 1) {
    const found = rows.get(sheet.rows[at]!);
    if (found) return found;
  }
  return row === null ? undefined : rows.get(row);
}

/** The rows that edits touch; null where they concern the whole table. */
export function rowsOf(edits: readonly Edit[]): Set<Row> | null {
  const rows = new Set<Row>();
  for (const edit of edits) {
    if (edit.do === "column" || edit.do === "changes") return null;
    for (const row of edit.do === "set" ? [edit.row] : edit.rows) rows.add(row);
  }
  return rows;
}

/** The operations of several actions, kept apart. */
export function walkActions(sheet: Sheet, actions: readonly (readonly Edit[])[]): TableOp[][] {
  let from: readonly PlacedRow[] = sheet.confirmed;
  return actions.map((edits) => {
    const { ops, placed } = walk(sheet, from, edits);
    from = placed;
    return ops;
  });
}

/** Turn stored operations back into edits of rows; their lines are those of the sheet after the edits `before`. */
export function replay(sheet: Sheet, before: readonly Edit[], ops: readonly TableOp[]): Edit[] {
  let { placed } = walk(sheet, sheet.confirmed, before);
  const edits: Edit[] = [];
  for (const op of ops) {
    const edit = editOf(op, placed, sheet.file);
    if (!edit) continue;
    edits.push(edit);
    placed = walk(sheet, placed, [edit]).placed;
  }
  return edits;
}

function editOf(op: TableOp, placed: readonly PlacedRow[], file: string): Edit | null {
  const rowAt = (line: number | null | undefined): Row | undefined => placed.find((old) => old.line === line)?.row;
  switch (op.do) {
    case "set": {
      const row = rowAt(op.line);
      return row ? { do: "set", row, column: op.column, value: op.value } : null;
    }
    case "add": {
      const rows = op.rows.map((cells) => newRow(file, cells));
      return { do: "add", rows, cells: op.rows, after: rowAt(op.after) ?? null };
    }
    case "delete":
      return { do: "delete", rows: op.lines.flatMap((line) => rowAt(line) ?? []) };
    case "paste": {
      const cells = readBlock(op.block);
      const rows = placed.filter(({ line }) => line >= (op.line ?? 0)).slice(0, cells.length);
      return { do: "paste", rows: rows.map(({ row }) => row), column: op.column ?? "", cells };
    }
    default:
      return op;
  }
}

/** Take the server's answer to edits that led to `placed`; `coming` are the edits after them. */
export function confirm(sheet: Sheet, placed: readonly PlacedRow[], answer: TableAnswer, coming: readonly Edit[]): void {
  const added = coming.flatMap((edit) => (edit.do === "column" ? [edit.name] : []));
  sheet.revision = answer.revision;
  sheet.columns = [...answer.columns, ...added.filter((name) => !answer.columns.includes(name))];
  if (answer.moved) sheet.confirmed = matched(placed, answer.rows_changed, sheet.file);
  else {
    const changed = new Map(answer.rows_changed.map((row) => [lineOf(row), cellsOf(row)]));
    sheet.confirmed = placed.map((old) => ({ ...old, cells: changed.get(old.line) ?? old.cells }));
  }
}

/** Set the sheet back to an earlier revision. */
export function goBack(sheet: Sheet, { revision, text }: { revision: number; text: string }): void {
  const [head = [], ...lines] = text.split("\n").map((line) => line.replace(/\r$/, "").split("\t"));
  const rows = lines.map((cells, n): TableRow => [n + 2, ...cells]).filter((row) => !isBlank(cellsOf(row)));
  sheet.revision = revision;
  sheet.columns = head.map((name) => name.replace(/^\ufeff/, ""));
  sheet.confirmed = matched(sheet.confirmed, rows, sheet.file);
}

/** Match rows of the server with the rows known so far, by all cells or by the first; the others become new rows. */
export function matched(old: readonly PlacedRow[], rows: readonly TableRow[], file: string): PlacedRow[] {
  const now = rows.map((row) => ({ line: lineOf(row), cells: cellsOf(row) }));
  const texts = now.map(({ cells }) => rowText(cells));
  const matches: (Row | undefined)[] = new Array(now.length);
  const { head, tail } = commonEnds(old.map(({ cells }) => rowText(cells)), texts);
  for (let n = 0; n < head; n += 1) matches[n] = old[n]!.row;
  for (let n = 1; n <= tail; n += 1) matches[now.length - n] = old[old.length - n]!.row;
  const left = old.slice(head, old.length - tail);
  const open = now.slice(head, now.length - tail);
  const single = left.length === 1 && open.length === 1;
  for (const nameOf of single ? [() => ""] : [rowText, (cells: readonly string[]) => cells[0] ?? ""]) {
    const used = new Set(matches);
    const candidates = groupBy(left.filter(({ row }) => !used.has(row)), ({ cells }) => nameOf(cells));
    open.forEach(({ cells }, n) => {
      matches[head + n] ??= candidates.get(nameOf(cells))?.shift()?.row;
    });
  }
  return now.map(({ line, cells }, n) => ({ row: matches[n] ?? newRow(file), line, cells }));
}

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

function put(cells: string[], index: number, value: string): string[] {
  while (cells.length < index) cells.push("");
  if (index >= 0) cells[index] = value;
  return cells;
}

/** The items by a key that several of them may share. */
export function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
}

/** The text of a row, without blank cells at its end. */
const rowText = (cells: readonly string[]): string => cells.join("\t").replace(/\t+$/, "");

// Blocks ------------------------------------------------------------------------------------------------------------

/** Cells as a spreadsheet copies them. */
export function blockOf(cells: readonly (readonly string[])[]): string {
  const quoted = (cell: string): string => (/["\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return cells.map((row) => row.map(quoted).join("\t")).join("\n");
}

/** The cells of a block as a spreadsheet copies it, with quotes resolved and blanks at the edges of cells removed. */
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
      const end = closingQuote(source, at);
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
  return rows.map((row) => row.map((value) => value.replace(/[\t\r\n]+/g, " ")));
}

/** The position of the quote that closes the one at `start`, if a cell ends there; otherwise `start`. */
function closingQuote(source: string, start: number): number {
  let at = start + 1;
  while ((at = source.indexOf('"', at)) >= 0) {
    if (source[at + 1] !== '"') return /^[\t\r\n]?$/.test(source[at + 1] ?? "") ? at : start;
    at += 2;
  }
  return start;
}
