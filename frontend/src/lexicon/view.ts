// What is shown of the sheets: of which file, what a search found, in which order, with blank rows to go on in.
import type { Column } from "./grid_host";
import { testOf } from "./query";
import { newRow, type Row, type Sheet } from "./sheets";
import { columnWidth } from "./widths";

export const FILE = "\u0000file"; // the column that says in which file a row stands: no name of a feature

export interface Sorting {
  readonly column: string;
  readonly down: boolean;
}

const order = new Intl.Collator("zh", { numeric: true });

export class View {
  mayEdit = false;
  file = ""; // the one that is shown; blank: all
  sorting: Sorting | null = null;
  /** The rows in the order in which they are shown. */
  rows: Row[] = [];
  hits: Set<Row> | null = null; // what a search found
  onRows: () => void = () => undefined;

  private seen = new WeakSet<Row>();
  private after = new Map<Row, Row | null>(); // the row below which a ghost was put
  private last: Row | null = null; // the blank row at the end
  private widths: { key: string; of: Map<string, number> } = { key: "", of: new Map() };

  constructor(private readonly all: ReadonlyMap<string, Sheet>) {}

  get sheets(): Sheet[] {
    return [...this.all.values()].filter((sheet) => !this.file || sheet.file === this.file);
  }

  get words(): number {
    return this.sheets.reduce((sum, sheet) => sum + sheet.rows.length, 0);
  }

  text(row: Row, column: string): string {
    if (column === FILE) return shortName(row.file);
    const at = this.all.get(row.file)?.columns.indexOf(column) ?? -1;
    return at < 0 ? "" : (row.cells[at] ?? "");
  }

  columns(): string[] {
    return [...new Set(this.sheets.flatMap((sheet) => sheet.columns))];
  }

  /** The columns with the widths that nearly all of their texts need; these stay while others are not asked for. */
  layout(label: (column: string) => string): Column[] {
    const names = [...this.columns(), ...(this.file || this.all.size < 2 ? [] : [FILE])];
    const key = [this.file, ...names].join("\t");
    if (key !== this.widths.key) {
      const rows = this.sheets.flatMap((sheet) => sheet.rows);
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
    let rows = this.sheets.flatMap((sheet) => sheet.rows);
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
    this.after.clear();
    this.show(rows);
  }

  /** The rows that meet a search without the server. */
  search(query: string, { unlessNone = false } = {}): void {
    const test = testOf(query, this.columns());
    const found = this.sheets.flatMap((sheet) => sheet.rows.filter((row) => test(row, sheet)));
    if (unlessNone && found.length === 0) return; // the server may know better: what a value is a kind of
    this.hits = query.trim() ? new Set(found) : null;
    this.arrange();
  }

  /** Shows these rows, and a blank one to go on in. */
  show(rows: Row[] = this.rows): void {
    this.rows = rows;
    for (const sheet of this.all.values()) for (const row of sheet.rows) this.seen.add(row); // those that come later are new
    this.end();
    this.onRows();
  }

  /** Rows came or went by another hand: what is shown stays where it is, and new rows are put below their neighbours. */
  follow(): void {
    const there = new Set(this.sheets.flatMap((sheet) => sheet.rows));
    const rows = this.rows.filter((row) => row.ghost || there.has(row));
    const visible = new Set(rows);
    for (const sheet of this.sheets) {
      let above: Row | null = null;
      for (const row of sheet.rows) {
        if (!visible.has(row) && this.seen.has(row)) continue; // left out by the search
        if (!visible.has(row)) {
          const first = rows.findIndex((one) => one.file === sheet.file);
          rows.splice(above ? rows.indexOf(above) + 1 : Math.max(0, first), 0, row);
          this.hits?.add(row);
        }
        above = row;
      }
    }
    this.show(rows);
  }

  // Blank rows: each is in its file once something is written in it.

  addBlank(file: string, below: Row | null): Row {
    const row = newRow(file, [], true);
    this.after.set(row, below);
    this.rows.splice(below ? this.rows.indexOf(below) + 1 : 0, 0, row);
    this.onRows();
    return row;
  }

  /** The blank row at the end of a file: the last of all, or one below the rows that are shown of this file. */
  lastBlank(file: string): Row {
    if (this.last?.file === file) return this.last;
    const place = this.rows.findLastIndex((row) => row.file === file);
    const below = this.rows[place];
    if (below && this.endsFile(below)) return below;
    const row = newRow(file, [], true); // without a row above it, it becomes the last
    this.rows.splice(place < 0 ? this.rows.length : place + 1, 0, row);
    this.onRows();
    return row;
  }

  /** Whether what is written in a row is added at the end of its file. */
  endsFile(row: Row): boolean {
    return row.ghost && !this.after.has(row);
  }

  /** A blank row in the place of one that is deleted. */
  blank(row: Row): void {
    const rows = this.all.get(row.file)?.rows ?? [];
    const ghost = newRow(row.file, [], true);
    this.after.set(ghost, rows[rows.indexOf(row) - 1] ?? null);
    const at = this.rows.indexOf(row);
    if (at >= 0) this.rows[at] = ghost;
  }

  /** The row below which a blank one becomes a row: the nearest above it that is still there. */
  above(ghost: Row): Row | null {
    if (this.endsFile(ghost)) return this.all.get(ghost.file)?.rows.at(-1) ?? null;
    let above = this.after.get(ghost) ?? null;
    while (above?.ghost) above = this.after.get(above) ?? null;
    return above;
  }

  /** Rows that were pasted below all others. */
  append(rows: readonly Row[]): void {
    for (const row of rows) this.hits?.add(row);
    this.rows.splice(this.last ? this.rows.indexOf(this.last) : this.rows.length, 0, ...rows);
  }

  without(rows: ReadonlySet<Row>): void {
    this.rows = this.rows.filter((row) => !rows.has(row) || row === this.last);
  }

  /** Under the rows of one file there is always a blank one. */
  private end(): void {
    const file = this.file || (this.all.size === 1 ? [...this.all.keys()][0]! : "");
    if (!this.mayEdit || !file) {
      this.last = null;
      return;
    }
    if (this.last?.ghost && this.rows.at(-1) === this.last && this.last.file === file) return;
    this.last = newRow(file, [], true);
    this.rows.push(this.last);
  }
}

/** A file without the folder and the ending that they all have. */
export function shortName(file: string): string {
  return file.replace(/^lexicon\//, "").replace(/\.tsv$/, "");
}
