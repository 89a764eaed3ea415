// What the grid is told, and whom it tells.
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
  /** Enter in a cell, by its row and the number of its column; whether it led elsewhere than down. */
  onwards(row: Row, column: number): boolean;
  sorted(column: string): void;
  /** Keys of the page while nothing is typed; whether the key was used. */
  key(event: KeyboardEvent): boolean;
  leave(forward: boolean): void;
}
