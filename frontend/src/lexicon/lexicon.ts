// The page of the lexicon, or of one table, without its markup: the grid over the workspace, the search, pasting, and the keys.
import * as api from "../api";
import { findWords } from "../api";
import { say } from "../notices";
import { page, t } from "../page";
import type { TableProblem } from "../wire";
import { Company } from "./company";
import { Grid, type GridHost, type Selection } from "./grid";
import { isLarge, type PastePlan, withoutUnseen } from "./paste";
import { SEARCH } from "./search";
import { blockOf, type Row } from "./sheets";
import { FILE, hasConditions, shortName, type View } from "./view";
import type { Workspace } from "./workspace";

const PAUSE = 120; // milliseconds without typing until the server searches

const columnName = (name: string): string => (name === FILE ? t("lexicon.file") : name);

export class Lexicon {
  readonly grid: Grid;
  readonly company: Company;
  private readonly appending: Appending;
  query = "";
  row: Row | null = null;
  plan: PastePlan | null = null;
  notice = ""; // what was removed from the last paste
  repeated = ""; // that the last word exists already
  onChange: () => void = () => undefined;
  private shape = "";
  private request: AbortController | null = null;
  private timer = 0;

  constructor(readonly space: Workspace) {
    this.grid = new Grid(this.host(), { label: page.file || t("lexicon.title"), suggestions: t("lexicon.suggestions") });
    this.appending = new Appending(this.grid, space.view);
    space.view.onRows = () => this.show();
    space.onProblems = () => {
      this.grid.refresh();
      this.onChange();
    };
    space.outbox.onState = () => this.onChange();
    listenToClipboard(this.grid, space, { paste: (text) => this.paste(text), clear: (at) => this.clear(at), reportUnseen: (n) => this.reportUnseen(n) });
    const leave = (): void => this.grid.editor.commit();
    addEventListener("pagehide", leave);
    const file = (): string | undefined => this.row?.file ?? [...space.sheets.keys()][0];
    this.company = new Company(space, file, () => this.onChange());
  }

  async start(): Promise<void> {
    await this.space.load();
    await this.company.start();
    this.row = this.grid.current;
  }

  show(): void {
    const columns = this.space.view.layout(columnName);
    const shape = JSON.stringify([this.space.view.file, columns.map(({ name, sort }) => [name, sort])]);
    if (shape !== this.shape) this.grid.show([...this.space.view.rows], columns);
    else this.grid.show([...this.space.view.rows]);
    this.shape = shape;
    this.row = this.grid.current;
    this.onChange();
  }

  choose(file: string): void {
    this.space.view.file = file;
    this.space.view.sorting = null;
    this.space.view.hits = null;
    this.find(this.query);
    this.grid.go(0, 0, { focus: false });
  }

  /** Search for text here; conditions are also sent to the server, after the edits on their way have arrived. */
  find(query: string): void {
    const changed = query !== this.query;
    this.query = query;
    clearTimeout(this.timer);
    this.request?.abort();
    const conditions = !this.space.table && hasConditions(query, this.space.view.columns());
    this.space.view.search(query, { unlessNone: conditions });
    if (conditions) this.timer = window.setTimeout(() => void this.ask(query), PAUSE);
    if (changed) this.grid.element.scrollTop = 0;
  }

  private async ask(query: string): Promise<void> {
    const stop = new AbortController();
    this.request = stop;
    await Promise.race([this.space.outbox.idle(), new Promise((resolve) => setTimeout(resolve, 1_000))]);
    try {
      const { hits } = await findWords(page.project, query, { signal: stop.signal });
      const lines = new Map([...this.space.sheets.values()].map((sheet) => [sheet.file, byLine(sheet.confirmed)]));
      if (stop.signal.aborted) return;
      this.space.view.hits = new Set(hits.flatMap(([file, line]) => lines.get(file)?.get(line) ?? []));
      this.space.view.arrange();
    } catch (error) {
      if (!api.isAbort(error)) this.space.view.search(query);
    }
  }

  /** Go to the blank row at the end of the file. */
  append(): void {
    this.grid.editor.commit();
    const file = (this.grid.current?.file ?? this.space.view.file) || [...this.space.sheets.keys()][0];
    if (file !== undefined) this.appending.begin(file);
  }

  /** Insert a blank row below the active one. */
  addRow(): void {
    this.grid.editor.commit();
    const row = this.space.addRow(this.grid.current);
    if (row) this.grid.go(this.grid.rows.indexOf(row), 0);
  }

