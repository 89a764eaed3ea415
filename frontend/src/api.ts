// Typed calls of the workbench's API. The types in `wire.ts` are generated from the server's own description.
import { account, encodePath, t } from "./page";
import { otherAccount } from "./tabs";
import type * as wire from "./wire";

/** The server refused: the problems say why, in the reader's language. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problems: wire.Problem[],
    readonly body: Record<string, unknown>,
  ) {
    super(problems[0]?.text ?? String(status));
  }
}

/** There was no answer: the server has stopped, or the network is gone. */
export class Unreachable extends Error {}

export interface CallOptions {
  signal?: AbortSignal;
  keepalive?: boolean; // continue when the page closes; at most 64 kB
}

/**
 * Call `/api` + path. The body is sent as JSON, or unchanged if it is a form.
 * Throws `Refused`, `Unreachable`, or the browser's `AbortError`.
 */
export async function ask(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Response> {
  if (method !== "GET" && path.startsWith("/projects/")) checkAccount();
  const form = body === undefined || body instanceof FormData;
  let response: Response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      credentials: "same-origin",
      headers: form ? {} : { "Content-Type": "application/json" },
      ...(body === undefined ? {} : { body: body instanceof FormData ? body : JSON.stringify(body) }),
      ...options,
    });
  } catch (error) {
    throw isAbort(error) ? error : new Unreachable(String(error));
  }
  if (response.ok) return response;
  const answer = ((await response.json().catch(() => null)) ?? {}) as Record<string, unknown>;
  throw new Refused(response.status, (answer["problems"] ?? []) as wire.Problem[], answer);
}

/** Throw `Refused` if somebody else has signed in since the page was opened: a page must not write as another account. */
function checkAccount(): void {
  const other = otherAccount();
  if (other) throw new Refused(401, [problemOf(t("js.shell.other_account", { other, account }), "other-account")], {});
}

/** Call the API and read the answer as JSON; one that breaks off counts as none, since the server may have died. */
export async function call<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
  const response = await ask(method, path, body, options);
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw isAbort(error) ? error : new Unreachable(String(error));
  }
}

/** A path of the API inside a project; the slashes in a file's path stay. */
function within(project: string, what: string, file = ""): string {
  return `/projects/${encodeURIComponent(project)}/${what}${file ? `/${encodePath(file)}` : ""}`;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Whether nobody is signed in any more, or somebody else. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof Refused && error.status === 401;
}

/** Whether the same call may succeed later: the server is away, busy, or was called too often. */
export function mayPass(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Refused && (error.status >= 500 || error.status === 429));
}

/** A problem that the page itself reports. */
export const problemOf = (text: string, kind = ""): wire.Problem => ({ kind, severity: "error", text, place: null, values: {} });

// Files -------------------------------------------------------------------------------------------------------------

export const openFile = (project: string, file: string): Promise<wire.FileAnswer> =>
  call("GET", within(project, "files", file));

export const saveFile = (project: string, file: string, body: wire.WriteRequest, options?: CallOptions): Promise<wire.SaveAnswer> =>
  call("PUT", within(project, "files", file), body, options);

export const renameFile = (project: string, body: wire.RenameRequest): Promise<wire.SaveAnswer> =>
  call("POST", within(project, "rename"), body);

export const keepDraft = (project: string, file: string, body: wire.WriteRequest, options?: CallOptions): Promise<void> =>
  call("PUT", within(project, "drafts", file), body, options);

export const dropDraft = (project: string, file: string, tab: string): Promise<void> =>
  call("DELETE", `${within(project, "drafts", file)}?tab=${encodeURIComponent(tab)}`);

export const draftPlaces = (project: string): Promise<wire.DraftPlaces> => call("GET", within(project, "drafts"));

export const merge = (project: string, file: string, body: wire.MergeRequest): Promise<wire.MergeAnswer> =>
  call("POST", within(project, "merge", file), body);

export const present = (project: string, file: string, body: wire.PresenceRequest, options?: CallOptions): Promise<wire.PresenceAnswer> =>
  call("POST", within(project, "presence", file), body, options);

export const readRevision = (project: string, revision: number): Promise<wire.RevisionText> =>
  call("GET", `${within(project, "revisions")}/${revision}`);

// Editing -----------------------------------------------------------------------------------------------------------

export type RowsKind = "paradigm" | "phrases";
export type Path = wire.SlotRow["path"];

