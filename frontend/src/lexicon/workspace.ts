// The lexicon as the page has it: its sheets, and what can be done to them.
import { oddCells, planPaste, readBlock, seen, type PastePlan } from "./blocks";
import { readLexicon, type Feature, type TableProblem, type WireLexicon } from "./calls";
import type { Column, Selection } from "./grid_host";
import { Marks } from "./marks";
import { Outbox } from "./outbox";
import { Recovery } from "./recovery";
import { asBlock, byRow } from "./pasting";
import { isBlank, matched, newRow, readSheet, type Edit, type Row, type Sheet } from "./sheets";
import { Values } from "./values";
import { FILE, View } from "./view";

const MOST_SETS = 2_000; // cells of rows that do not stand together, which must be sent one by one

export class Workspace {
  readonly sheets = new Map<string, Sheet>();
  readonly outbox: Outbox;
  readonly recovery: Recovery;
  readonly values: Values;
  readonly view: View;
  features: readonly Feature[] = [];
  problems: readonly TableProblem[] = [];
  marks = new Marks([], [], () => []);
  onProblems: () => void = () => undefined;

  constructor(readonly project: string) {
    this.outbox = new Outbox(project, this.sheets);
    this.recovery = new Recovery(project, this.sheets, this.outbox);
    this.values = new Values(
      () => [...this.sheets.values()],
      () => this.features,
    );
    this.view = new View(this.sheets);
    this.outbox.onRows = () => {
      this.values.forget();
      this.view.follow();
    };
    this.outbox.onProblems = (found) => this.takeProblems(found);
    this.outbox.onStale = () => this.reload().catch(() => undefined);
  }

  async open(): Promise<void> {
    this.take(await readLexicon(this.project));
  }

  /** Reads everything anew; rows stay who they are, and edits on their way stay. */
  async reload(): Promise<void> {
    this.take(await readLexicon(this.project));
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
      const edit: Edit = { do: "add", rows: [row], cells: [cells], after: this.view.above(row) };
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
      else if (row.ghost) edits.push({ do: "add", rows: [row], cells: [cells], after: this.view.above(row) });
      else if (isBlank(cells)) {
        this.view.blank(row);
        edits.push({ do: "delete", rows: [row] });
      }
      else edits.push(...mine.map(({ column, value }): Edit => ({ do: "set", row, column, value })));
    }
    this.act(parts);
  }

  /** A blank row below another; it is in the file once something is written in it. */
  addRow(below: Row | null): Row | null {
    const file = below?.file ?? (this.view.file || [...this.sheets.keys()][0]);
    if (file === undefined) return null;
    return below?.ghost ? below : this.view.addBlank(file, below);
  }

  deleteRows(rows: readonly Row[]): void {
    const parts = new Map<string, Edit[]>();
    const gone = new Set(rows);
    for (const sheet of this.sheets.values()) {
      const mine = sheet.rows.filter((row) => gone.has(row));
      if (mine.length > 0) parts.set(sheet.file, [{ do: "delete", rows: mine }]);
    }
    this.view.without(gone);
    this.act(parts);
  }

  addColumn(name: string, file: string): void {
    this.act(new Map([[file, [{ do: "column", name }]]]));
  }

  /** What a block would do if it were pasted at a place. */
  plan(pasted: string, at: Selection, columns: readonly Column[]): PastePlan {
    const { text, unseen } = seen(pasted);
    let cells = readBlock(text);
    const odd = oddCells(cells);
    const tall = at.bottom - at.top + 1;
    const wide = at.right - at.left + 1;
    if (cells.length === 1 && cells[0]!.length === 1) {
      cells = Array.from({ length: tall }, () => Array.from({ length: wide }, () => cells[0]![0]!)); // one value fills all
    }
    const rows = this.view.rows.slice(at.top);
    const names = columns.map((column) => column.name);
    const file = (rows[0]?.file ?? this.view.file) || [...this.sheets.keys()][0]!;
    const effects = planPaste(cells, rows, names[at.left] ?? "", names, (row) => this.sheetOf(row), this.sheets.get(file)!);
    return { ...effects, unseen, odd };
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
      this.view.append(rows);
    }
    this.act(parts);
  }

  private act(parts: Map<string, Edit[]>): void {
    for (const [file, edits] of parts) if (edits.length === 0) parts.delete(file);
    if (parts.size > 0) this.outbox.act(parts);
    this.values.forget();
    this.view.show();
  }

  private take(lexicon: WireLexicon): void {
    this.view.mayEdit = lexicon.may_edit;
    this.features = lexicon.features;
    const names = new Set(lexicon.files.map(({ file }) => file));
    for (const file of this.sheets.keys()) if (!names.has(file) && !this.outbox.has(file)) this.sheets.delete(file);
    let first = false;
    for (const { file, revision, columns, rows } of lexicon.files) {
      const sheet = this.sheets.get(file);
      if (!sheet) {
        this.sheets.set(file, readSheet(file, revision, columns, rows));
        first = true;
      } else if (sheet.revision !== revision) {
        Object.assign(sheet, { revision, columns, confirmed: matched(sheet.confirmed, rows, file) });
        this.outbox.rebuild(file, true);
      }
    }
    if (first) this.view.arrange();
    this.takeProblems(lexicon.problems);
  }

  private takeProblems(found: readonly TableProblem[]): void {
    this.problems = found;
    this.marks = new Marks(found, this.sheets.values(), (sheet) => this.outbox.placed(sheet));
    this.onProblems();
  }
}
