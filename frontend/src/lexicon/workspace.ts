// The lexicon as the page has it: its sheets, what is shown of them and in which order, and what can be done to them.
import { Values } from "./values";
import { planPaste, readBlock, type PastePlan } from "./blocks";
import { readLexicon, type Feature, type TableProblem, type WireLexicon } from "./calls";
import type { Column, Selection } from "./grid";
import { Marks } from "./marks";
import { Outbox } from "./outbox";
import { asBlock, byRow } from "./pasting";
import { testOf } from "./query";
import { isBlank, matched, newRow, readSheet, type Edit, type Row, type Sheet } from "./sheets";
import { columnWidth } from "./widths";

export const FILE = "\u0000file"; // the column that says in which file a row stands: no name of a feature

export interface Sorting {
  readonly column: string;
  readonly down: boolean;
}

const MOST_SETS = 2_000; // cells of rows that do not stand together, which must be sent one by one
const order = new Intl.Collator("zh", { numeric: true });

export class Workspace {
  readonly sheets = new Map<string, Sheet>();
  readonly outbox: Outbox;
  readonly values: Values;
  features: readonly Feature[] = [];
  problems: readonly TableProblem[] = [];
  mayEdit = false;
  file = ""; // the one that is shown; blank: all
  sorting: Sorting | null = null;
  /** The rows in the order in which they are shown. */
  rows: Row[] = [];
  hits: Set<Row> | null = null; // what a search found
  onRows: () => void = () => undefined;
  onProblems: () => void = () => undefined;
  marks = new Marks([], [], () => []);

  private seen = new WeakSet<Row>();
  private after = new Map<Row, Row | null>(); // the row below which a ghost was put
  private last: Row | null = null; // the blank row at the end
  private widths: { key: string; of: Map<string, number> } = { key: "", of: new Map() };

  constructor(readonly project: string) {
    this.outbox = new Outbox(project, this.sheets);
    this.values = new Values(
      () => [...this.sheets.values()],
      () => this.features,
    );
    this.outbox.onRows = () => this.rearrange();
    this.outbox.onProblems = (found) => this.takeProblems(found);
    this.outbox.onStale = () => void this.reload().catch(() => undefined);
  }

  async open(): Promise<void> {
    this.take(await readLexicon(this.project));
  }

  /** Reads everything anew; rows stay who they are, and edits on their way stay. */
  async reload(): Promise<void> {
    this.take(await readLexicon(this.project));
  }

  get words(): number {
    let sum = 0;
    for (const sheet of this.shown()) sum += sheet.rows.length;
    return sum;
  }

  sheetOf(row: Row): Sheet {
    return this.sheets.get(row.file)!;
  }

  text(row: Row, column: string): string {
    if (column === FILE) return shortName(row.file);
    const at = this.sheets.get(row.file)?.columns.indexOf(column) ?? -1;
    return at < 0 ? "" : (row.cells[at] ?? "");
  }

  has(row: Row, column: string): boolean {
    return column === FILE || (this.sheets.get(row.file)?.columns.includes(column) ?? false);
  }

  columns(): string[] {
    return [...new Set(this.shown().flatMap((sheet) => sheet.columns))];
  }

  /** The columns with the widths that nearly all of their texts need; these stay while others are not asked for. */
  layout(label: (column: string) => string): Column[] {
    const names = [...this.columns(), ...(this.file || this.sheets.size < 2 ? [] : [FILE])];
    const key = [this.file, ...names].join("\t");
    if (key !== this.widths.key) {
      const rows = this.shown().flatMap((sheet) => sheet.rows);
      const texts = (name: string): string[] => rows.map((row) => this.text(row, name));
      this.widths = { key, of: new Map(names.map((name) => [name, columnWidth(label(name), texts(name))])) };
    }
    return names.map((name) => {
      const sort = this.sorting?.column === name ? (this.sorting.down ? "descending" : "ascending") : "none";
      return { name, label: label(name), width: this.widths.of.get(name) ?? 80, sort };
    });
  }

  /** Works out anew what is shown: the file, what was found, the order. */
  arrange(): void {
    let rows = this.shown().flatMap((sheet) => sheet.rows);
    if (this.hits) rows = rows.filter((row) => this.hits?.has(row));
    const { sorting } = this;
    if (sorting) {
      const sign = sorting.down ? -1 : 1;
      rows.sort((a, b) => {
        const [one, other] = [this.text(a, sorting.column), this.text(b, sorting.column)];
        if (!one || !other) return one ? -1 : other ? 1 : 0; // blank cells come last, both ways
        return sign * order.compare(one, other);
      });
    }
    this.rows = rows;
    this.after.clear();
    this.remember();
    this.ending();
    this.onRows();
  }

