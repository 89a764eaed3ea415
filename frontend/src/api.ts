// Typed calls of the workbench's API.
import { account } from "./page";
import type * as shapes from "./shapes";
import { otherAccount } from "./signed_in";
import { t } from "./words";

/** An answer other than success: what is wrong, in the reader's language. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problems: shapes.Problem[],
    readonly body: Record<string, unknown>,
  ) {
    super(problems[0]?.text ?? String(status));
  }
}

/** No answer: the server is stopped, or the network is gone. */
export class Unreachable extends Error {}

export interface CallOptions {
  signal?: AbortSignal;
  keepalive?: boolean; // goes on when the page closes; at most 64 kB
}

/**
 * Calls `/api` + path; the body travels as JSON, or as it is where it is a form's.
 * Raises `Refused`, `Unreachable`, or the browser's `AbortError`.
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
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable(String(error));
  }
  if (response.ok) return response;
  const found: unknown = await response.json().catch(() => null);
  const answer = (found ?? {}) as Record<string, unknown>;
  throw new Refused(response.status, (answer["problems"] ?? []) as shapes.Problem[], answer);
}

/** Raises `Refused` where the session is that of another account than the page. */
function checkAccount(): void {
  const other = otherAccount();
  if (!other) return;
  const text = t("js.shell.other_account", { other, account });
  throw new Refused(401, [{ kind: "other-account", severity: "error", text, place: null, values: {} }], {});
}

/** The same, with the answer read as JSON. An answer that breaks off is none: the server may have died in the middle. */
export async function call<T>(method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<T> {
  const response = await ask(method, path, body, options);
  if (response.status === 204) return undefined as T;
  try {
    return (await response.json()) as T;
  } catch (error) {
    throw isAbort(error) ? error : new Unreachable(String(error));
  }
}

/** A path of the API inside a project; the parts of a file's path stay parts. */
export function within(project: string, what: string, file = ""): string {
  const tail = file.split("/").map(encodeURIComponent).join("/");
  return `/projects/${encodeURIComponent(project)}/${what}${file ? `/${tail}` : ""}`;
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** Whether nobody is signed in any more, or somebody else. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof Refused && error.status === 401;
}

/** Whether the same call may succeed later: the server is away, busy, or was asked too often. */
export function mayPass(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Refused && (error.status >= 500 || error.status === 429));
}

// Files -------------------------------------------------------------------------------------------------------------

export const openFile = (project: string, file: string): Promise<shapes.OpenedFile> =>
  call("GET", within(project, "files", file));

export const saveFile = (
  project: string,
  file: string,
  body: { text: string; base: number | null; tab: string },
  options?: CallOptions,
): Promise<shapes.Saved> => call("PUT", within(project, "files", file), body, options);

export const renameFile = (
  project: string,
  body: { file: string; to: string; text: string; base: number | null; tab: string },
): Promise<shapes.Saved> => call("POST", within(project, "rename"), body);

export const keepDraft = (
  project: string,
  file: string,
  body: { text: string; base: number | null; tab: string },
  options?: CallOptions,
): Promise<void> => call("PUT", within(project, "drafts", file), body, options);

export const dropDraft = (project: string, file: string, tab: string): Promise<void> =>
  call("DELETE", `${within(project, "drafts", file)}?tab=${encodeURIComponent(tab)}`);

export const merge = (
  project: string,
  file: string,
  body: { base: number | null; mine: string; choose: Record<string, "mine" | "theirs"> },
): Promise<shapes.Merged> => call("POST", within(project, "merge", file), body);

export const present = (
  project: string,
  file: string,
  body: { tab: string; leave?: boolean },
  options?: CallOptions,
): Promise<{ others: string[]; revision: number }> => call("POST", within(project, "presence", file), body, options);

// Editing -----------------------------------------------------------------------------------------------------------

export type RowsKind = "paradigm" | "phrases";

export const readRows = <Rows>(project: string, kind: RowsKind, text: string, options?: CallOptions): Promise<Rows> =>
  call<{ rows: Rows }>("POST", within(project, "rows"), { kind, text }, options).then((found) => found.rows);

export const edit = <Rows>(
  project: string,
  kind: RowsKind,
  text: string,
  step: shapes.Step,
): Promise<shapes.Edited<Rows>> => call("POST", within(project, "edit"), { kind, text, ...step });

export interface Asked {
  file: string;
  text: string;
  editor: string;
}

export const preview = (
  project: string,
  body: Asked & { n: number; seed: number },
  options?: CallOptions,
): Promise<shapes.Preview> => call("POST", within(project, "preview"), body, options);

export const words = (project: string, body: Asked, options?: CallOptions): Promise<{ slots: shapes.SlotWords[] }> =>
  call("POST", within(project, "words"), body, options);

export const count = (project: string, body: Asked, options?: CallOptions): Promise<shapes.Counted> =>
  call("POST", within(project, "count"), body, options);

export const diagnose = (
  project: string,
  body: { kind: "phrases" | "text"; file: string; text: string },
  options?: CallOptions,
): Promise<{ diagnostics: shapes.Diagnostic[] }> => call("POST", within(project, "diagnose"), body, options);

export interface CompleteQuestion {
  kind: "rule" | "line" | "text" | "phrases";
  text: string;
  cursor: number;
  slots?: Record<string, string>;
  slot?: string;
}

export const complete = (
  project: string,
  body: CompleteQuestion,
  options?: CallOptions,
): Promise<shapes.Completion> => call("POST", within(project, "complete"), { slots: {}, slot: "", ...body }, options);
