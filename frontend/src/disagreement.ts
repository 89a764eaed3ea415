// Two made something of one revision: the rows that both changed, until the reader has chosen.
import * as api from "./api";
import { settled } from "./composing";
import { page } from "./page";
import type { FileDocument } from "./saving";
import type { Draft, RowConflict } from "./shapes";
import { t } from "./words";

/** Who changed something, as the reader is told: their own name is another tab of theirs. */
export function nameOf(author: string): string {
  if (!author) return t("js.somebody");
  return author === page.name || author === "local" ? t("js.yourself") : author;
}

export type Choices = Record<string, "mine" | "theirs">;

/** What this tab and another made of one revision: the rows that both changed. */
export interface Disagreement {
  base: number | null;
  rows: RowConflict[];
  author: string;
  time: string;
  deleted: number | null; // the revision in which the other deleted the file
  mine: () => string;
  draft: Draft | null; // the draft that is brought back, where it is not the text itself
}

/** Puts the sides together with what was chosen for each row; what is still open stays in `file.conflict`. */
export async function resolve(file: FileDocument, choose: Choices): Promise<void> {
  const { conflict } = file;
  if (!conflict) return;
  if (conflict.deleted !== null) file.take(conflict.mine(), conflict.deleted);
  else await settle(file, conflict, choose);
}

/** Brings a draft back: merged with what happened since, or as it is where it cannot be merged yet. */
export async function bringBack(file: FileDocument, draft: Draft): Promise<void> {
  const { base, text, time } = draft;
  const conflict = { base, rows: [], author: "", time, deleted: null, mine: () => text, draft };
  await file.flush();
  try {
    if (base !== file.base) return await settle(file, conflict, {});
  } catch (error) {
    if (api.mayPass(error)) return file.unreachable();
  }
  file.take(text, base, "restored");
  file.forget(draft);
}

/** Takes both sides put together, row by row, once nothing is typed meanwhile; or says which rows are open. */
export async function settle(file: FileDocument, conflict: Disagreement, choose: Choices): Promise<void> {
  const { base, mine, draft } = conflict;
  for (;;) {
    const sent = mine();
    const merged = await api.merge(file.project, file.file, { base, mine: sent, choose });
    await settled();
    if (mine() !== sent) continue;
    if (merged.conflicts.length > 0) return file.contest({ ...conflict, rows: merged.conflicts });
    file.take(merged.text, merged.revision);
    return draft ? file.forget(draft) : undefined;
  }
}