  /** The rows that meet a search without the server. */
  search(query: string, { unlessNone = false } = {}): void {
    const test = testOf(query, this.columns());
    const all = this.shown().flatMap((sheet) => sheet.rows.filter((row) => test(row, sheet)));
    if (unlessNone && all.length === 0) return; // the server may know better: what a value is a kind of
    this.hits = query.trim() ? new Set(all) : null;
    this.arrange();
  }

  /** A cell that is being typed: kept in the browser as the edit that it will be. */
  typing(row: Row, column: string, value: string | null): void {
    const sheet = this.sheetOf(row);
    const at = sheet.columns.indexOf(column);
    const clean = value?.trim() ?? "";
    if (value === null || at < 0 || (row.ghost && clean === "")) this.outbox.typing = null;
    else if (!row.ghost) this.outbox.typing = { file: row.file, edit: { do: "set", row, column, value: clean } };
    else {
      const cells = [...sheet.columns.map((_, n) => row.cells[n] ?? "")];
      cells[at] = clean;
      const edit: Edit = { do: "add", rows: [row], cells: [cells], after: this.place(row, sheet) };
      this.outbox.typing = { file: row.file, edit };
    }
    this.outbox.keep();
  }

  setCells(changes: readonly { row: Row; column: string; value: string }[]): void {
    const parts = new Map<string, Edit[]>();
    for (const [row, mine] of byRow(changes.filter(({ row, column }) => this.has(row, column) && column !== FILE))) {
      const sheet = this.sheetOf(row);
      const cells = [...row.cells];
      for (const { column, value } of mine) {
        while (cells.length < sheet.columns.indexOf(column)) cells.push("");
        cells[sheet.columns.indexOf(column)] = value;
      }
      const edits = parts.get(row.file) ?? [];
      parts.set(row.file, edits);
      if (row.ghost && isBlank(cells)) row.cells = cells;
      else if (row.ghost) edits.push({ do: "add", rows: [row], cells: [cells], after: this.place(row, sheet) });
      else if (isBlank(cells)) edits.push(this.emptied(row));
      else edits.push(...mine.map(({ column, value }): Edit => ({ do: "set", row, column, value })));
    }
    this.act(parts);
  }

  /** A blank row below another; it is in the file once something is written in it. */
  addRow(below: Row | null): Row | null {
    const file = below?.file ?? (this.file || [...this.sheets.keys()][0]);
    if (file === undefined) return null;
    if (below?.ghost) return below;
    const row = newRow(file, [], true);
    this.after.set(row, below);
    this.rows.splice(below ? this.rows.indexOf(below) + 1 : 0, 0, row);
    this.onRows();
    return row;
  }

  deleteRows(rows: readonly Row[]): void {
    const parts = new Map<string, Edit[]>();
    const gone = new Set(rows);
    for (const sheet of this.sheets.values()) {
      const mine = sheet.rows.filter((row) => gone.has(row));
      if (mine.length > 0) parts.set(sheet.file, [{ do: "delete", rows: mine }]);
    }
    this.rows = this.rows.filter((row) => !gone.has(row) || row === this.last);
    this.act(parts);
  }

  addColumn(name: string, file: string): void {
    this.act(new Map([[file, [{ do: "column", name }]]]));
  }

  /** What a block would do if it were pasted at a place. */
  plan(text: string, at: Selection, columns: readonly Column[]): PastePlan {
    let cells = readBlock(text);
    const tall = at.bottom - at.top + 1;
    const wide = at.right - at.left + 1;
    if (cells.length === 1 && cells[0]!.length === 1) {
      cells = Array.from({ length: tall }, () => Array.from({ length: wide }, () => cells[0]![0]!)); // one value fills all
    }
    const rows = this.rows.slice(at.top);
    const names = columns.map((column) => column.name);
    const file = (rows[0]?.file ?? this.file) || [...this.sheets.keys()][0]!;
    return planPaste(cells, rows, names[at.left] ?? "", names, (row) => this.sheetOf(row), this.sheets.get(file)!);
  }

  /** Whether a plan can be carried out: rows far apart are sent cell by cell, and of those there may not be too many. */
  tooMany(plan: PastePlan): boolean {
    return plan.changes.length > MOST_SETS && asBlock(plan.changes, plan.sheet) === null;
  }

