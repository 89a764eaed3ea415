// The grid: a table with as many rows as there are words, of which only those in sight are in the page. Rows and cells
// have the roles of an ARIA grid; the field of the active cell has the focus.
import { CellEditor } from "./cell_editor";
import { destination } from "./grid_keys";
import { part, unseen } from "./grid_parts";
import type { Row } from "./sheets";
import type { Suggestion } from "./values";

export interface Column {
  readonly name: string;
  readonly label: string;
  readonly width: number; // pixels
  readonly sort: "ascending" | "descending" | "none";
}

export interface Mark {
  readonly severity: string;
  readonly text: string;
}

export interface Selection {
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
}

export interface GridHost {
  text(row: Row, column: string): string;
  mayEdit(row: Row, column: string): boolean;
  /** Whether the row's file has this column at all. */
  exists(row: Row, column: string): boolean;
  mark(row: Row, column: string): Mark | null;
  gutter(row: Row): { text: string; mark: Mark | null };
  label(row: Row, column: string): string; // of the field, for screen readers
  suggest(column: string, typed: string): readonly Suggestion[];
  edited(row: Row, column: string, value: string): void;
  typing(row: Row, column: string, value: string | null): void;
  moved(row: Row | null, column: string): void;
  sorted(column: string): void;
  /** Keys of the page while nothing is typed; whether the key was used. */
  key(event: KeyboardEvent): boolean;
  leave(forward: boolean): void;
}

export const ROW = 30; // pixels, as in the style
const OVERSCAN = 6;
const GUTTER = 52;

interface Drawn {
  readonly element: HTMLElement;
  readonly cells: HTMLElement[];
  index: number;
}

export class Grid {
  rows: readonly Row[] = [];
  columns: readonly Column[] = [];
  row = 0;
  column = 0;
  readonly element = part("div", "grid", "grid");
  readonly editor: CellEditor;
  private anchor = { row: 0, column: 0 };
  private readonly head = part("div", "grid-head", "rowgroup");
  private readonly body = part("div", "grid-body", "rowgroup");
  private drawn: Drawn[] = [];
  private scheduled = false;
  private waiting: (() => void) | null = null; // what is shown when nothing is being typed any more

  constructor(
    private readonly host: GridHost,
    words: { label: string; suggestions: string },
  ) {
    this.element.setAttribute("aria-label", words.label);
    this.element.setAttribute("aria-multiselectable", "true");
    this.element.append(this.head, this.body);
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
    this.element.addEventListener("scroll", () => this.schedule(), { passive: true });
    new ResizeObserver(() => this.schedule()).observe(this.element);
    this.body.addEventListener("pointerdown", (event) => this.pressed(event));
    this.body.addEventListener("pointerover", (event) => this.dragged(event));
    this.head.addEventListener("keydown", (event) => this.headKey(event));
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
    this.body.style.height = `${rows.length * ROW}px`;
    this.body.hidden = rows.length === 0;
    for (const one of this.drawn) one.index = -1;
    this.draw();
    this.load();
  }

  /** Draws the cells in sight anew. */
  refresh(): void {
    for (const one of this.drawn) if (one.index >= 0) this.fill(one, one.index);
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
    const head = part("div", "grid-row", "row");
    head.setAttribute("aria-rowindex", "1");
    const corner = part("div", "grid-gutter", "columnheader");
    corner.setAttribute("aria-colindex", "1");
    corner.append(unseen(this.host.gutter({ key: 0, file: "", cells: [], ghost: true }).text));
    head.append(corner, ...columns.map((column, n) => this.header(column, n)));
    this.head.replaceChildren(head);
    this.editor.field.remove();
    this.body.replaceChildren();
    this.drawn = [];
  }

