// The pieces of a rule or a line, finished or half-typed, for highlighting. The server's scanner decides what they
// mean; this one only says what each stretch looks like.

export type PieceKind =
  | "feature" | "value" | "slot" | "phrase" | "relation" | "part" | "keyword" | "word" | "weight" | "mark" | "unknown";

export interface Piece {
  kind: PieceKind;
  start: number;
  end: number;
}

const KEYWORDS = new Map<string, "slot" | "feature" | "phrase" | "relation">([
  ...["mPos", "mmPos", "matchedPosition", "mismatchedPosition"].map((word) => [word, "slot"] as const),
  ...["mPro", "mmPro", "matchedProperties", "mismatchedProperties"].map((word) => [word, "feature"] as const),
  ["phrase", "phrase"],
  ["rel", "relation"],
]);
// a weight, a quoted word, a bar or bracket, or what stands up to the next blank, bar or bracket
const TOKEN = /\d+(?:\.\d+)?\*|"(?:[^"\\]|\\.)*"?|[|<>]|(?:\\.|\((?:[^()\\]|\\.)*\)?|[^\s|<>])+/gs;

/** The pieces of a rule. */
export function rulePieces(rule: string): Piece[] {
  const pieces: Piece[] = [];
  for (const match of rule.matchAll(TOKEN)) {
    const token = match[0];
    const start = match.index;
    const end = start + token.length;
    if (/^[|<>]$/.test(token)) pieces.push({ kind: "mark", start, end });
    else if (/^\d+(\.\d+)?\*$/.test(token)) pieces.push({ kind: "weight", start, end });
    else pieces.push(...tokenPieces(rule, start, end));
  }
  return pieces;
}

function tokenPieces(rule: string, start: number, end: number): Piece[] {
  const token = rule.slice(start, end);
  const colon = token.startsWith('"') ? -1 : token.search(/(?<!\\):/);
  if (colon < 0) return [{ kind: "word", start, end }];
  const name = token.slice(0, colon);
  const after = start + colon + 1;
  const mark: Piece = { kind: "mark", start: after - 1, end: after };
  const kind = KEYWORDS.get(name);
  if (kind) return [{ kind: "keyword", start, end: after - 1 }, mark, ...parts(rule, after, end, kind)];
  const opens = after === end && rule[end] === "<";
  const head: Piece = { kind: opens ? "part" : "feature", start, end: after - 1 };
  return [head, mark, ...parts(rule, after, end, "value")];
}

/** What stands after the colon, with `/ = # ( ) , !` between. */
function parts(rule: string, start: number, end: number, kind: PieceKind): Piece[] {
  const pieces: Piece[] = [];
  let inner = kind;
  for (const match of rule.slice(start, end).matchAll(/(?:\\.|[^/=#(),!\s])+|[/=#(),!]/g)) {
    const at = start + match.index;
    const mark = /^[/=#(),!]$/.test(match[0]);
    pieces.push({ kind: mark ? "mark" : inner, start: at, end: at + match[0].length });
    if (match[0] === "(") inner = "slot";
    if (match[0] === "#") inner = "value";
  }
  return pieces;
}

/** The pieces of a line's items: slots with their parts, words, and names in Latin letters that no slot has. */
export function linePieces(line: string, slots: ReadonlySet<string>): Piece[] {
  const pieces: Piece[] = [];
  for (const match of line.matchAll(/"(?:[^"\\]|\\.)*"?|(?:\\.|\S)+/gs)) {
    const start = match.index;
    const end = start + match[0].length;
    const use = /^([\w+-]+|[^\s."@]+)((?:\.[^\s@]*)?(?:@\S*)?)$/u.exec(match[0]);
    if (use && slots.has(use[1]!)) {
      pieces.push({ kind: "slot", start, end: start + use[1]!.length });
      if (use[2]) pieces.push({ kind: "part", start: start + use[1]!.length, end });
    } else {
      const latin = !match[0].startsWith('"') && /[A-Za-z]/.test(match[0]);
      pieces.push({ kind: latin ? "unknown" : "word", start, end });
    }
  }
  return pieces;
}