/** An edit that the server applies to a text, with its arguments. */
export type Step = { do: string; [argument: string]: unknown };

export type Edited<Rows> = Omit<wire.EditAnswer, "rows"> & { rows: Rows };

export const edit = <Rows>(project: string, kind: RowsKind, text: string, step: Step): Promise<Edited<Rows>> =>
  call("POST", within(project, "edit"), { kind, text, ...step });

export const preview = (project: string, body: wire.PreviewQuestion, options?: CallOptions): Promise<wire.Preview> =>
  call("POST", within(project, "preview"), body, options);

export const count = (project: string, body: wire.TextQuestion, options?: CallOptions): Promise<wire.Counts> =>
  call("POST", within(project, "count"), body, options);

export const countSome = (project: string, most: number, first: string[]): Promise<wire.CountAnswer> =>
  call("POST", within(project, "counts"), { most, first });

export const diagnose = (project: string, body: wire.TextQuestion, options?: CallOptions): Promise<wire.Diagnostics> =>
  call("POST", within(project, "diagnose"), { kind: "text", ...body }, options);

export const diagnosePhrases = (project: string, body: wire.TextQuestion, options?: CallOptions): Promise<wire.PhraseDiagnostics> =>
  call("POST", within(project, "diagnose"), { kind: "phrases", ...body }, options);

export const complete = (project: string, body: wire.CompletionQuestion, options?: CallOptions): Promise<wire.Completion> =>
  call("POST", within(project, "complete"), body, options);

export const phraseUses = (project: string, phrase: string, options?: CallOptions): Promise<wire.PhraseUses> =>
  call("GET", `${within(project, "phrases/uses")}?phrase=${encodeURIComponent(phrase)}`, undefined, options);

/** Whether paradigms use a phrase. */
export const isShared = async (project: string, phrase: string): Promise<boolean> =>
  (await phraseUses(project, phrase)).files.some(({ uid }) => uid !== null);

export const renamePhrase = (project: string, body: wire.PhraseRenaming): Promise<wire.PhraseRenamingAnswer> =>
  call("POST", within(project, "phrases/rename"), body);

export const lookAtPairs = (project: string, query: URLSearchParams, options?: CallOptions): Promise<wire.PairsPage> =>
  call("GET", `${within(project, "pairs/page")}?${query}`, undefined, options);

export const diversity = (project: string, query: URLSearchParams, options?: CallOptions): Promise<wire.Diversity> =>
  call("GET", `${within(project, "pairs/diversity")}?${query}`, undefined, options);

export const pairsFile = (project: string, query: URLSearchParams): Promise<Response> =>
  ask("GET", `${within(project, "pairs")}?${query}`);

// Lexicon -----------------------------------------------------------------------------------------------------------

export type TableOp = wire.TableEdit["ops"][number];

export const readLexicon = (project: string): Promise<wire.LexiconAnswer> => call("GET", within(project, "lexicon"));

export const readTable = (project: string, file: string): Promise<wire.OpenTable> => call("GET", within(project, "tables", file));

export const changeTable = (project: string, file: string, body: wire.TableEdit, options?: CallOptions): Promise<wire.TableAnswer> =>
  call("POST", within(project, "tables", file), body, options);

export const findWords = (project: string, query: string, options?: CallOptions): Promise<wire.Hits> =>
  call("GET", `${within(project, "lexicon/find")}?query=${encodeURIComponent(query)}`, undefined, options);

export const wordUses = (project: string, file: string, line: number, options?: CallOptions): Promise<wire.WordUses> =>
  call("GET", `${within(project, "lexicon/uses")}?file=${encodeURIComponent(file)}&line=${line}`, undefined, options);

// Studies -----------------------------------------------------------------------------------------------------------

export const studyForm = (project: string, query: string): Promise<wire.StudyForm> =>
  call("GET", `${within(project, "studies/form")}${query}`);

export const studySize = (project: string, body: wire.SizeQuestion, options?: CallOptions): Promise<wire.Size> =>
  call("POST", within(project, "studies/size"), body, options);

/** Draw a study on the server, as a new draft or in place of one. */
export const saveStudy = (project: string, id: number | null, body: wire.StudyPlan): Promise<wire.StudyNumber> =>
  id === null ? call("POST", within(project, "studies"), body) : call("PUT", `${within(project, "studies")}/${id}`, body);
