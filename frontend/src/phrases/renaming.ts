// Another name for a phrase that paradigms use: the server writes it into all files that name it, or into none.
import * as api from "../api";
import type { FileDocument } from "../saving";
import type { Problem } from "../shapes";
import { t } from "../words";

const RETRY = 1_000; // milliseconds, where the server is away or busy

export interface Uses {
  files: { file: string; uid: string | null }[]; // without a uid: other phrases
  total: number;
}

/** What became of a name outside of the open text. */
export interface Carried {
  paradigms: number; // that have the new name
  problems: Problem[]; // why nothing was changed
}

export const usesOf = (project: string, phrase: string, options?: api.CallOptions): Promise<Uses> =>
  api.call("GET", `${api.within(project, "phrases/uses")}?phrase=${encodeURIComponent(phrase)}`, undefined, options);

/** Whether paradigms use a phrase. */
export const isShared = async (project: string, phrase: string): Promise<boolean> =>
  (await usesOf(project, phrase)).files.some(({ uid }) => uid !== null);

/** Has a new name written wherever paradigms use the phrase; the open text, saved before, then lacks it still. */
export async function carry(file: FileDocument, old: string, to: string): Promise<Carried> {
  for (;;) {
    try {
      const shared = await isShared(file.project, old);
      return shared ? await renameEverywhere(file, old, to) : { paradigms: 0, problems: [] };
    } catch (error) {
      if (!api.mayPass(error)) return refused(error);
      file.unreachable();
      await new Promise((again) => setTimeout(again, RETRY));
    }
  }
}

async function renameEverywhere(file: FileDocument, old: string, to: string): Promise<Carried> {
  await file.flush();
  const { text } = await api.openFile(file.project, file.file);
  if (text !== file.text) return { paradigms: 0, problems: [problem(t("phrases.rename_draft"))] };
  const body = { old, new: to };
  const answer = await api.call<{ files: string[]; revision: number }>("POST", api.within(file.project, "phrases/rename"), body);
  file.base = answer.revision;
  return { paradigms: answer.files.filter((changed) => changed !== file.file).length, problems: [] };
}

const problem = (text: string): Problem => ({ kind: "", severity: "error", text, place: null, values: {} });

function refused(error: unknown): Carried {
  const status = error instanceof api.Refused ? error.status : 0;
  const found = error instanceof api.Refused ? error.problems : [];
  return { paradigms: 0, problems: found.length ? found : [problem(t("js.shell.refused", { status }))] };
}
