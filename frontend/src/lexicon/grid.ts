// The grid: a table with as many rows as there are words, of which only those in sight are in the page. Rows and cells
// have the roles of an ARIA grid; the field of the active cell has the focus.
import { CellEditor } from "./cell_editor";
import { GridHead } from "./grid_head";
import type { Column, GridHost, Selection } from "./grid_host";
import { destination } from "./grid_keys";
import { part } from "./grid_parts";
import { GridRows, ROW } from "./grid_rows";
import type { Row } from "./sheets";

const GUTTER = 52;

export class Grid {
  rows: readonly Row[] = [];
  columns: readonly Column[] = [];
  row = 0;
  column = 0;
  readonly element = part("div", "grid", "grid");
  readonly editor: CellEditor;
  private anchor = { row: 0, column: 0 };
  private readonly head: GridHead;
  private readonly body: GridRows;
  private scheduled = false;
  private waiting: (() => void) | null = null; // what is shown when nothing is being typed any more

  constructor(
    private readonly host: GridHost,
    words: { label: string; suggestions: string },
  ) {
    this.element.setAttribute("aria-label", words.label);
    this.element.setAttribute("aria-multiselectable", "true");
    this.editor = new CellEditor(
      {
        suggest: (typed) => host.suggest(this.name(this.column), typed),
        edited: (value) => this.current && host.edited(this.current, this.name(this.column), value),
        typing: (value) => this.current && host.typing(this.current, this.name(this.column), value),
        ended: () => this.ended(),
        move: (rows, columns) => this.step(rows, columns),
        ready: (event) => this.key(event),
      },
      words.suggestions,
    );
    this.head = new GridHead((name) => host.sorted(name), (column) => this.go(0, column));
    this.body = new GridRows(this, host, this.editor.field);
    this.element.append(this.head.element, this.body.element);
    this.element.addEventListener("scroll", () => this.schedule(), { passive: true });
    new ResizeObserver(() => this.schedule()).observe(this.element);
    this.body.element.addEventListener("pointerdown", (event) => this.pressed(event));
    this.body.element.addEventListener("pointerover", (event) => this.dragged(event));
  }

  get current(): Row | null {
    return this.rows[this.row] ?? null;
  }

  get focused(): boolean {
    return document.activeElement === this.editor.field;
  }

  get selection(): Selection {
    const { anchor, row, column } = this;
    return {
      top: Math.min(anchor.row, row),
      bottom: Math.max(anchor.row, row),
      left: Math.min(anchor.column, column),
      right: Math.max(anchor.column, column),
    };
  }

  /** Shows other rows or columns; the active row stays the same where it is still there. */
  show(rows: readonly Row[], columns: readonly Column[] = this.columns): void {
    if (this.editor.editing) {
      this.waiting = () => this.show(rows, columns);
      return;
    }
    const kept = this.current;
    const name = this.name(this.column);
    if (columns !== this.columns) this.shape(columns);
    this.rows = rows;
    const at = kept ? rows.indexOf(kept) : -1;
    this.row = Math.max(0, Math.min(at >= 0 ? at : this.row, rows.length - 1));
    const column = columns.findIndex((one) => one.name === name);
    this.column = column >= 0 ? column : 0;
    this.anchor = { row: this.row, column: this.column };
    this.element.setAttribute("aria-rowcount", String(rows.length + 1));
    this.body.reset();
    this.draw();
    this.load();
  }

  /** Draws the cells in sight anew. */
  refresh(): void {
    this.body.refresh();
    if (!this.editor.editing) this.load();
  }

  go(row: number, column: number, options: { extend?: boolean; focus?: boolean } = {}): void {
    this.editor.commit();
    this.row = Math.max(0, Math.min(row, this.rows.length - 1));
    this.column = Math.max(0, Math.min(column, this.columns.length - 1));
    if (!options.extend) this.anchor = { row: this.row, column: this.column };
    this.reveal();
    this.draw(true);
    this.load();
    if (options.focus !== false) this.editor.focus();
    this.host.moved(this.current, this.name(this.column));
  }

  focus(): void {
    this.reveal();
    this.draw(true);
    this.editor.focus();
  }

  select(selection: Selection): void {
    this.anchor = { row: selection.bottom, column: selection.right };
    this.go(selection.top, selection.left, { extend: true });
  }

  private name(column: number): string {
    return this.columns[column]?.name ?? "";
  }

