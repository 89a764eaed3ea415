// Highlighting of rules, lines and YAML, finished or half-typed. The server decides what a text means; this only decides
// what it looks like.
import type { Extension } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";

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
// a weight, a quoted word, a bar or bracket, or everything up to the next blank, bar or bracket
const TOKEN = /\d+(?:\.\d+)?\*|"(?:[^"\\]|\\.)*"?|[|<>]|(?:\\.|\((?:[^()\\]|\\.)*\)?|[^\s|<>])+/gs;

// Chinese marks and the ASCII twins that the rule language reads them as
const TWINS = new Map([..."：｜／（）＝＜＞＃＊"].map((mark, at) => [mark, ":|/()=<>#*"[at]!]));

/** The pieces of a rule. */
export function rulePieces(text: string): Piece[] {
  const rule = text.replace(/[：｜／（）＝＜＞＃＊]/g, (mark) => TWINS.get(mark)!).replace(/(?<=:)！/g, "!"); // as long as the text
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

/** The pieces after a colon, separated by `/ = # ( ) , !`. */
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

/** The pieces of a line: slots with their parts, words, and unknown names in Latin letters. */
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

/** The pieces of a YAML text: keys, comments, rules and lines. */
export function yamlPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  const slots = slotNames(text);
  let start = 0;
  let rules = -1; // the indentation of `slots` or `parts`, while inside
  for (const line of text.split("\n")) {
    const entry = /^(\s*(?:- )?)([^\s:#'"{[-][^:#]*|'[^']*'|"[^"]*"):(?=\s|$)\s*(.*)$/.exec(line);
    const indent = line.search(/\S/);
    if (/^\s*#/.test(line)) pieces.push({ kind: "mark", start, end: start + line.length });
    else if (entry) {
      if (rules >= 0 && indent <= rules) rules = -1;
      const key = start + entry[1]!.length;
      const name = entry[2]!;
      const value = start + line.length - entry[3]!.length;
      pieces.push({ kind: rules >= 0 ? "slot" : "keyword", start: key, end: key + name.length });
      if (/^(slots|parts)$/.test(name)) rules = entry[1]!.length;
      else if (rules >= 0) pieces.push(...shifted(rulePieces(entry[3]!), value));
      else if (/^(good|bad|line)$/.test(name)) pieces.push(...shifted(linePieces(entry[3]!, slots), value));
    }
    start += line.length + 1;
  }
  return pieces;
}

const shifted = (pieces: Piece[], by: number): Piece[] =>
  pieces.map((piece) => ({ ...piece, start: piece.start + by, end: piece.end + by }));

/** The names under `slots:` and `parts:`, as far as they can be found in a text that may be broken. */
function slotNames(text: string): Set<string> {
  const blocks = text.matchAll(/^( *)(?:- )?(?:slots|parts):((?:\n\1 .*|\n *)*)/gm);
  return new Set([...blocks].flatMap(([, , body]) => [...body!.matchAll(/^ +([\w-]+):/gmu)].map((match) => match[1]!)));
}

/** An extension that colours the pieces of a text. */
export function highlighting(pieces: (text: string) => Piece[]): Extension {
  return EditorView.decorations.of((view) => {
    const visible = pieces(view.state.doc.toString()).filter(({ start, end }) => end > start);
    return Decoration.set(
      visible.map(({ kind, start, end }) => Decoration.mark({ class: `piece-${kind}` }).range(start, end)),
      true,
    );
  });
}
