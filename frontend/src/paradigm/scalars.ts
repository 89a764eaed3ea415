// Values as YAML writes them: a typed rule or line goes into the file's text at once, without asking the server.
import type { Span } from "../shapes";

const INDICATORS = /^[-?:](?=\s|$)|^[,[\]{}#&*!|>'"%@`]/;

/** Whether a value may stand as it is; `flow` inside `{…}` or `[…]`. Cautious: what is quoted is never wrong. */
export function isPlain(value: string, flow: boolean): boolean {
  if (value === "" || value !== value.trim() || /[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]/.test(value)) return false;
  if (INDICATORS.test(value) || /:(\s|$)|\s#/.test(value) || /^(---|\.\.\.)(\s|$)/.test(value)) return false;
  return !flow || !/[,[\]{}?]|^[-:]/.test(value);
}

/** A value of one line, quoted only where it must be. Control characters, which nobody types, become blanks. */
export function written(value: string, flow: boolean): string {
  const clean = value.replace(/[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]/g, " ").trim();
  return isPlain(clean, flow) ? clean : `'${clean.replaceAll("'", "''")}'`;
}

/** Whether the value at a place stands inside `{…}` or `[…]`: before a value of its own line, there is only its key. */
export function inFlow(text: string, start: number): boolean {
  const before = text.slice(text.lastIndexOf("\n", start - 1) + 1, start);
  return !/^\s*(?:-\s+)*(?:[^\s'"{[#][^{[]*?|'[^']*'|"[^"]*"):\s*$/.test(before) && !/^\s*(?:-\s+)*-\s*$/.test(before);
}

/** The change that takes a value away, with the blanks before it at the end of a line; its place stays. */
export function emptied(text: string, { start, end }: Span): { from: number; to: number; insert: string } | null {
  const last = /^[ \t]*(\r?\n|$)/.test(text.slice(end));
  const blanks = last ? /[ \t]*$/.exec(text.slice(0, start))![0].length : 0;
  return start === end ? null : { from: start - blanks, to: end, insert: "" };
}

/** The one change that makes `now` of `old`, which starts at `start`; none where they are equal. */
export function narrowed(old: string, now: string, start: number): { from: number; to: number; insert: string } | null {
  if (old === now) return null;
  const most = Math.min(old.length, now.length);
  let head = 0;
  let tail = 0;
  while (head < most && old[head] === now[head]) head++;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  return { from: start + head, to: start + old.length - tail, insert: now.slice(head, now.length - tail) };
}
