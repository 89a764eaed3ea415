// The grid: a table with as many rows as there are words, of which only those in sight are in the page. Rows and cells
// have the roles of an ARIA grid; the input of the active cell has the focus.
import { CellEditor } from "./cell_editor";
import type { Row } from "./sheets";
import type { Suggestion } from "./suggestions";

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

/** What the grid shows, and what it reports. */
export interface GridHost {
  text(row: Row, column: string): string;
  mayEdit(row: Row, column: string): boolean;
  /** Whether the row's file has this column at all. */
  exists(row: Row, column: string): boolean;
  mark(row: Row, column: string): Mark | null;
  gutter(row: Row): { text: string; mark: Mark | null };
  label(row: Row, column: string): string; // of the input, for screen readers
  suggest(column: string, typed: string): readonly Suggestion[];
  edited(row: Row, column: string, value: string): void;
  typing(row: Row, column: string, value: string | null): void;
  moved(row: Row | null, column: string): void;
  /** Called on Enter in a cell; return whether it led elsewhere than down. */
  proceed(row: Row, column: number): boolean;
  sorted(column: string): void;
  /** Keys of the page while nothing is typed; return whether the key was used. */
  key(event: KeyboardEvent): boolean;
  leave(forward: boolean): void;
}

export function part(tag: string, name: string, role: string): HTMLElement {
  const element = document.createElement(tag);
  element.className = name;
  element.setAttribute("role", role);
  return element;
}

export function unseen(text: string): HTMLElement {
  const span = document.createElement("span");
  span.className = "unseen";
  span.textContent = text;
  return span;
}

export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The cell that a key leads to, with Ctrl as far as possible; it may lie outside the grid. Null for other keys. */
export function destination(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey">,
  { row, column }: Cell,
  size: { rows: number; columns: number; page: number },
): Cell | null {
  const far = event.ctrlKey || event.metaKey;
  const [bottom, right] = [size.rows - 1, size.columns - 1];
  switch (event.key) {
    case "ArrowUp":
      return { row: far ? 0 : row - 1, column };
    case "ArrowDown":
      return { row: far ? bottom : row + 1, column };
    case "ArrowLeft":
      return { row, column: far ? 0 : column - 1 };
    case "ArrowRight":
      return { row, column: far ? right : column + 1 };
    case "PageUp":
      return { row: row - size.page, column };
    case "PageDown":
      return { row: row + size.page, column };
    case "Home":
      return { row: far ? 0 : row, column: 0 };
    case "End":
      return { row: far ? bottom : row, column: right };
    default:
      return null;
  }
}

const GUTTER = 52;

export class Grid {
  rows: readonly Row[] = [];
  columns: readonly Column[] = [];
  row = 0;
  column = 0;
  readonly element = part("div", "grid", "grid");
  readonly editor: CellEditor;
  private anchor = { row: 0, column: 0 };
  private tabbed: number | null = null; // the first column of a run of Tabs, where Enter goes in the next row
  private readonly head: GridHead;
  private readonly body: GridRows;
  private scheduled = false;
  private waiting: (() => void) | null = null; // what to show when nothing is being typed any more

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

  /** Show new rows or columns; the active row stays active if it is still there. */
  show(rows: readonly Row[], columns: readonly Column[] = this.columns): void {
    if (this.editor.editing) {
      this.waiting = () => this.show(rows, columns);
      return;
    }
    const active = this.current;
    const name = this.name(this.column);
    if (columns !== this.columns) this.shape(columns);
    this.rows = rows;
    const at = active ? rows.indexOf(active) : -1;
    this.row = Math.max(0, Math.min(at >= 0 ? at : this.row, rows.length - 1));
    const column = columns.findIndex((other) => other.name === name);
    this.column = column >= 0 ? column : 0;
    this.anchor = { row: this.row, column: this.column };
    this.element.setAttribute("aria-rowcount", String(rows.length + 1));
    this.body.reset();
    this.draw();
    this.load();
  }

  /** Redraw the cells in sight. */
  refresh(): void {
    this.body.refresh();
    if (!this.editor.editing) this.load();
  }

