// The view of the sheets: which file is shown, which rows match the search, in which order, and blank rows to write in.
import type { Column } from "./grid";
import { newRow, type Row, type Sheet } from "./sheets";

export const FILE = "\u0000file"; // the column with the file of each row; no feature can have this name

export interface Sorting {
  readonly column: string;
  readonly down: boolean;
}

const order = new Intl.Collator("zh", { numeric: true });

export class View {
  mayEdit = false;
  widest = 240; // pixels of a column
  file = ""; // blank: all files
  sorting: Sorting | null = null;
  /** The rows in the order shown. */
  rows: Row[] = [];
  hits: Set<Row> | null = null; // the rows that match the search; null without a search
  onRows: () => void = () => undefined;

  private seen = new WeakSet<Row>();
  private after = new Map<Row, Row | null>(); // the row above each blank row that was inserted
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

  /** The columns with the widths that nearly all of their texts need; widths stay until the columns change. */
  layout(label: (column: string) => string): Column[] {
    const names = [...this.columns(), ...(this.file || this.all.size < 2 ? [] : [FILE])];
    const key = [this.file, ...names].join("\t");
    if (key !== this.widths.key) {
      const rows = this.sheets.flatMap((sheet) => sheet.rows);
      const texts = (name: string): string[] => rows.map((row) => this.text(row, name));
      this.widths = { key, of: new Map(names.map((name) => [name, columnWidth(label(name), texts(name), this.widest)])) };
    }
    return names.map((name) => {
      const sort = this.sorting?.column === name ? (this.sorting.down ? "descending" : "ascending") : "none";
      return { name, label: label(name), width: this.widths.of.get(name) ?? 80, sort };
    });
  }

  /** Work out which rows are shown, and in which order. */
  arrange(): void {
    let rows = this.sheets.flatMap((sheet) => sheet.rows);
    if (this.hits) rows = rows.filter((row) => this.hits?.has(row));
    const { sorting } = this;
    if (sorting) {
      const sign = sorting.down ? -1 : 1;
      rows.sort((a, b) => {
        const [first, second] = [this.text(a, sorting.column), this.text(b, sorting.column)];
        if (!first || !second) return first ? -1 : second ? 1 : 0; // blank cells come last in both orders
        return sign * order.compare(first, second);
      });
    }
    this.after.clear();
    this.show(rows);
  }

  /** Search without the server. */
  search(query: string, { unlessNone = false } = {}): void {
    const test = testOf(query, this.columns());
    const hits = this.sheets.flatMap((sheet) => sheet.rows.filter((row) => test(row, sheet)));
    if (unlessNone && hits.length === 0) return; // the server may find more: it knows the kinds that values belong to
    this.hits = query.trim() ? new Set(hits) : null;
    this.arrange();
  }

  /** Show these rows, and a blank one to write in. */
  show(rows: Row[] = this.rows): void {
    this.rows = rows;
    for (const sheet of this.all.values()) for (const row of sheet.rows) this.seen.add(row); // rows that come later are new
    this.end();
    this.onRows();
  }

  /** Follow rows that somebody else added or removed: shown rows stay in place, and new rows go below their neighbours. */
  follow(): void {
    const existing = new Set(this.sheets.flatMap((sheet) => sheet.rows));
    const rows = this.rows.filter((row) => row.ghost || existing.has(row));
    const visible = new Set(rows);
    for (const sheet of this.sheets) {
      let above: Row | null = null;
      for (const row of sheet.rows) {
        if (!visible.has(row) && this.seen.has(row)) continue; // hidden by the search
        if (!visible.has(row)) {
          const first = rows.findIndex((shown) => shown.file === sheet.file);
          rows.splice(above ? rows.indexOf(above) + 1 : Math.max(0, first), 0, row);
          this.hits?.add(row);
        }
        above = row;
      }
    }
    this.show(rows);
  }

  // Blank rows: each is added to its file when something is written in it.

  addBlank(file: string, below: Row | null): Row {
    const row = newRow(file, [], true);
    this.after.set(row, below);
    this.rows.splice(below ? this.rows.indexOf(below) + 1 : 0, 0, row);
    this.onRows();
    return row;
  }

  /** The blank row at the end of a file: the last of all, or one below the shown rows of this file. */
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

  /** Whether a row is blank and will be added at the end of its file. */
  endsFile(row: Row): boolean {
    return row.ghost && !this.after.has(row);
  }

  /** Replace a row that is deleted by a blank one. */
  blank(row: Row): void {
    const rows = this.all.get(row.file)?.rows ?? [];
    const ghost = newRow(row.file, [], true);
    this.after.set(ghost, rows[rows.indexOf(row) - 1] ?? null);
    const at = this.rows.indexOf(row);
    if (at >= 0) this.rows[at] = ghost;
  }

