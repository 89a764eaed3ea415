// The lexicon, or one table, as the page has it: its sheets, the problems in them, and what the reader can do to them.
import { page, t } from "../page";
import type { Feature, LexiconAnswer, OpenTable, TableProblem } from "../wire";
import type { Column, Mark, Selection } from "./grid";
import { Outbox } from "./outbox";
import { asBlock, oddCells, type PastePlan, planPaste, withoutUnseen } from "./paste";
import { type Edit, groupBy, isBlank, matched, newRow, type PlacedRow, readBlock, readSheet, type Row, type Sheet } from "./sheets";
import { Values } from "./suggestions";
import { FILE, View } from "./view";

const NARROW = 240; // pixels of the widest column; the lexicon has many
const WIDE = 560; // tables have few columns, and some of them hold sentences
const MOST_SETS = 2_000; // changes that may be sent cell by cell, where their rows are too far apart for one block

/** Where sheets come from, and whether the edits of a file are made on this page. */
export interface Source {
  read(): Promise<LexiconAnswer | OpenTable>;
  covers(file: string): boolean;
}

const isTable = page["grid"] === "table";

/** A text that speaks of words on the page of the lexicon, and of rows on that of a table. */
export const ownText = (key: string, values: Record<string, string | number> = {}): string =>
  t(`${isTable ? "table" : "lexicon"}.${key}`, values);

export class Workspace {
  /** The table that the page shows; null for the lexicon. */
  table: OpenTable | null = null;
  readonly sheets = new Map<string, Sheet>();
  readonly view = new View(this.sheets);
  readonly outbox: Outbox;
  readonly values: Values;
  features: readonly Feature[] = [];
  problems: readonly TableProblem[] = [];
  marks = new Marks([], [], () => []);
  onProblems: () => void = () => undefined;

  constructor(
    readonly project: string,
    readonly source: Source,
  ) {
    this.view.widest = isTable ? WIDE : NARROW;
    this.outbox = new Outbox(project, this.sheets);
    this.values = new Values(
      () => [...this.sheets.values()],
      () => this.features,
    );
    this.outbox.onRows = () => {
      this.values.clear();
      this.view.follow();
    };
    this.outbox.onProblems = (problems) => this.takeProblems(problems);
    this.outbox.onStale = () => this.load().catch(() => undefined);
  }

  /** Read everything from the server; rows that are known keep their identity, and edits on their way stay. */
  async load(): Promise<void> {
    const answer = await this.source.read();
    const { may_edit, features, files, problems } = answer;
    if ("paradigms" in answer) this.table = answer;
    this.view.mayEdit = may_edit;
    this.features = features;
    const names = new Set(files.map(({ file }) => file));
    for (const file of this.sheets.keys()) if (!names.has(file) && !this.outbox.has(file)) this.sheets.delete(file);
    let first = false;
    for (const table of files) {
      const { file, revision, columns, rows } = table;
      const sheet = this.sheets.get(file);
      if (!sheet) {
        this.sheets.set(file, readSheet(table));
        first = true;
      } else if (sheet.revision !== revision) {
        Object.assign(sheet, { revision, columns, confirmed: matched(sheet.confirmed, rows, file) });
        this.outbox.rebuild(file);
      }
    }
    if (first) this.view.arrange();
    this.takeProblems(problems);
  }

  get mayEdit(): boolean {
    return this.view.mayEdit;
  }

  sheetOf(row: Row): Sheet {
    return this.sheets.get(row.file)!;
  }

  text(row: Row, column: string): string {
    return this.view.text(row, column);
  }

  has(row: Row, column: string): boolean {
    return column === FILE || (this.sheets.get(row.file)?.columns.includes(column) ?? false);
  }

  /** Store a cell that is being typed as the edit that it will become. */
  typing(row: Row, column: string, value: string | null): void {
    const sheet = this.sheetOf(row);
    const index = sheet.columns.indexOf(column);
    const clean = value?.trim() ?? "";
    if (value === null || index < 0 || (row.ghost && clean === "")) this.outbox.typing = null;
    else if (!row.ghost) this.outbox.typing = { file: row.file, edit: { do: "set", row, column, value: clean } };
    else {
      const cells = [...sheet.columns.map((_, n) => row.cells[n] ?? "")];
      cells[index] = clean;
      const edit: Edit = { do: "add", rows: [row], cells: [cells], after: this.view.above(row) };
      this.outbox.typing = { file: row.file, edit };
    }
    this.outbox.store();
  }

  setCells(changes: readonly { row: Row; column: string; value: string }[]): void {
    const parts = new Map<string, Edit[]>();
    const possible = changes.filter(({ row, column }) => this.has(row, column) && column !== FILE);
    for (const [row, values] of groupBy(possible, (change) => change.row)) {
      const sheet = this.sheetOf(row);
      const cells = [...row.cells];
      for (const { column, value } of values) {
        while (cells.length < sheet.columns.indexOf(column)) cells.push("");
        cells[sheet.columns.indexOf(column)] = value;
      }
      const edits = parts.get(row.file) ?? [];
      parts.set(row.file, edits);
      if (row.ghost && isBlank(cells)) row.cells = cells;
      else if (row.ghost) edits.push({ do: "add", rows: [row], cells: [cells], after: this.view.above(row) });
      else if (isBlank(cells)) {
        this.view.blank(row);
        edits.push({ do: "delete", rows: [row] });
      } else edits.push(...values.map(({ column, value }): Edit => ({ do: "set", row, column, value })));
    }
    this.act(parts);
  }

