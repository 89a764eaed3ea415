// Drafts in the browser's own store: one for each file and tab, until the server has the text. They are those of the
// account that wrote them: another one at the same browser neither sees nor saves them.
import { account } from "./page";
import type { Draft, Step } from "./shapes";

const TAB = "bidui:tab";

/**
 * Who this tab is. It survives a reload, but not in a copy of the tab: while the page lives the id is not in the
 * session's store, so that a duplicated tab gets one of its own. Nor does it when somebody else signs in; a page on
 * which nobody is signed in hands on what it found.
 */
export const tab: string = takeTab();

function takeTab(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  let found = btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, "x");
  try {
    const [known = "", owner = ""] = (sessionStorage.getItem(TAB) ?? "").split(/ (.*)/);
    const mine = known !== "" && (!account || !owner || owner === account);
    if (mine) found = known;
    const kept = `${found} ${account || (mine ? owner : "")}`;
    sessionStorage.removeItem(TAB);
    addEventListener("pagehide", () => sessionStorage.setItem(TAB, kept));
    addEventListener("pageshow", () => sessionStorage.removeItem(TAB));
  } catch {
    // a browser without a store: a new id on every load
  }
  return found;
}

/** Whether what was kept may be brought back here; what no account owns may be by anybody. */
export const isMine = (kept: { account?: string }): boolean => !kept.account || kept.account === account;

const prefix = (project: string, file: string): string => `bidui:draft:${project}:${file}:`;

/** A text, and the edits of it that the server has not worked out yet. */
export interface Kept {
  text: string;
  base: number | null;
  steps: Step[];
}

/** Keeps a text here; false where the browser would not. */
export function keepLocal(project: string, file: string, draft: Kept): boolean {
  try {
    const kept = { ...draft, account, time: new Date().toISOString() };
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

/** The texts of a file that this account keeps here, in this tab and in others. */
export function localDrafts(project: string, file: string): (Draft & Kept)[] {
  const start = prefix(project, file);
  const found: (Draft & Kept)[] = [];
  try {
    for (const key of Object.keys(localStorage).filter((name) => name.startsWith(start))) {
      const kept = JSON.parse(localStorage.getItem(key) ?? "null") as (Kept & { account?: string; time: string }) | null;
      if (!kept || typeof kept.text !== "string" || !isMine(kept)) continue;
      const { text, base, steps = [], time } = kept;
      found.push({ text, base, steps, time, why: "local", tab: key.slice(start.length) });
    }
  } catch {
    return found;
  }
  return found;
}