  paste(plan: PastePlan): void {
    const whole = plan.changes.length > 20 ? asBlock(plan.changes, plan.sheet) : null;
    const parts = new Map<string, Edit[]>();
    const into = (file: string): Edit[] => {
      if (!parts.has(file)) parts.set(file, []);
      return parts.get(file)!;
    };
    if (whole) into(plan.sheet.file).push(whole);
    else for (const { row, column, value } of plan.changes) into(row.file).push({ do: "set", row, column, value });
    if (plan.added.length > 0) {
      const rows = plan.added.map((cells) => newRow(plan.sheet.file, cells));
      into(plan.sheet.file).push({ do: "add", rows, cells: plan.added, after: plan.sheet.rows.at(-1) ?? null });
      for (const row of rows) this.hits?.add(row);
      const end = this.last ? this.rows.indexOf(this.last) : this.rows.length;
      this.rows.splice(end, 0, ...rows);
    }
    this.act(parts);
  }

  private act(parts: Map<string, Edit[]>): void {
    for (const [file, edits] of parts) if (edits.length === 0) parts.delete(file);
    if (parts.size > 0) this.outbox.act(parts);
    this.values.forget();
    this.remember();
    this.ending();
    this.onRows();
  }

  /** A row that has become blank is no row of the file any more; one takes its place on the screen. */
  private emptied(row: Row): Edit {
    const sheet = this.sheetOf(row);
    const ghost = newRow(row.file, [], true);
    this.after.set(ghost, sheet.rows[sheet.rows.indexOf(row) - 1] ?? null);
    const at = this.rows.indexOf(row);
    if (at >= 0) this.rows[at] = ghost;
    return { do: "delete", rows: [row] };
  }

  /** The row below which a ghost becomes a row: the nearest above it that is still there. */
  private place(ghost: Row, sheet: Sheet): Row | null {
    if (ghost === this.last || !this.after.has(ghost)) return sheet.rows.at(-1) ?? null;
    let above = this.after.get(ghost) ?? null;
    while (above?.ghost) above = this.after.get(above) ?? null;
    return above;
  }

  /** Under the rows of one file there is always a blank one to go on in. */
  private ending(): void {
    const file = this.file || (this.sheets.size === 1 ? [...this.sheets.keys()][0]! : "");
    if (!this.mayEdit || !file) {
      this.last = null;
      return;
    }
    if (this.last?.ghost && this.rows.at(-1) === this.last && this.last.file === file) return;
    this.last = newRow(file, [], true);
    this.rows.push(this.last);
  }

  private shown(): Sheet[] {
    return [...this.sheets.values()].filter((sheet) => !this.file || sheet.file === this.file);
  }

  /** Rows came or went by another hand: what is shown stays where it is, and new rows are put below their neighbours. */
  private rearrange(): void {
    this.values.forget();
    const there = new Set(this.shown().flatMap((sheet) => sheet.rows));
    const rows = this.rows.filter((row) => row.ghost || there.has(row));
    const visible = new Set(rows);
    for (const sheet of this.shown()) {
      let above: Row | null = null;
      for (const row of sheet.rows) {
        if (!visible.has(row) && this.seen.has(row)) continue; // left out by the search
        if (!visible.has(row)) {
          rows.splice(above ? rows.indexOf(above) + 1 : Math.max(0, rows.findIndex((one) => one.file === sheet.file)), 0, row);
          this.hits?.add(row);
        }
        above = row;
      }
    }
    this.rows = rows;
    this.remember();
    this.ending();
    this.onRows();
  }

  /** All rows that there are have been seen: those that come later are new. */
  private remember(): void {
    for (const sheet of this.sheets.values()) for (const row of sheet.rows) this.seen.add(row);
  }

  private take(lexicon: WireLexicon): void {
    this.mayEdit = lexicon.may_edit;
    this.features = lexicon.features;
    const names = new Set(lexicon.files.map(({ file }) => file));
    for (const file of this.sheets.keys()) if (!names.has(file)) this.sheets.delete(file);
    let first = false;
    for (const { file, revision, columns, rows } of lexicon.files) {
      const sheet = this.sheets.get(file);
      if (!sheet) {
        this.sheets.set(file, readSheet(file, revision, columns, rows));
        first = true;
      } else if (sheet.revision !== revision) {
        this.outbox.fresh(file, revision, columns, matched(sheet.confirmed, rows, file));
      }
    }
    if (first) this.arrange();
    this.takeProblems(lexicon.problems);
  }

  private takeProblems(found: readonly TableProblem[]): void {
    this.problems = found;
    this.marks = new Marks(found, this.sheets.values(), (sheet) => this.outbox.placed(sheet));
    this.onProblems();
  }
}

/** A file without the folder and the ending that they all have. */
export function shortName(file: string): string {
  return file.replace(/^lexicon\//, "").replace(/\.tsv$/, "");
}
