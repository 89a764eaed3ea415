// Drafts that a file lacks, when it is opened: this tab's own goes on, and others may be brought back.
import * as api from "./api";
import { livingTabs } from "./living";
import { isShared } from "./phrases/renaming";
import type { Draft, OpenedFile } from "./shapes";
import { dropLocal, type Kept, localDrafts, tab } from "./tabs";

/** The texts kept here by this tab, and by others that live no longer, with the edits made that they lacked. */
export async function finishedDrafts(project: string, file: string): Promise<Draft[]> {
  const kind = file === "phrases.yaml" ? "phrases" : "paradigm";
  const made = async ({ steps, ...draft }: Draft & Kept): Promise<Draft> => {
    for (const step of steps) {
      if (step.do === "rename_phrase" && (await isShared(project, String(step["name"])))) continue; // not half of it
      const answer = await api.edit(project, kind, draft.text, step).catch(unlessRefused);
      draft.text = answer?.text ?? draft.text;
    }
    return draft;
  };
  const living = await livingTabs();
  const kept = localDrafts(project, file).filter((draft) => draft.tab === tab || !living?.has(draft.tab));
  return Promise.all(kept.map(made));
}

/** An edit that the server will not make changes nothing, as it would have been then. */
function unlessRefused(error: unknown): null {
  if (api.mayPass(error) || api.isSignedOut(error)) throw error;
  return null;
}

/** This tab's own text that the file lacks, where nothing else happened since, and those that may be brought back. */
export function draftsOf(project: string, file: string, opened: OpenedFile, kept: Draft[]): { mine: Draft | null; offers: Draft[] } {
  const drafts = [...kept, ...opened.drafts];
  const own = drafts.find((draft) => draft.tab === tab && draft.text !== opened.text);
  const mine = own && own.base === opened.revision ? own : null;
  const known = new Set([opened.text, ...(mine ? [mine.text] : [])]);
  const offers: Draft[] = [];
  for (const draft of drafts) {
    const older = mine !== null && draft.tab === tab; // of a text that goes on in `mine`
    if (!known.has(draft.text) && !older) offers.push(draft);
    else if (draft !== mine) dropLocal(project, file, draft.tab);
    known.add(draft.text);
  }
  return { mine, offers };
}