  /** Add a column and go to it. */
  addColumn(name: string, file: string): void {
    this.space.addColumn(name, file);
    this.grid.go(this.grid.row, this.grid.columns.findIndex((column) => column.name === name));
  }

  deleteRows(): void {
    const { top, bottom } = this.grid.selection;
    const rows = this.grid.rows.slice(top, bottom + 1);
    const words = rows.filter((row) => !row.ghost).length;
    this.space.deleteRows(rows);
    this.grid.go(top, this.grid.column);
    if (words > 0) say(t("lexicon.deleted", { n: words }));
  }

  clear({ top, bottom, left, right }: Selection): void {
    const names = this.grid.columns.slice(left, right + 1).map((column) => column.name);
    const rows = this.grid.rows.slice(top, bottom + 1);
    const cells = rows.flatMap((row) => names.map((column) => ({ row, column, value: "" })));
    this.space.setCells(cells.filter(({ row, column }) => this.space.text(row, column) !== ""));
  }

  paste(text: string): void {
    if (text.trim() === "") return;
    const plan = this.space.plan(text, this.grid.selection, this.grid.columns);
    if (isLarge(plan)) this.plan = plan;
    else this.space.paste(plan);
    this.reportUnseen(plan.unseen);
  }

  /** Tell the reader how many invisible characters were removed from a paste. */
  private reportUnseen(unseen: number): void {
    this.notice = unseen > 0 ? t(unseen === 1 ? "lexicon.paste_unseen_one" : "lexicon.paste_unseen", { n: unseen }) : "";
    this.onChange();
  }

  /** Paste the plan that the dialog showed, if the reader agreed. */
  decide(yes: boolean): void {
    const { plan } = this;
    this.plan = null;
    if (plan && yes) {
      this.space.paste(plan);
      say(t("lexicon.paste_summary", { changed: plan.changes.length, added: plan.added.length }));
    }
    this.onChange();
    this.grid.focus();
  }

  sort(column: string): void {
    const { sorting } = this.space.view;
    if (sorting?.column !== column) this.space.view.sorting = { column, down: false };
    else this.space.view.sorting = sorting.down ? null : { column, down: true };
    this.space.view.arrange();
    const way = this.space.view.sorting ? (this.space.view.sorting.down ? "descending" : "ascending") : "none";
    say(t(`lexicon.sort_${way}`, { column: columnName(column) }));
    this.grid.element.scrollTop = 0;
    const at = this.grid.columns.findIndex(({ name }) => name === column);
    this.grid.element.querySelectorAll<HTMLElement>(".grid-header button")[at]?.focus();
  }

  goTo(problem: TableProblem): void {
    const row = this.space.marks.rowAt(problem.file, problem.line) ?? this.firstWith(problem);
    if (!row) return;
    if (!this.grid.rows.includes(row)) {
      const field = document.getElementById(SEARCH);
      if (field instanceof HTMLInputElement) field.value = "";
      this.query = "";
      this.space.view.file = this.space.view.file && this.space.view.file !== problem.file ? problem.file : this.space.view.file;
      this.space.view.hits = null;
      this.space.view.arrange();
    }
    const column = this.grid.columns.findIndex(({ name }) => name === problem.column);
    this.grid.go(this.grid.rows.indexOf(row), Math.max(0, column));
  }

  /** The first row that has one of the values which a problem of a whole column names. */
  private firstWith({ file, column, values }: TableProblem): Row | null {
    const named: unknown = values["values"];
    if (!column || !Array.isArray(named)) return null;
    const rows = this.space.sheets.get(file)?.rows ?? [];
    return rows.find((row) => this.space.text(row, column).split("/").some((value) => named.includes(value))) ?? null;
  }

  private key(event: KeyboardEvent): boolean {
    const control = event.ctrlKey || event.metaKey;
    const { grid, space } = this;
    const last = { bottom: grid.rows.length - 1, right: grid.columns.length - 1 };
    if (event.key === "F6") document.querySelector<HTMLElement>(event.shiftKey ? `#${SEARCH}` : "#lexicon-side")?.focus();
    else if (control && event.key.toLowerCase() === "f") document.getElementById(SEARCH)?.focus();
    else if (control && event.key.toLowerCase() === "a") grid.select({ top: 0, left: 0, ...last });
    else if (event.shiftKey && event.key === " ") grid.select({ ...grid.selection, left: 0, right: last.right });
    else if (!space.mayEdit) return false;
    else if (control && event.key.toLowerCase() === "z") event.shiftKey ? space.outbox.redo() : space.outbox.undo();
    else if (control && event.key.toLowerCase() === "y") space.outbox.redo();
    else if (control && event.key === "Enter") this.addRow();
    else if (control && (event.key === "Delete" || event.key === "Backspace")) this.deleteRows();
    else if (event.key === "Delete" || event.key === "Backspace") this.clear(grid.selection);
    else return false;
    return true;
  }

