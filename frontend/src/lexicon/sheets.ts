// A sheet: one file of the lexicon as the grid shows it. It is what the server has confirmed, with the edits that are on
// their way applied to it. Edits name rows by themselves, so that they stay right when others move lines; the server is
// told lines, worked out just before it is asked.
import type { Change } from "../shapes";
import type { TableAnswer, TableOp, WireRow } from "./calls";

export interface Row {
  readonly key: number;
  readonly file: string;
  cells: string[];
  /** Not in the file yet: the row begins to exist with its first word. */
  ghost: boolean;
}

/** A row as the server has it; `line` counts from 1, and line 1 is the header. */
export interface Placed {
  readonly row: Row;
  readonly line: number;
  readonly cells: readonly string[];
}

export interface Sheet {
  readonly file: string;
  revision: number | null; // none: the file begins with its first row
  columns: string[];
  confirmed: Placed[];
  rows: Row[];
}

export type Edit =
  | { readonly do: "set"; readonly row: Row; readonly column: string; readonly value: string }
  | { readonly do: "add"; readonly rows: readonly Row[]; readonly cells: readonly (readonly string[])[]; readonly after: Row | null }
  | { readonly do: "delete"; readonly rows: readonly Row[] }
  | { readonly do: "column"; readonly name: string }
  | { readonly do: "paste"; readonly rows: readonly Row[]; readonly column: string; readonly cells: readonly (readonly string[])[] }
  | { readonly do: "changes"; readonly changes: readonly Change[] };

let keys = 0;

export function newRow(file: string, cells: readonly string[] = [], ghost = false): Row {
  return { key: ++keys, file, cells: [...cells], ghost };
}

export function readSheet(file: string, revision: number | null, columns: readonly string[], rows: readonly WireRow[]): Sheet {
  const confirmed = rows.map(([line, ...cells]) => ({ row: newRow(file, cells), line, cells }));
  return { file, revision, columns: [...columns], confirmed, rows: confirmed.map((placed) => placed.row) };
}

/** A text as a table, as the server reads it: blank lines are no rows. */
function readTable(text: string): { columns: string[]; rows: WireRow[] } {
  const [head = [], ...lines] = text.split("\n").map((line) => line.replace(/\r$/, "").split("\t"));
  const rows = lines.map((cells, n): WireRow => [n + 2, ...cells]).filter(([, ...cells]) => !isBlank(cells as string[]));
  return { columns: head.map((name) => name.replace(/^\ufeff/, "")), rows };
}

/** Shows an edit in the sheet at once. */
export function show(sheet: Sheet, edit: Edit): void {
  switch (edit.do) {
    case "set":
      put(edit.row.cells, sheet.columns.indexOf(edit.column), edit.value);
      return;
    case "add": {
      const known = new Set(edit.rows);
      const rows = sheet.rows.filter((row) => !known.has(row));
      const at = edit.after === null ? 0 : rows.indexOf(edit.after) + 1;
      edit.rows.forEach((row, n) => {
        row.cells = [...(edit.cells[n] ?? [])];
        row.ghost = false;
      });
      rows.splice(at, 0, ...edit.rows);
      sheet.rows = rows;
      return;
    }
    case "delete": {
      const gone = new Set(edit.rows);
      sheet.rows = sheet.rows.filter((row) => !gone.has(row));
      return;
    }
    case "column":
      if (!sheet.columns.includes(edit.name)) sheet.columns.push(edit.name);
      return;
    case "paste": {
      const first = sheet.columns.indexOf(edit.column);
      edit.rows.forEach((row, n) => edit.cells[n]?.forEach((cell, at) => put(row.cells, first + at, cell)));
      return;
    }
    case "changes": // shown when the server answers
  }
}

/** What is shown, made anew from what is confirmed and what is still on its way. */
export function rebuild(sheet: Sheet, waiting: readonly Edit[]): void {
  sheet.rows = sheet.confirmed.map(({ row, cells }) => {
    row.cells = [...cells];
    row.ghost = false;
    return row;
  });
  for (const edit of waiting) show(sheet, edit);
}