  private header(column: Column, n: number): HTMLElement {
    const cell = part("div", "grid-header", "columnheader");
    cell.setAttribute("aria-colindex", String(n + 2));
    cell.setAttribute("aria-sort", column.sort);
    const button = document.createElement("button");
    button.type = "button";
    button.tabIndex = -1;
    button.textContent = column.label;
    button.addEventListener("click", () => this.host.sorted(column.name));
    cell.append(button);
    return cell;
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw();
    });
  }

  /** Draws the rows in sight, in elements of rows that went out of sight. */
  private draw(again = false): void {
    const focused = this.focused;
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / ROW) - OVERSCAN);
    const last = Math.min(this.rows.length - 1, Math.ceil((scrollTop + clientHeight) / ROW) + OVERSCAN);
    const wanted = new Set<number>();
    for (let index = first; index <= last; index += 1) wanted.add(index);
    if (this.rows.length > 0) wanted.add(this.row); // it holds the focus
    const free = this.drawn.filter((one) => !wanted.has(one.index));
    const there = new Set(this.drawn.map((one) => one.index));
    if (again) for (const one of this.drawn) if (wanted.has(one.index)) this.fill(one, one.index);
    for (const index of wanted) {
      if (there.has(index)) continue;
      const one = free.pop() ?? this.make();
      this.fill(one, index);
    }
    for (const one of free) {
      if (one.element.contains(this.editor.field)) this.editor.field.remove();
      one.element.remove();
      this.drawn.splice(this.drawn.indexOf(one), 1);
    }
    if (focused && !this.focused) this.editor.focus(); // its cell went into another element
  }

  private make(): Drawn {
    const element = part("div", "grid-row", "row");
    const gutter = part("div", "grid-gutter", "rowheader");
    gutter.setAttribute("aria-colindex", "1");
    const cells = this.columns.map((_, n) => {
      const cell = part("div", "grid-cell", "gridcell");
      cell.setAttribute("aria-colindex", String(n + 2));
      return cell;
    });
    element.append(gutter, ...cells);
    this.body.append(element);
    const drawn = { element, cells: [gutter, ...cells], index: -1 };
    this.drawn.push(drawn);
    return drawn;
  }

  private fill(drawn: Drawn, index: number): void {
    const row = this.rows[index];
    if (!row) return;
    const { top, bottom, left, right } = this.selection;
    const many = top !== bottom || left !== right;
    drawn.index = index;
    drawn.element.style.top = `${index * ROW}px`;
    drawn.element.setAttribute("aria-rowindex", String(index + 2));
    drawn.element.classList.toggle("ghost", row.ghost);
    drawn.element.classList.toggle("current", index === this.row);
    const [gutter, ...cells] = drawn.cells;
    const { text, mark } = this.host.gutter(row);
    if (gutter!.textContent !== text) gutter!.textContent = text;
    gutter!.dataset["mark"] = mark?.severity ?? "";
    gutter!.title = mark?.text ?? "";
    cells.forEach((cell, n) => {
      const name = this.name(n);
      const active = index === this.row && n === this.column;
      const found = this.host.mark(row, name);
      const inside = many && index >= top && index <= bottom && n >= left && n <= right;
      cell.dataset["mark"] = found?.severity ?? "";
      cell.title = found?.text ?? "";
      cell.className = `grid-cell${inside ? " inside" : ""}${active ? " active" : ""}${this.host.exists(row, name) ? "" : " missing"}`;
      if (inside || active) cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
      if (active) {
        if (this.editor.field.parentElement !== cell) cell.replaceChildren(this.editor.field);
      } else {
        const value = this.host.text(row, name);
        if (cell.textContent !== value || cell.firstElementChild) cell.textContent = value;
      }
    });
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
    const head = this.head.offsetHeight;
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
    this.head.querySelectorAll("button")[this.column]?.focus();
    return true;
  }

  private headKey(event: KeyboardEvent): void {
    const buttons = [...this.head.querySelectorAll("button")];
    const at = buttons.indexOf(event.target as HTMLButtonElement);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by !== undefined) buttons[at + by]?.focus();
    else if (event.key === "ArrowDown" || event.key === "Escape") this.go(0, at);
    else return;
    event.preventDefault();
  }

  private pressed(event: PointerEvent): void {
    if (event.button !== 0 || event.target === this.editor.field) return;
    const place = this.placeOf(event.target);
    if (!place) return;
    event.preventDefault();
    if (place.column >= 0) return this.go(place.row, place.column, { extend: event.shiftKey });
    const top = event.shiftKey ? Math.min(this.anchor.row, place.row) : place.row;
    const bottom = event.shiftKey ? Math.max(this.anchor.row, place.row) : place.row;
    this.select({ top, bottom, left: 0, right: this.columns.length - 1 });
  }

  private dragged(event: PointerEvent): void {
    if (event.buttons !== 1 || this.editor.editing || event.pointerType !== "mouse") return;
    const place = this.placeOf(event.target);
    if (!place || place.column < 0 || (place.row === this.row && place.column === this.column)) return;
    this.go(place.row, place.column, { extend: true });
  }

  private placeOf(target: EventTarget | null): { row: number; column: number } | null {
    const cell = target instanceof Element ? target.closest<HTMLElement>(".grid-cell, .grid-gutter") : null;
    const drawn = this.drawn.find((one) => cell && one.cells.includes(cell));
    return cell && drawn ? { row: drawn.index, column: drawn.cells.indexOf(cell) - 1 } : null;
  }
}
