// The shapes that travel between the server and the pages, under the names that the pages use. They are generated from
// the server's own description (`wire.ts`); what the pages add to them, or take for granted, is said here.
import type * as wire from "./wire";

export type { Change, Field, Item, ItemRow, Option, ParadigmRows, Problem, Range } from "./wire";
export type { RowConflict, SlotWords, Span, Wording } from "./wire";

export type Severity = wire.Problem["severity"] | "note"; // the pages have notes, the server has none
export type Path = wire.Slot["path"];
export type Fate = wire.ItemRow["fate"];
export type SlotRow = wire.Slot;
export type LineRow = wire.Line;
export type PreviewPair = wire.Pair;
export type Saved = wire.SaveAnswer;
export type Merged = wire.MergeAnswer;
export type Completion = wire.CompletionAnswer;
export type Diagnostic = Omit<wire.Diagnostic, "severity"> & { severity: Severity };
export type Preview = Omit<wire.Preview, "diagnostics"> & { diagnostics: Diagnostic[] };
export type Counted = Omit<wire.Counts, "reasons"> & { reasons: Diagnostic[] };

/** An alternative; one that was just added has no path until the server has seen it. */
export type PhraseAlternative = Omit<wire.Alternative, "path"> & { path?: Path };
export type PhraseRow = Omit<wire.Phrase, "path" | "alternatives"> & { alternatives: PhraseAlternative[] };

/** A draft of the server, or one that this browser keeps. */
export type Draft = Omit<wire.Draft, "project" | "file" | "why"> & { why: wire.Draft["why"] | "local" };

export type OpenedFile = Omit<wire.FileAnswer, "time" | "drafts"> & { time: string; drafts: Draft[] };

/** A conflict of somebody who sent a text; whoever deletes a file has none. */
export type Conflict = Omit<wire.Conflict, "yours"> & { yours: string };

/** An edit that the server works out from a text, with its arguments. */
export type Step = { do: string; [argument: string]: unknown };

export type Edited<Rows> = Omit<wire.Edited, "rows"> & { rows: Rows };
