// The lexicon's page as it is worked with: the grid over the workspace, the search, and the keys.
import * as api from "../api";
import { say } from "../notices";
import { page } from "../page";
import { t } from "../words";
import { Appending } from "./appending";
import type { PastePlan } from "./blocks";
import { findWords, type TableProblem } from "./calls";
import { listenToClipboard } from "./clipboard";
import { Company } from "./company";
import { Grid } from "./grid";
import type { GridHost, Selection } from "./grid_host";
import { isLarge } from "./paste_dialog";
import { hasConditions } from "./query";
import { SEARCH } from "./search";
import type { Row } from "./sheets";
import { FILE, shortName } from "./view";
import type { Workspace } from "./workspace";

const PAUSE = 120; // milliseconds without typing until the server is asked

const columnName = (name: string): string => (name === FILE ? t("lexicon.file") : name);

/** The page without its looks: the grid, what is searched, what is pasted, and the keys. */
export class Lexicon {
  readonly grid: Grid;
  readonly company: Company;
  private readonly appending: Appending;
  query = "";
  row: Row | null = null;
  plan: PastePlan | null = null;
  notice = ""; // what became of the last paste, where it is not what was pasted
  onChange: () => void = () => undefined;
  private shape = "";
  private asked: AbortController | null = null;
  private timer = 0;

  constructor(readonly space: Workspace) {
    this.grid = new Grid(this.host(), { label: t("lexicon.title"), suggestions: t("lexicon.suggestions") });
    this.appending = new Appending(this.grid, space.view);
    space.view.onRows = () => this.show();
    space.onProblems = () => {
      this.grid.refresh();
      this.onChange();
    };
    space.outbox.onState = () => this.onChange();
    listenToClipboard(this.grid, space, { paste: (text) => this.paste(text), clear: (at) => this.clear(at), leftOut: (n) => this.leftOut(n) });
    const leave = (): void => this.grid.editor.commit();
    addEventListener("pagehide", leave);
    const file = (): string | undefined => this.row?.file ?? [...space.sheets.keys()][0];
    this.company = new Company(space, file, () => this.onChange());
  }

  async start(): Promise<void> {
    await this.space.open();
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

  /** Text is found here; conditions are also asked of the server, after what is on its way has arrived. */
  find(query: string): void {
    const narrower = query !== this.query;
    this.query = query;
    clearTimeout(this.timer);
    this.asked?.abort();
    const asks = hasConditions(query, this.space.view.columns());
    this.space.view.search(query, { unlessNone: asks });
    if (asks) this.timer = window.setTimeout(() => void this.ask(query), PAUSE);
    if (narrower) this.grid.element.scrollTop = 0;
  }

  private async ask(query: string): Promise<void> {
    const stop = new AbortController();
    this.asked = stop;
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

  /** To the blank row at the end of the file, wherever the active cell is. */
  append(): void {
    this.grid.editor.commit();
    const file = (this.grid.current?.file ?? this.space.view.file) || [...this.space.sheets.keys()][0];
    if (file !== undefined) this.appending.begin(file);
  }

  /** A blank row below the active one. */
  addRow(): void {
    this.grid.editor.commit();
    const row = this.space.addRow(this.grid.current);
    if (row) this.grid.go(this.grid.rows.indexOf(row), 0);
  }

  /** A new column, with the active cell in it. */
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
    const filled = rows.flatMap((row) => names.map((column) => ({ row, column, value: "" })));
    this.space.setCells(filled.filter(({ row, column }) => this.space.text(row, column) !== ""));
  }

  paste(text: string): void {
    if (text.trim() === "") return;
    const plan = this.space.plan(text, this.grid.selection, this.grid.columns);
    if (isLarge(plan)) this.plan = plan;
    else this.space.paste(plan);
    this.leftOut(plan.unseen);
  }

  /** Tells how many characters of what was pasted nobody sees, and are left out. */
  private leftOut(unseen: number): void {
    this.notice = unseen > 0 ? t(unseen === 1 ? "lexicon.paste_unseen_one" : "lexicon.paste_unseen", { n: unseen }) : "";
    this.onChange();
  }

  agreed(yes: boolean): void {
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
    const row = this.space.marks.rowAt(problem.file, problem.line);
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
        const word = space.text(row, "expression") || t("lexicon.new_row");
        const where = space.has(row, column) ? "" : t("lexicon.no_column", { file: shortName(row.file) });
        return [word, columnName(column), where].filter(Boolean).join(", ");
      },
      suggest: (column, typed) => space.values.suggest(column, typed),
      edited: (row, column, value) => {
        this.appending.writes(row);
        space.setCells([{ row, column, value }]);
      },
      typing: (row, column, value) => space.typing(row, column, value),
      moved: (row) => {
        this.row = row;
        this.onChange();
      },
      onwards: (row, column) => this.appending.onwards(row, column),
      sorted: (column) => this.sort(column),
      key: (event) => this.key(event),
      leave: (forward) => document.querySelector<HTMLElement>(forward ? "#lexicon-side button, #lexicon-side a, #lexicon-side" : `#${SEARCH}`)?.focus(),
    };
  }
}

function byLine(placed: readonly { line: number; row: Row }[]): Map<number, Row> {
  return new Map(placed.map(({ line, row }) => [line, row]));
}