/** The edits as the server is told them, one after the other, and the rows as they then are. */
export function walk(sheet: Sheet, from: readonly Placed[], edits: readonly Edit[]): { ops: TableOp[]; placed: Placed[] } {
  let placed = [...from];
  const columns = [...sheet.columns];
  const ops: TableOp[] = [];
  for (const edit of edits) {
    switch (edit.do) {
      case "set": {
        const at = placed.findIndex((one) => one.row === edit.row);
        const one = placed[at];
        if (one === undefined) break; // the row was deleted by somebody else
        ops.push({ do: "set", line: one.line, column: edit.column, value: edit.value });
        placed[at] = { ...one, cells: put([...one.cells], columns.indexOf(edit.column), edit.value) };
        break;
      }
      case "add": {
        const at = edit.after === null ? -1 : placed.findIndex((one) => one.row === edit.after);
        const after = placed[at]?.line ?? (edit.after === null ? 1 : (placed.at(-1)?.line ?? 1));
        const n = edit.rows.length;
        ops.push({ do: "add", rows: edit.cells.map((cells) => [...cells]), after });
        const added = edit.rows.map((row, i) => ({ row, line: after + 1 + i, cells: [...(edit.cells[i] ?? [])] }));
        const before = placed.filter((one) => one.line <= after);
        const below = placed.filter((one) => one.line > after).map((one) => ({ ...one, line: one.line + n }));
        placed = [...before, ...added, ...below];
        break;
      }
      case "delete": {
        const gone = new Set(edit.rows);
        const lines = placed.filter((one) => gone.has(one.row)).map((one) => one.line);
        if (lines.length === 0) break;
        ops.push({ do: "delete", lines });
        let shift = 0;
        placed = placed.flatMap((one) => {
          if (!gone.has(one.row)) return [{ ...one, line: one.line - shift }];
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
        const line = placed.find((one) => one.row === edit.rows[0])?.line;
        if (line === undefined) break;
        ops.push({ do: "paste", block: blockOf(edit.cells), line, column: edit.column });
        const cells = new Map(edit.rows.map((row, n) => [row, edit.cells[n] ?? []]));
        placed = placed.map((one) => {
          const fresh = [...one.cells];
          cells.get(one.row)?.forEach((cell, n) => put(fresh, first + n, cell));
          return { ...one, cells: fresh };
        });
        break;
      }
      case "changes":
        ops.push({ do: "changes", changes: [...edit.changes] });
    }
  }
  return { ops, placed };
}

/** The same for several actions, told one by one. */
export function walkActions(sheet: Sheet, actions: readonly (readonly Edit[])[]): TableOp[][] {
  let from: readonly Placed[] = sheet.confirmed;
  return actions.map((edits) => {
    const { ops, placed } = walk(sheet, from, edits);
    from = placed;
    return ops;
  });
}

/** The server has made some edits, which led to `placed`; `coming` are those on their way after them. */
export function confirm(sheet: Sheet, placed: readonly Placed[], answer: TableAnswer, coming: readonly Edit[]): void {
  const added = coming.flatMap((edit) => (edit.do === "column" ? [edit.name] : []));
  sheet.revision = answer.revision;
  sheet.columns = [...answer.columns, ...added.filter((name) => !answer.columns.includes(name))];
  if (answer.moved) sheet.confirmed = matched(placed, answer.rows_changed, sheet.file);
  else {
    const rows = new Map(answer.rows_changed.map(([line, ...cells]) => [line, cells]));
    sheet.confirmed = placed.map((one) => ({ ...one, cells: rows.get(one.line) ?? one.cells }));
  }
}

/** The sheet as a revision has it. */
export function goBack(sheet: Sheet, { revision, text }: { revision: number; text: string }): void {
  const { columns, rows } = readTable(text);
  sheet.revision = revision;
  sheet.columns = columns;
  sheet.confirmed = matched(sheet.confirmed, rows, sheet.file);
}

/** Rows that came from the server, each as the row it was; only what nobody had before is a new one. */
export function matched(old: readonly Placed[], rows: readonly WireRow[], file: string): Placed[] {
  const fresh = rows.map(([line, ...cells]) => ({ line, cells }));
  const found: (Row | undefined)[] = new Array(fresh.length);
  const same = (a: number, b: number): boolean => text(old[a]?.cells) === text(fresh[b]?.cells);
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && same(start, start)) {
    found[start] = old[start]?.row;
    start += 1;
  }
  let end = 0;
  while (end < Math.min(old.length, fresh.length) - start && same(old.length - 1 - end, fresh.length - 1 - end)) {
    found[fresh.length - 1 - end] = old[old.length - 1 - end]?.row;
    end += 1;
  }
  const left = old.slice(start, old.length - end);
  const open = fresh.slice(start, fresh.length - end);
  const one = left.length === 1 && open.length === 1;
  for (const by of one ? [() => ""] : [text, (cells: readonly string[] | undefined) => cells?.[0] ?? ""]) {
    const places = new Map<string, Row[]>();
    const used = new Set(found);
    for (const placed of left) {
      if (used.has(placed.row)) continue;
      const name = by(placed.cells);
      places.set(name, [...(places.get(name) ?? []), placed.row]);
    }
    open.forEach((row, n) => {
      found[start + n] ??= places.get(by(row.cells))?.shift();
    });
  }
  return fresh.map(({ line, cells }, n) => ({ row: found[n] ?? newRow(file), line, cells }));
}

/** Cells as a spreadsheet copies them. */
export function blockOf(cells: readonly (readonly string[])[]): string {
  const quoted = (cell: string): string => (/["\t\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return cells.map((row) => row.map(quoted).join("\t")).join("\n");
}

export function isBlank(cells: readonly string[]): boolean {
  return cells.every((cell) => cell.trim() === "");
}

function put(cells: string[], at: number, value: string): string[] {
  while (cells.length < at) cells.push("");
  if (at >= 0) cells[at] = value;
  return cells;
}

function text(cells: readonly string[] | undefined): string {
  return (cells ?? []).join("\t").replace(/\t+$/, "");
}
