// Two made something of one revision: the rows that both changed, until the reader has chosen.
import { page } from "./page";
import type { RowConflict } from "./shapes";
import { t } from "./words";

/** Who changed something, as the reader is told: their own name is another tab of theirs. */
export function nameOf(author: string): string {
  if (!author) return t("js.somebody");
  return author === page.name || author === "local" ? t("js.yourself") : author;
}

export type Choices = Record<string, "mine" | "theirs">;

/** What this tab and another made of one revision: the rows that both changed. */
export interface Disagreement {
  base: number | null;
  rows: RowConflict[];
  author: string;
  time: string;
  deleted: number | null; // the revision in which the other deleted the file
  mine: () => string;
}