  go(row: number, column: number, options: { extend?: boolean; focus?: boolean } = {}): void {
    this.editor.commit();
    this.tabbed = null;
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
    if (focused && !this.focused) this.editor.focus(); // its cell moved to another element
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
    const left = GUTTER + this.columns.slice(0, this.column).reduce((sum, { width }) => sum + width, 0);
    const right = left + (this.columns[this.column]?.width ?? 0);
    if (left - fixed < element.scrollLeft) element.scrollLeft = left - fixed;
    else if (right > element.scrollLeft + element.clientWidth) element.scrollLeft = right - element.clientWidth;
  }

  /**
   * Go one cell further, from the end of a row to the next; past the last cell the focus leaves the grid. After Tabs,
   * Enter goes to the column where they began.
   */
  private step(rows: number, columns: number): void {
    const home = this.tabbed ?? this.column;
    if (columns === 0) {
      if (rows > 0 && this.current && this.host.proceed(this.current, home)) return;
      return this.go(this.row + rows, rows > 0 ? home : this.column);
    }
    let row = this.row;
    let column = this.column + columns;
    if (column >= this.columns.length) [row, column] = [row + 1, 0];
    if (column < 0) [row, column] = [row - 1, this.columns.length - 1];
    if (row < 0 || row >= this.rows.length) return this.host.leave(row >= 0);
    const began = row === this.row ? Math.min(home, column) : column;
    this.go(row, column);
    this.tabbed = began;
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

/** The headers of the columns: each sorts by its column, and the arrow keys go from one to the next. */
class GridHead {
  readonly element = part("div", "grid-head", "rowgroup");

  /** `sort` is called with a column's name, `down` with its number when the focus goes into the rows. */
  constructor(
    private readonly sort: (name: string) => void,
    private readonly down: (column: number) => void,
  ) {
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  show(columns: readonly Column[], corner: string): void {
    const row = part("div", "grid-row", "row");
    row.setAttribute("aria-rowindex", "1");
    const gutter = part("div", "grid-gutter", "columnheader");
    gutter.setAttribute("aria-colindex", "1");
    gutter.append(unseen(corner));
    row.append(gutter, ...columns.map((column, n) => this.header(column, n)));
    this.element.replaceChildren(row);
  }

  focus(column: number): void {
    this.buttons[column]?.focus();
  }

  private get buttons(): HTMLButtonElement[] {
    return [...this.element.querySelectorAll("button")];
  }

  private header(column: Column, n: number): HTMLElement {
    const cell = part("div", "grid-header", "columnheader");
    cell.setAttribute("aria-colindex", String(n + 2));
    cell.setAttribute("aria-sort", column.sort);
    const button = document.createElement("button");
    button.type = "button";
    button.tabIndex = -1;
    button.textContent = column.label;
    button.addEventListener("click", () => this.sort(column.name));
    cell.append(button);
    return cell;
  }

  private key(event: KeyboardEvent): void {
    const { buttons } = this;
    const at = buttons.indexOf(event.target as HTMLButtonElement);
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by !== undefined) buttons[at + by]?.focus();
    else if (event.key === "ArrowDown" || event.key === "Escape") this.down(at);
    else return;
    event.preventDefault();
  }
}

const ROW = 30; // pixels, as in the style sheet
const OVERSCAN = 6;

/** What the grid shows: rows and columns, the active cell, and the selection. */
interface Shown {
  readonly rows: readonly Row[];
  readonly columns: readonly Column[];
  readonly row: number;
  readonly column: number;
  readonly selection: Selection;
}

interface Drawn {
  readonly element: HTMLElement;
  readonly cells: HTMLElement[];
  index: number;
}

/** The rows in the page: only those in sight, in elements that are reused for other rows when one scrolls. */
class GridRows {
  readonly element = part("div", "grid-body", "rowgroup");
  private drawn: Drawn[] = [];

  constructor(
    private readonly shown: Shown,
    private readonly host: GridHost,
    private readonly field: HTMLElement, // the input in the active cell
  ) {}

  /** Remove all elements, since the columns have changed. */
  clear(): void {
    this.field.remove();
    this.element.replaceChildren();
    this.drawn = [];
  }

  /** Mark all elements as free, since the rows have changed. */
  reset(): void {
    const { length } = this.shown.rows;
    this.element.style.height = `${length * ROW}px`;
    this.element.hidden = length === 0;
    for (const drawn of this.drawn) drawn.index = -1;
  }

  refresh(): void {
    for (const drawn of this.drawn) if (drawn.index >= 0) this.fill(drawn, drawn.index);
  }

  /** Draw the rows in sight, in the elements of rows that have gone out of sight. */
  draw(window: { top: number; height: number }, again: boolean): void {
    const first = Math.max(0, Math.floor(window.top / ROW) - OVERSCAN);
    const last = Math.min(this.shown.rows.length - 1, Math.ceil((window.top + window.height) / ROW) + OVERSCAN);
    const wanted = new Set<number>();
    for (let index = first; index <= last; index += 1) wanted.add(index);
    if (this.shown.rows.length > 0) wanted.add(this.shown.row); // it holds the focus
    const free = this.drawn.filter(({ index }) => !wanted.has(index));
    const present = new Set(this.drawn.map(({ index }) => index));
    if (again) for (const drawn of this.drawn) if (wanted.has(drawn.index)) this.fill(drawn, drawn.index);
    for (const index of wanted) {
      if (!present.has(index)) this.fill(free.pop() ?? this.make(), index);
    }
    for (const drawn of free) {
      if (drawn.element.contains(this.field)) this.field.remove();
      drawn.element.remove();
      this.drawn.splice(this.drawn.indexOf(drawn), 1);
    }
  }

  /** The row and column of an element; the gutter is column -1. */
  placeOf(target: EventTarget | null): { row: number; column: number } | null {
    const cell = target instanceof Element ? target.closest<HTMLElement>(".grid-cell, .grid-gutter") : null;
    const drawn = this.drawn.find(({ cells }) => cell && cells.includes(cell));
    return cell && drawn ? { row: drawn.index, column: drawn.cells.indexOf(cell) - 1 } : null;
  }

  private make(): Drawn {
    const element = part("div", "grid-row", "row");
    const gutter = part("div", "grid-gutter", "rowheader");
    gutter.setAttribute("aria-colindex", "1");
    const cells = this.shown.columns.map((_, n) => {
      const cell = part("div", "grid-cell", "gridcell");
      cell.setAttribute("aria-colindex", String(n + 2));
      return cell;
    });
    element.append(gutter, ...cells);
    this.element.append(element);
    const drawn = { element, cells: [gutter, ...cells], index: -1 };
    this.drawn.push(drawn);
    return drawn;
  }

  private fill(drawn: Drawn, index: number): void {
    const { shown } = this;
    const row = shown.rows[index];
    if (!row) return;
    const { top, bottom, left, right } = shown.selection;
    const several = top !== bottom || left !== right;
    drawn.index = index;
    drawn.element.style.top = `${index * ROW}px`;
    drawn.element.setAttribute("aria-rowindex", String(index + 2));
    drawn.element.classList.toggle("ghost", row.ghost);
    drawn.element.classList.toggle("current", index === shown.row);
    const [gutter, ...cells] = drawn.cells;
    const { text, mark } = this.host.gutter(row);
    if (gutter!.textContent !== text) gutter!.textContent = text;
    gutter!.dataset["mark"] = mark?.severity ?? "";
    gutter!.title = mark?.text ?? "";
    cells.forEach((cell, n) => {
      const name = shown.columns[n]?.name ?? "";
      const active = index === shown.row && n === shown.column;
      const cellMark = this.host.mark(row, name);
      const inside = several && index >= top && index <= bottom && n >= left && n <= right;
      cell.dataset["mark"] = cellMark?.severity ?? "";
      cell.title = cellMark?.text ?? "";
      cell.className = `grid-cell${inside ? " inside" : ""}${active ? " active" : ""}${this.host.exists(row, name) ? "" : " missing"}`;
      if (inside || active) cell.setAttribute("aria-selected", "true");
      else cell.removeAttribute("aria-selected");
      if (active) {
        if (this.field.parentElement !== cell) cell.replaceChildren(this.field);
      } else {
        const value = this.host.text(row, name);
        if (cell.textContent !== value || cell.firstElementChild) cell.textContent = value;
      }
    });
  }
}