  private ended(): void {
    const run = this.waiting;
    this.waiting = null;
    if (run) queueMicrotask(run);
  }

  private shape(columns: readonly Column[]): void {
    this.columns = columns;
    const widths = [GUTTER, ...columns.map((column) => column.width)];
    this.element.style.setProperty("--columns", widths.map((width) => `${width}px`).join(" "));
    this.element.style.setProperty("--width", `${widths.reduce((sum, width) => sum + width, 0)}px`);
    this.element.setAttribute("aria-colcount", String(columns.length + 1));
    this.head.show(columns, this.host.gutter({ key: 0, file: "", cells: [], ghost: true }).text);
    this.body.clear();
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw();
    });
  }

  private draw(again = false): void {
    const focused = this.focused;
    this.body.draw({ top: this.element.scrollTop, height: this.element.clientHeight }, again);
    if (focused && !this.focused) this.editor.focus(); // its cell went into another element
  }

  private load(): void {
    const row = this.current;
    if (!row || this.editor.editing) return;
    const name = this.name(this.column);
    const mark = this.host.mark(row, name);
    this.editor.load(this.host.text(row, name), {
      label: this.host.label(row, name),
      problem: mark?.text ?? "",
      invalid: mark?.severity === "error",
      readonly: !this.host.mayEdit(row, name),
    });
  }

  private reveal(): void {
    const { element } = this;
    const head = this.head.element.offsetHeight;
    const top = this.row * ROW;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + ROW + head > element.scrollTop + element.clientHeight) {
      element.scrollTop = top + ROW + head - element.clientHeight;
    }
    if (this.column === 0) return void (element.scrollLeft = 0);
    const fixed = GUTTER + (this.columns[0]?.width ?? 0);
    const left = GUTTER + this.columns.slice(0, this.column).reduce((sum, one) => sum + one.width, 0);
    const right = left + (this.columns[this.column]?.width ?? 0);
    if (left - fixed < element.scrollLeft) element.scrollLeft = left - fixed;
    else if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth;
  }

  /** One cell on, from the end of a row to the next; past the last cell the focus leaves the grid. */
  private step(rows: number, columns: number): void {
    if (rows > 0 && this.current && this.host.onwards(this.current, this.column)) return;
    let row = this.row + rows;
    let column = this.column + columns;
    if (column >= this.columns.length) [row, column] = [row + 1, 0];
    if (column < 0) [row, column] = [row - 1, this.columns.length - 1];
    if (columns !== 0 && (row < 0 || row >= this.rows.length)) this.host.leave(row >= 0);
    else this.go(row, column);
  }

  private key(event: KeyboardEvent): boolean {
    if (this.host.key(event)) return true;
    if (event.altKey) return false;
    const extend = event.shiftKey;
    if (event.key === "ArrowUp" && this.row === 0 && !extend) return this.toHead();
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
    const size = { rows: this.rows.length, columns: this.columns.length, page };
    const to = destination(event, this, size);
    if (to) {
      this.go(to.row, to.column, { extend });
      return true;
    }
    switch (event.key) {
      case "Tab":
        this.step(0, extend ? -1 : 1);
        return true;
      case "Enter":
        if (this.editor.field.readOnly || extend) this.step(extend ? -1 : 1, 0);
        else this.editor.open();
        return true;
      case "F2":
        this.editor.open();
        return true;
      case "Escape":
        this.go(this.row, this.column);
        return true;
      default:
        return false;
    }
  }

  private toHead(): boolean {
    this.head.focus(this.column);
    return true;
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0 || event.target === this.editor.field) return;
    const place = this.body.placeOf(event.target);
    if (!place) return;
    event.preventDefault();
    if (place.column >= 0) return this.go(place.row, place.column, { extend: event.shiftKey });
    const top = event.shiftKey ? Math.min(this.anchor.row, place.row) : place.row;
    const bottom = event.shiftKey ? Math.max(this.anchor.row, place.row) : place.row;
    this.select({ top, bottom, left: 0, right: this.columns.length - 1 });
  }

  private dragged(event: PointerEvent): void {
    if (event.buttons !== 1 || this.editor.editing || event.pointerType !== "mouse") return;
    const place = this.body.placeOf(event.target);
    if (!place || place.column < 0 || (place.row === this.row && place.column === this.column)) return;
    this.go(place.row, place.column, { extend: true });
  }
}