  /** Show a blank row below another one; it is added to the file when something is written in it. */
  addRow(below: Row | null): Row | null {
    const file = below?.file ?? (this.view.file || [...this.sheets.keys()][0]);
    if (file === undefined) return null;
    return below?.ghost ? below : this.view.addBlank(file, below);
  }

  deleteRows(rows: readonly Row[]): void {
    const parts = new Map<string, Edit[]>();
    const deleted = new Set(rows);
    for (const sheet of this.sheets.values()) {
      const inSheet = sheet.rows.filter((row) => deleted.has(row));
      if (inSheet.length > 0) parts.set(sheet.file, [{ do: "delete", rows: inSheet }]);
    }
    this.view.remove(deleted);
    this.act(parts);
  }

  addColumn(name: string, file: string): void {
    this.act(new Map([[file, [{ do: "column", name }]]]));
  }

  /** What a block would do if it were pasted at a selection. */
  plan(pasted: string, at: Selection, columns: readonly Column[]): PastePlan {
    const { text, unseen } = withoutUnseen(pasted);
    let cells = readBlock(text);
    const odd = oddCells(cells);
    const tall = at.bottom - at.top + 1;
    const wide = at.right - at.left + 1;
    if (cells.length === 1 && cells[0]!.length === 1) {
      cells = Array.from({ length: tall }, () => Array.from({ length: wide }, () => cells[0]![0]!)); // one value fills the selection
    }
    const rows = this.view.rows.slice(at.top);
    const names = columns.map((column) => column.name);
    const file = (rows[0]?.file ?? this.view.file) || [...this.sheets.keys()][0]!;
    const labels = columns.map((column) => column.label);
    const known = this.forms();
    const effects = planPaste(
      cells, rows, names[at.left] ?? "", names, (row) => this.sheetOf(row), this.sheets.get(file)!, labels, (form) => known.has(form),
    );
    return { ...effects, unseen, odd };
  }

  /** What a row is called: its word or, in a table, what its first cells say. */
  nameOf(row: Row): string {
    return this.table ? row.cells.slice(0, 2).filter(Boolean).join(" ").slice(0, 40) : this.text(row, "expression");
  }

  /** All words of the lexicon, without that of a row. */
  forms(except: Row | null = null): Set<string> {
    return new Set(
      [...this.sheets.values()].flatMap(({ rows, columns }) => {
        const at = columns.indexOf("expression");
        return rows.filter((row) => !row.ghost && row !== except).map((row) => row.cells[at] ?? "");
      }),
    );
  }

  /** Whether a plan has too many changes of rows that are too far apart for one block. */
  tooMany(plan: PastePlan): boolean {
    return plan.changes.length > MOST_SETS && asBlock(plan.changes, plan.sheet) === null;
  }

  paste(plan: PastePlan): void {
    const block = plan.changes.length > 20 ? asBlock(plan.changes, plan.sheet) : null;
    const parts = new Map<string, Edit[]>();
    const into = (file: string): Edit[] => {
      if (!parts.has(file)) parts.set(file, []);
      return parts.get(file)!;
    };
    if (block) into(plan.sheet.file).push(block);
    else for (const { row, column, value } of plan.changes) into(row.file).push({ do: "set", row, column, value });
    if (plan.added.length > 0) {
      const rows = plan.added.map((cells) => newRow(plan.sheet.file, cells));
      into(plan.sheet.file).push({ do: "add", rows, cells: plan.added, after: plan.sheet.rows.at(-1) ?? null });
      this.view.append(rows);
    }
    this.act(parts);
  }

  private act(parts: Map<string, Edit[]>): void {
    for (const [file, edits] of parts) if (edits.length === 0) parts.delete(file);
    if (parts.size > 0) this.outbox.act(parts);
    this.values.clear();
    this.view.show();
  }

  private takeProblems(all: readonly TableProblem[]): void {
    const problems = isTable ? all.filter(({ file }) => this.sheets.has(file)) : all;
    this.problems = problems;
    this.marks = new Marks(problems, this.sheets.values(), (sheet) => this.outbox.placed(sheet));
    this.onProblems();
  }
}

/** The problems of each cell, and the row of each line by which problems name them. */
export class Marks {
  private readonly marks = new Map<Row, Map<string, Mark>>();
  private readonly lines = new Map<Row, number>();
  private readonly places = new Map<string, Row>(); // by file and line

  constructor(problems: readonly TableProblem[], sheets: Iterable<Sheet>, placed: (sheet: Sheet) => readonly PlacedRow[]) {
    for (const sheet of sheets) {
      for (const { row, line } of placed(sheet)) {
        this.lines.set(row, line);
        this.places.set(`${sheet.file}:${line}`, row);
      }
    }
    for (const problem of problems) this.put(problem);
  }

  /** What is wrong in a cell; a blank column means the row as a whole. */
  of(row: Row, column: string): Mark | null {
    return this.marks.get(row)?.get(column) ?? null;
  }

  /** The row's line in its file; null while the row is on its way. */
  line(row: Row): number | null {
    return this.lines.get(row) ?? null;
  }

  rowAt(file: string, line: number): Row | null {
    return this.places.get(`${file}:${line}`) ?? null;
  }

  private put({ file, line, column, severity, text }: TableProblem): void {
    const row = this.rowAt(file, line);
    if (!row) return;
    const marks = this.marks.get(row) ?? new Map<string, Mark>();
    this.marks.set(row, marks);
    const before = marks.get(column);
    const worst = before?.severity === "error" ? "error" : severity;
    marks.set(column, { severity: worst, text: before ? `${before.text}\n${text}` : text });
  }
}
