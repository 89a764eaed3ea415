// Splices: the one change of the text that puts a typed value where it stands.
import type { ParadigmRows, Span } from "../shapes";
import { emptied, inFlow, narrowed, written } from "./scalars";
import { find, type Target } from "./targets";

export interface Splice {
  target: Target;
  value: string;
  span: Span; // where the old value stands
  now: string; // what stands there after it
  lead: number; // blanks before the new value
  change: { from: number; to: number; insert: string };
}

/** The splice of a value; "same" where the text has it already, none where it has no place for it. */
export function spliceOf(rows: ParadigmRows, text: string, target: Target, value: string, pending: boolean): Splice | "same" | null {
  const { value: old, span } = find(rows, target);
  const trimmed = value.trim();
  if (trimmed === old.trim() && !pending && (span || target.of !== "line")) return "same";
  if (!span || (!trimmed && target.of !== "rule")) return null;
  if (!trimmed) { // no rule, which is an error; nothing is `""`
    const gone = emptied(text, span);
    return gone ? { target, value: "", span, now: "", lead: 0, change: gone } : "same";
  }
  const lead = span.start === span.end && /\S/.test(text[span.start - 1] ?? " ") ? 1 : 0;
  const now = " ".repeat(lead) + written(trimmed, inFlow(text, span.start));
  const change = narrowed(text.slice(span.start, span.end), now, span.start);
  return change ? { target, value: trimmed, span, now, lead, change } : "same";
}
