// Problems at the cells that they belong to, and rows at the lines by which problems name them.
import type { TableProblem } from "./calls";
import type { Mark } from "./grid_host";
import type { Placed, Row, Sheet } from "./sheets";

export class Marks {
  private readonly marks = new Map<Row, Map<string, Mark>>();
  private readonly lines = new Map<Row, number>();
  private readonly places = new Map<string, Row>(); // by file and line

  constructor(problems: readonly TableProblem[], sheets: Iterable<Sheet>, placed: (sheet: Sheet) => readonly Placed[]) {
    for (const sheet of sheets) {
      for (const { row, line } of placed(sheet)) {
        this.lines.set(row, line);
        this.places.set(`${sheet.file}:${line}`, row);
      }
    }
    for (const problem of problems) this.put(problem);
  }

  /** What is wrong in a cell; of the row as a whole, with a blank name. */
  of(row: Row, column: string): Mark | null {
    return this.marks.get(row)?.get(column) ?? null;
  }

  /** The row's line in its file; none while it is on its way. */
  line(row: Row): number | null {
    return this.lines.get(row) ?? null;
  }

  rowAt(file: string, line: number): Row | null {
    return this.places.get(`${file}:${line}`) ?? null;
  }

  private put({ file, line, column, severity, text }: TableProblem): void {
    const row = this.rowAt(file, line);
    if (!row) return;
    const mine = this.marks.get(row) ?? new Map<string, Mark>();
    this.marks.set(row, mine);
    const before = mine.get(column);
    const worse = before?.severity === "error" ? "error" : severity;
    mine.set(column, { severity: worse, text: before ? `${before.text}\n${text}` : text });
  }
}
