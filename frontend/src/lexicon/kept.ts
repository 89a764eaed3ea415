// Edits of tables in the browser's own store, until the server has them: what a reload, a crash or a server that is away
// would lose. Each tab has its own; those of tabs that are gone are taken over.
import { tab } from "../tabs";
import type { TableOp } from "./calls";

/** The edits of one file, action by action, valid one after the other on revision `base`. */
export interface Kept {
  readonly file: string;
  readonly base: number | null;
  readonly actions: readonly (readonly TableOp[])[];
}

const ALIVE = 15_000; // milliseconds: a tab that lives says so more often

const prefix = (project: string): string => `bidui:table:${project}:`;

/** Keeps them; false where the browser would not. */
export function keep(project: string, files: readonly Kept[]): boolean {
  try {
    const key = prefix(project) + tab;
    if (files.length === 0) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify({ files, at: Date.now() }));
    return true;
  } catch {
    return false;
  }
}

/** Takes over what this tab kept before it was loaded anew, and what tabs kept that are gone. */
export function takeOver(project: string): Kept[] {
  const found: Kept[] = [];
  try {
    for (const key of Object.keys(localStorage).filter((name) => name.startsWith(prefix(project)))) {
      const kept = JSON.parse(localStorage.getItem(key) ?? "null") as { files: Kept[]; at: number } | null;
      const mine = key.endsWith(`:${tab}`);
      if (!mine && kept !== null && Date.now() - kept.at < ALIVE) continue;
      localStorage.removeItem(key);
      if (kept !== null && Array.isArray(kept.files)) found.push(...kept.files);
    }
  } catch {
    return found;
  }
  return found;
}