  /** The row below which a blank one will be added: the nearest one above it that still exists. */
  above(ghost: Row): Row | null {
    if (this.endsFile(ghost)) return this.all.get(ghost.file)?.rows.at(-1) ?? null;
    let above = this.after.get(ghost) ?? null;
    while (above?.ghost) above = this.after.get(above) ?? null;
    return above;
  }

  /** Show rows that were pasted below all others. */
  append(rows: readonly Row[]): void {
    for (const row of rows) this.hits?.add(row);
    this.rows.splice(this.last ? this.rows.indexOf(this.last) : this.rows.length, 0, ...rows);
  }

  /** Stop showing rows; the blank one at the end stays. */
  remove(rows: ReadonlySet<Row>): void {
    this.rows = this.rows.filter((row) => !rows.has(row) || row === this.last);
  }

  /** Keep a blank row below the rows of a single file. */
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

/** A file's name without the folder and extension that all files of the lexicon share. */
export function shortName(file: string): string {
  return file.replace(/^lexicon\//, "").replace(/\.tsv$/, "");
}

// Search ------------------------------------------------------------------------------------------------------------
// Plain text is searched here at once. Conditions are for the server, which knows the kinds that values belong to; while
// it is away they are tested here, by the values in the cells.

type Test = (row: Row, sheet: Sheet) => boolean;

/** Whether a query contains conditions on features, as rules do. */
export function hasConditions(query: string, columns: readonly string[]): boolean {
  return terms(query).some((term) => columns.includes(term.split(":", 1)[0] ?? "") && term.includes(":"));
}

/** A test for rows that match every term of a query. */
export function testOf(query: string, columns: readonly string[]): Test {
  const tests = terms(query).map((term) => {
    const [name = "", wanted] = split(term);
    if (wanted !== undefined && columns.includes(name)) return wanted === "" ? always : condition(name, wanted);
    const text = term.replace(/^"|"$/g, "").toLowerCase();
    return (row: Row) => row.cells.some((cell) => cell.toLowerCase().includes(text));
  });
  return (row, sheet) => tests.every((test) => test(row, sheet));
}

const always: Test = () => true;

function condition(name: string, wanted: string): Test {
  const not = wanted.startsWith("!");
  const values = (not ? wanted.slice(1) : wanted).split("/");
  return (row, sheet) => {
    const cell = row.cells[sheet.columns.indexOf(name)] ?? "";
    if (wanted === "-") return cell === "";
    if (cell === "" || wanted === "*") return cell !== "";
    const has = cell.split("/").some((value) => values.includes(value));
    return has !== not;
  };
}

/** The terms of a query, separated by blanks; a quoted term may contain blanks. */
function terms(query: string): string[] {
  return query.match(/"[^"]*"?|[^\s]+/g) ?? [];
}

function split(term: string): [string, string?] {
  const at = term.indexOf(":");
  return at < 0 ? [term] : [term.slice(0, at), term.slice(at + 1)];
}

/** The term of a query that ends at the cursor: where it starts and, in a condition, the feature and the value. */
export function termAt(query: string, cursor: number): { start: number; name: string; value: string | null } {
  const start = query.slice(0, cursor).search(/\S*$/);
  const [name = "", rest] = split(query.slice(start, cursor));
  if (rest === undefined) return { start, name, value: null };
  const value = rest.replace(/^!/, "").split("/").at(-1) ?? "";
  return { start: cursor - value.length, name, value };
}

// Widths ------------------------------------------------------------------------------------------------------------

const STEP = 4;

/** The width that a column needs for its name and for all but the widest 2% of its texts. */
export function columnWidth(name: string, texts: readonly string[], widest = 240): number {
  const counts: number[] = [];
  let filled = 0;
  for (const text of texts) {
    if (text === "") continue;
    const bucket = Math.min(widest / STEP, Math.ceil(width(text) / STEP));
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    filled += 1;
  }
  let left = filled / 50;
  let bucket = counts.length - 1;
  while (bucket > 0 && left >= (counts[bucket] ?? 0)) left -= counts[bucket--] ?? 0;
  return Math.ceil(Math.min(widest, Math.max(width(name) + 26, bucket * STEP + 22)));
}

/** The approximate width of a text in pixels, without drawing it: Chinese characters are twice as wide. */
function width(text: string): number {
  let sum = 0;
  for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at) > 0x2e80 ? 14.5 : 7.7;
  return sum;
}
