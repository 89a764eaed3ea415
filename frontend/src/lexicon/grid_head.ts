// The heads of the grid's columns: each sorts by its column, and the arrows go from one to the next.
import type { Column } from "./grid_host";
import { part, unseen } from "./grid_parts";

export class GridHead {
  readonly element = part("div", "grid-head", "rowgroup");

  /** `sorted` is called with a column's name, `down` with its number when the cursor goes into the rows. */
  constructor(
    private readonly sorted: (name: string) => void,
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
    button.addEventListener("click", () => this.sorted(column.name));
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
