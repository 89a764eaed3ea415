// Typing in the rows of phrases: the one change of the text that puts a value where it stands.
import { emptied, inFlow, narrowed, written } from "../paradigm/scalars";
import type { Span } from "../shapes";
import type { Target } from "./targets";

export interface Typed {
  change: { from: number; to: number; insert: string } | null; // none where the text says it already
  span: Span; // where the value then stands
}

/** The change for a value at a place; none where it may not stand there, and the server has to make another place. */
export function typedAt(text: string, target: Target, value: string, span: Span): Typed | null {
  if (!value && !mayBeEmpty(text, target, span)) return null;
  if (!value) {
    const change = emptied(text, span);
    const start = change?.from ?? span.start;
    return { change, span: { start, end: start } };
  }
  const gap = span.start === span.end && /\S/.test(text[span.start - 1] ?? " ") ? " " : "";
  const now = gap + written(value, inFlow(text, span.start));
  const change = narrowed(text.slice(span.start, span.end), now, span.start);
  return { change, span: { start: span.start + gap.length, end: span.start + now.length } };
}

/** A rule may be missing for a while, which is an error that is shown; but YAML has no empty item between commas. */
function mayBeEmpty(text: string, target: Target, { start }: Span): boolean {
  return target.of === "part" || (target.of === "rule" && !inFlow(text, start));
}
