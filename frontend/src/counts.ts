// How many pairs there are, written exactly or as far as it is known, and which paradigms to count first.
import { t } from "./page";
import type { Counts } from "./wire";

export type Known = Pick<Counts, "value" | "exact" | "least">;

/** A count as the server's pages write it: a bound is marked, and a number that is not known is a dash. */
export function readable({ value, exact, least }: Known): string {
  if (exact && value !== null) return digits(value);
  if (least) return `> ${digits(least - 1)}`;
  return value === null ? "–" : `≤ ${digits(value)}`;
}

/** Very large numbers are powers of ten. */
const digits = (value: number): string => (value < 1e15 ? value.toLocaleString("en") : value.toExponential(2));

/** What a bound means; nothing where the count is exact. */
export function meaning(count: Known, reasons: readonly unknown[] = []): string {
  if (count.exact) return "";
  if (count.least) return t("project.at_least");
  if (count.value !== null) return t("project.at_most");
  return t(reasons.length ? "project.no_count" : "project.long_count");
}

/** The sum of counts: at least the lower bounds where some are not exact, or at most the upper ones. */
export function sumOf(counts: readonly Known[]): Known {
  const sum = { value: 0, exact: true, least: 0 };
  for (const { value, exact, least } of counts) {
    sum.value += value ?? 0;
    sum.least += exact ? (value ?? 0) : least;
    sum.exact &&= exact;
  }
  return sum;
}

/** The files in the order in which to count them: those on the screen, those that the filter shows, the rest. */
export function inOrder(rows: readonly { file: string; top: number; hidden: boolean }[], height: number): string[] {
  const distance = ({ top, hidden }: { top: number; hidden: boolean }): number =>
    hidden ? 2 : top >= 0 && top < height ? 0 : 1;
  return [...rows].sort((a, b) => distance(a) - distance(b)).map(({ file }) => file);
}
