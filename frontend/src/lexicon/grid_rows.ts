// The grid's rows on the page: only those in sight are there, in elements that go on to other rows when one scrolls.
import type { Column, GridHost, Selection } from "./grid_host";
import { part } from "./grid_parts";
import type { Row } from "./sheets";

export const ROW = 30; // pixels, as in the style
const OVERSCAN = 6;

/** What is to be seen: the rows and columns, the active cell, and what is selected. */
interface Seen {
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

export class GridRows {
  readonly element = part("div", "grid-body", "rowgroup");
  private drawn: Drawn[] = [];

  constructor(
    private readonly seen: Seen,
    private readonly host: GridHost,
    private readonly field: HTMLElement, // stands in the active cell
  ) {}

  /** The columns are others. */
  clear(): void {
    this.field.remove();
    this.element.replaceChildren();
    this.drawn = [];
  }

  /** The rows are others. */
  reset(): void {
    const { length } = this.seen.rows;
    this.element.style.height = `${length * ROW}px`;
    this.element.hidden = length === 0;
    for (const one of this.drawn) one.index = -1;
  }

  /** Draws the cells in sight anew. */
  refresh(): void {
    for (const one of this.drawn) if (one.index >= 0) this.fill(one, one.index);
  }

  /** Draws the rows in sight, in elements of rows that went out of sight. */
  draw(window: { top: number; height: number }, again: boolean): void {
    const first = Math.max(0, Math.floor(window.top / ROW) - OVERSCAN);
    const last = Math.min(this.seen.rows.length - 1, Math.ceil((window.top + window.height) / ROW) + OVERSCAN);
    const wanted = new Set<number>();
    for (let index = first; index <= last; index += 1) wanted.add(index);
    if (this.seen.rows.length > 0) wanted.add(this.seen.row); // it holds the focus
    const free = this.drawn.filter((one) => !wanted.has(one.index));
    const there = new Set(this.drawn.map((one) => one.index));
    if (again) for (const one of this.drawn) if (wanted.has(one.index)) this.fill(one, one.index);
    for (const index of wanted) {
      if (there.has(index)) continue;
      const one = free.pop() ?? this.make();
      this.fill(one, index);
    }
    for (const one of free) {
      if (one.element.contains(this.field)) this.field.remove();
      one.element.remove();
      this.drawn.splice(this.drawn.indexOf(one), 1);
    }
  }

  /** The row and the column of something in the page; the column of the gutter is -1. */
  placeOf(target: EventTarget | null): { row: number; column: number } | null {
    const cell = target instanceof Element ? target.closest<HTMLElement>(".grid-cell, .grid-gutter") : null;
    const drawn = this.drawn.find((one) => cell && one.cells.includes(cell));
    return cell && drawn ? { row: drawn.index, column: drawn.cells.indexOf(cell) - 1 } : null;
  }

  private make(): Drawn {
    const element = part("div", "grid-row", "row");
    const gutter = part("div", "grid-gutter", "rowheader");
    gutter.setAttribute("aria-colindex", "1");
    const cells = this.seen.columns.map((_, n) => {
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
    const { seen } = this;
    const row = seen.rows[index];
    if (!row) return;
    const { top, bottom, left, right } = seen.selection;
    const many = top !== bottom || left !== right;
    drawn.index = index;
    drawn.element.style.top = `${index * ROW}px`;
    drawn.element.setAttribute("aria-rowindex", String(index + 2));
    drawn.element.classList.toggle("ghost", row.ghost);
    drawn.element.classList.toggle("current", index === seen.row);
    const [gutter, ...cells] = drawn.cells;
    const { text, mark } = this.host.gutter(row);
    if (gutter!.textContent !== text) gutter!.textContent = text;
    gutter!.dataset["mark"] = mark?.severity ?? "";
    gutter!.title = mark?.text ?? "";
    cells.forEach((cell, n) => {
      const name = seen.columns[n]?.name ?? "";
      const active = index === seen.row && n === seen.column;
      const found = this.host.mark(row, name);
      const inside = many && index >= top && index <= bottom && n >= left && n <= right;
      cell.dataset["mark"] = found?.severity ?? "";
      cell.title = found?.text ?? "";
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
