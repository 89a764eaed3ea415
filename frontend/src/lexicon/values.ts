// The values that words have, with how many have each: what is offered while a cell or a search is typed.
import type { Feature } from "./calls";
import type { Row, Sheet } from "./sheets";

export interface Suggestion {
  readonly text: string;
  readonly count: number | null;
}

const MOST = 50;

/** Values by column, counted when they are first asked for, anew after each edit. */
export class Values {
  private known = new Map<string, Map<string, number>>();

  constructor(
    private sheets: () => readonly Sheet[],
    private features: () => readonly Feature[],
  ) {}

  forget(): void {
    this.known.clear();
  }

  /** Values for the last of those joined by `/`, best first: those that begin so, then the commonest. */
  suggest(column: string, typed: string): Suggestion[] {
    if (column === "expression") return [];
    const before = typed.split("/");
    const wanted = (before.pop() ?? "").trim().toLowerCase();
    const found = [...this.counts(column)]
      .filter(([value]) => value.toLowerCase().includes(wanted) && !before.includes(value))
      .map(([text, count]) => ({ text, count, late: text.toLowerCase().startsWith(wanted) ? 0 : 1 }));
    found.sort((a, b) => a.late - b.late || b.count - a.count || a.text.localeCompare(b.text));
    return found.slice(0, MOST);
  }

  counts(column: string): Map<string, number> {
    const found = this.known.get(column) ?? this.count(column);
    this.known.set(column, found);
    return found;
  }

  private count(column: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const sheet of this.sheets()) {
      const at = sheet.columns.indexOf(column);
      if (at < 0) continue;
      for (const row of sheet.rows) for (const value of valuesOf(row, at)) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    // what a value is a kind of stands in no cell, but may be asked for and written
    const listed = this.features().find((feature) => feature.name === column)?.values ?? [];
    for (const [value, count] of listed) if (!counts.has(value)) counts.set(value, count);
    return counts;
  }
}

function valuesOf(row: Row, at: number): string[] {
  const cell = row.cells[at];
  return cell ? cell.split("/").map((value) => value.trim()).filter(Boolean) : [];
}
