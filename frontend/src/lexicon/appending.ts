// Writing at the end of a file: into its blank row, and from there into the next one, word after word.
import type { Grid } from "./grid";
import type { Row } from "./sheets";
import type { View } from "./view";

export class Appending {
  private written = new WeakSet<Row>(); // rows that were blank ones at the end of a file

  constructor(
    private readonly grid: Grid,
    private readonly view: View,
  ) {}

  /** To the first cell of the blank row at the end of a file. */
  begin(file: string): void {
    const row = this.view.lastBlank(file);
    this.grid.go(this.grid.rows.indexOf(row), 0);
  }

  /** A cell is written; to be called before. */
  writes(row: Row): void {
    if (this.view.endsFile(row)) this.written.add(row);
  }

  /** From a row written at the end into the next blank one: from its last cell to the first there. */
  onwards(row: Row, column: number): boolean {
    if (!this.written.has(row)) return false;
    const next = this.view.lastBlank(row.file);
    this.grid.go(this.grid.rows.indexOf(next), column === this.grid.columns.length - 1 ? 0 : column);
    return true;
  }
}
