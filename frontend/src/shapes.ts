// The shapes that travel between the server and the pages. Places in texts are UTF-16 offsets, as JavaScript counts.

export type Severity = "error" | "warning" | "note";

export interface Problem {
  kind: string;
  severity: Severity;
  text: string;
  place: { file: string; line: number; column: number } | null;
  values: Record<string, unknown>;
}

export interface Span {
  start: number;
  end: number;
}

export interface Range extends Span {
  line: number;
  column: number;
  end_line: number;
  end_column: number;
}

export type Path = (string | number)[];

export interface Diagnostic {
  kind: string;
  severity: Severity;
  text: string;
  values: Record<string, unknown>;
  range: Range | null;
  file: string;
  slot: string;
  variant: number | null;
  row: Path;
  inner: Span | null; // within the rule or line itself
}

export interface Change {
  start: number;
  end: number;
  text: string;
}

export interface SlotRow {
  name: string;
  rule: string;
  path: Path;
  name_span: Span;
  rule_span: Span;
}

export interface Item {
  text: string;
  start: number;
  end: number;
  slot: string;
  part: string;
  column: string;
}

export interface LineRow {
  text: string;
  span: Span;
  items: Item[];
}

export type Fate = "same" | "move" | "copy" | "drop" | "add" | "replace" | "agree";

export interface ItemRow {
  good: number | null;
  bad: number | null;
  fate: Fate;
  partner: number | null;
}

export interface Wording {
  name: string;
  path: Path;
  slots: SlotRow[];
  good: LineRow | null;
  bad: LineRow | null; // none: the same as the good line
  rows: ItemRow[];
  options: Record<string, string>;
  groups: Record<string, string[][]>;
}

export interface Field {
  name: string;
  value: string;
  span: Span | null;
}

export interface ParadigmRows {
  fields: Field[];
  slots: SlotRow[]; // shared by several wordings
  wordings: Wording[];
  seams: string[];
}

export interface PhraseAlternative {
  span: Span;
  rule: string | null;
  parts: SlotRow[];
  line: string;
  head: string;
  weight: string;
}

export interface PhraseRow {
  name: string;
  span: Span;
  depth: string;
  alternatives: PhraseAlternative[];
}

/** An edit that the server works out from a text, with its arguments. */
export type Step = { do: string; [argument: string]: unknown };

export interface Edited<Rows> {
  text: string;
  changes: Change[];
  rows: Rows;
}

export interface PreviewPair {
  good: string;
  bad: string;
  good_regions: Span[];
  bad_regions: Span[];
}

export interface Preview {
  seed: number;
  pairs: PreviewPair[];
  complete: boolean;
  diagnostics: Diagnostic[];
  seconds: number;
}

export interface SlotWords {
  slot: string;
  wording: number;
  alone: number;
  joint: number | null;
  examples: string[];
  narrowings: { text: string; alone: number; without: number }[];
}

export interface Counted {
  value: number | null; // none: it could not be counted
  exact: boolean;
  reasons: Diagnostic[];
}

export interface Option {
  text: string;
  kind: string;
  count: number | null;
  detail?: string;
}

export interface Completion extends Span {
  options: Option[];
  more: number;
}

export interface Draft {
  text: string;
  base: number | null;
  time: string;
  why: string;
  tab: string;
}

export interface OpenedFile {
  file: string;
  kind: string;
  text: string;
  revision: number | null; // none: there is no such file yet
  time: string;
  author: string;
  drafts: Draft[];
  others: string[];
  may_edit: boolean;
}

export interface Saved {
  saved: boolean;
  draft?: boolean;
  changed?: boolean;
  revision?: number;
  time?: string;
  problems: Problem[];
}

export interface Conflict {
  base: { revision: number; text: string } | null;
  theirs: { revision: number; text: string; author: string; time: string; deleted: boolean };
  yours: string;
}

export interface RowConflict {
  row: string;
  kind: string;
  text: string;
  base: string | null;
  mine: string | null;
  theirs: string | null;
}

export interface Merged {
  text: string;
  revision: number;
  conflicts: RowConflict[];
}