  private host(): GridHost {
    const { space } = this;
    return {
      text: (row, column) => space.text(row, column),
      exists: (row, column) => space.has(row, column),
      mayEdit: (row, column) => space.mayEdit && column !== FILE && space.has(row, column),
      mark: (row, column) => space.marks.of(row, column),
      gutter: (row) => ({
        text: row.file === "" ? t("lexicon.line") : row.ghost ? "+" : String(space.marks.line(row) ?? "•"),
        mark: space.marks.of(row, ""),
      }),
      label: (row, column) => {
        const word = space.nameOf(row) || t("lexicon.new_row");
        const where = space.has(row, column) ? "" : t("lexicon.no_column", { file: shortName(row.file) });
        return [word, columnName(column), where].filter(Boolean).join(", ");
      },
      suggest: (column, typed) => space.values.suggest(column, typed),
      edited: (row, column, value) => {
        this.appending.beforeWrite(row);
        const again = column === "expression" && value !== "" && space.forms(row).has(value);
        this.repeated = again ? t("lexicon.exists", { word: value }) : "";
        space.setCells([{ row, column, value }]);
        if (again) say(this.repeated);
      },
      typing: (row, column, value) => space.typing(row, column, value),
      moved: (row) => {
        this.row = row;
        this.onChange();
      },
      proceed: (row, column) => this.appending.proceed(row, column),
      sorted: (column) => this.sort(column),
      key: (event) => this.key(event),
      leave: (forward) => document.querySelector<HTMLElement>(forward ? "#lexicon-side button, #lexicon-side a, #lexicon-side" : `#${SEARCH}`)?.focus(),
    };
  }
}

function byLine(placed: readonly { line: number; row: Row }[]): Map<number, Row> {
  return new Map(placed.map(({ line, row }) => [line, row]));
}

/** Writing at the end of a file: into its blank row, and from there into the next one, word after word. */
class Appending {
  private written = new WeakSet<Row>(); // rows that were blank rows at the end of a file

  constructor(
    private readonly grid: Grid,
    private readonly view: View,
  ) {}

  /** Go to the first cell of the blank row at the end of a file. */
  begin(file: string): void {
    const row = this.view.lastBlank(file);
    this.grid.go(this.grid.rows.indexOf(row), 0);
  }

  /** To be called before a cell is written. */
  beforeWrite(row: Row): void {
    if (this.view.endsFile(row)) this.written.add(row);
  }

  /** Go from a row written at the end to the next blank one: from its last cell to the first there. */
  proceed(row: Row, column: number): boolean {
    if (!this.written.has(row)) return false;
    const next = this.view.lastBlank(row.file);
    this.grid.go(this.grid.rows.indexOf(next), column === this.grid.columns.length - 1 ? 0 : column);
    return true;
  }
}

interface ClipboardHost {
  paste(text: string): void;
  clear(selection: Selection): void;
  reportUnseen(unseen: number): void;
}

/** Copy and paste cells while none of them is being typed. */
function listenToClipboard(grid: Grid, space: Workspace, host: ClipboardHost): void {
  const { field } = grid.editor;
  const copy = (event: ClipboardEvent): boolean => {
    if (grid.editor.editing) return false;
    const { top, bottom, left, right } = grid.selection;
    const names = grid.columns.slice(left, right + 1).map((column) => column.name);
    const rows = grid.rows.slice(top, bottom + 1).filter((row) => !row.ghost);
    event.clipboardData?.setData("text/plain", blockOf(rows.map((row) => names.map((name) => space.text(row, name)))));
    event.preventDefault();
    return true;
  };
  field.addEventListener("copy", copy);
  field.addEventListener("cut", (event) => {
    if (copy(event) && space.mayEdit) host.clear(grid.selection);
  });
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const block = /[\t\r\n]/.test(text.replace(/[\r\n]+$/, ""));
    if (!space.mayEdit) return;
    if (grid.editor.editing && !block) {
      const clean = withoutUnseen(text);
      if (clean.unseen === 0) return;
      event.preventDefault();
      grid.editor.insert(clean.text);
      return host.reportUnseen(clean.unseen);
    }
    event.preventDefault();
    grid.editor.commit();
    host.paste(text);
  });
}
