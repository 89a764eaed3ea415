// Drafts in the browser's own store: one for each file and tab, until the server has the text.
import type { Draft, OpenedFile } from "./shapes";

const TAB = "bidui:tab";

/**
 * Who this tab is. It survives a reload, but not in a copy of the tab: while the page lives the id is not in the
 * session's store, so that a duplicated tab gets one of its own.
 */
export const tab: string = takeTab();

function takeTab(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  let found = btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, "x");
  try {
    found = sessionStorage.getItem(TAB) ?? found;
    sessionStorage.removeItem(TAB);
    addEventListener("pagehide", () => sessionStorage.setItem(TAB, found));
    addEventListener("pageshow", () => sessionStorage.removeItem(TAB));
  } catch {
    // a browser without a store: a new id on every load
  }
  return found;
}

const prefix = (project: string, file: string): string => `bidui:draft:${project}:${file}:`;

/** Keeps a text here; false where the browser would not. */
export function keepLocal(project: string, file: string, draft: { text: string; base: number | null }): boolean {
  try {
    const kept = { ...draft, time: new Date().toISOString() };
    localStorage.setItem(prefix(project, file) + tab, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

/** The server has it. */
export function dropLocal(project: string, file: string, owner = tab): void {
  try {
    localStorage.removeItem(prefix(project, file) + owner);
  } catch {
    // nothing was kept
  }
}

/** This tab's own text that the file lacks, where nothing else happened since, and those that may be brought back. */
export function draftsOf(project: string, file: string, opened: OpenedFile): { mine: Draft | null; offers: Draft[] } {
  const drafts = [...localDrafts(project, file), ...opened.drafts];
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

/** The texts of a file that were kept here, by this tab and by others. */
function localDrafts(project: string, file: string): Draft[] {
  const start = prefix(project, file);
  const found: Draft[] = [];
  try {
    for (const key of Object.keys(localStorage).filter((name) => name.startsWith(start))) {
      const kept = JSON.parse(localStorage.getItem(key) ?? "null") as Omit<Draft, "tab" | "why"> | null;
      if (kept && typeof kept.text === "string") found.push({ ...kept, why: "local", tab: key.slice(start.length) });
    }
  } catch {
    return found;
  }
  return found;
}
