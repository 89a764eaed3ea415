// The calls of the lexicon's page, and what travels in them.
import { call, within, type CallOptions } from "../api";
import type { Change, Problem } from "../shapes";

/** A row of a file: its line, counted from 1, and its cells, of which the last may be missing. */
export type WireRow = readonly [number, ...string[]];

export interface TableProblem extends Problem {
  file: string;
  line: number;
  column: string; // its name; blank: the whole row
}

export interface WireSheet {
  file: string;
  revision: number | null; // none: there is no such file yet
  columns: string[];
  rows: WireRow[];
}

export interface Feature {
  name: string;
  values: [string, number][];
  words: number;
}

export interface WireLexicon {
  files: WireSheet[];
  features: Feature[];
  problems: TableProblem[];
  words: number;
  may_edit: boolean;
}

export type TableOp =
  | { do: "set"; line: number; column: string; value: string }
  | { do: "add"; rows: string[][]; after: number }
  | { do: "delete"; lines: number[] }
  | { do: "column"; name: string }
  | { do: "paste"; block: string; line: number; column: string }
  | { do: "changes"; changes: Change[] };

export interface TableAnswer {
  saved: boolean; // not where the text would have errors: nothing is written then
  revision: number;
  columns: string[];
  inverse: Change[]; // valid on `revision`
  merged: boolean;
  moved: boolean; // `rows_changed` has all rows
  rows_changed: WireRow[];
  problems: TableProblem[];
}

export interface Use {
  file: string;
  uid: string;
  slots: string[];
}

export const readLexicon = (project: string): Promise<WireLexicon> => call("GET", within(project, "lexicon"));

export const changeTable = (
  project: string,
  file: string,
  body: { base: number | null; tab: string; ops: TableOp[] },
  options?: CallOptions,
): Promise<TableAnswer> => call("POST", within(project, "tables", file), body, options);

export const findWords = (
  project: string,
  query: string,
  options?: CallOptions,
): Promise<{ hits: [string, number][]; total: number }> =>
  call("GET", `${within(project, "lexicon/find")}?query=${encodeURIComponent(query)}`, undefined, options);

export const usesOf = (
  project: string,
  file: string,
  line: number,
  options?: CallOptions,
): Promise<{ paradigms: Use[]; total: number }> =>
  call("GET", `${within(project, "lexicon/uses")}?file=${encodeURIComponent(file)}&line=${line}`, undefined, options);

/** What the reader has typed in a project and that is not saved, for its errors. */
export interface DraftPlace {
  file: string;
  time: string;
  tab: string;
}

export const draftPlaces = (project: string): Promise<{ drafts: DraftPlace[] }> => call("GET", within(project, "drafts"));

export const readRevision = (project: string, revision: number): Promise<{ text: string }> =>
  call("GET", `${within(project, "revisions")}/${revision}`);
