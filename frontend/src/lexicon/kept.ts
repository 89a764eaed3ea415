// Edits of tables in the browser's own store, until the server has them: what a reload, a crash or a server that is away
// would lose. Each tab has its own; those that no tab works on any more are taken over by another of the same account.
import { livingTabs } from "../living";
import { account } from "../page";
import { isMine, tab } from "../tabs";
import type { TableOp } from "./calls";

/** The edits of one file, action by action, valid one after the other on revision `base`. */
export interface Kept {
  readonly file: string;
  readonly base: number | null;
  readonly actions: readonly (readonly TableOp[])[];
}

interface Stored {
  readonly files: readonly Kept[];
  readonly at: number; // when they were kept last
  readonly account?: string; // whose they are; none: anybody's
}

const ALIVE = 15_000; // milliseconds: where the browser cannot say which tabs live, each keeps its edits anew more often

const prefix = (project: string): string => `bidui:table:${project}:`;

/** Keeps this tab's edits; false where the browser would not. */
export function keep(project: string, files: readonly Kept[]): boolean {
  return store(prefix(project) + tab, { files, at: Date.now(), account });
}

/** What this tab kept before it was loaded is nobody's from now on. */
export function setAside(project: string): void {
  const mine = prefix(project) + tab;
  const kept = read(mine);
  if (kept && store(`${mine}~${Date.now()}`, { ...kept, at: 0 })) localStorage.removeItem(mine);
}

/** Edits of this account that no tab works on, with the name they are kept by. */
export async function orphans(project: string): Promise<{ name: string; files: readonly Kept[] }[]> {
  const living = await livingTabs();
  const found = [];
  for (const name of names(project)) {
    const kept = read(name);
    const owner = name.slice(prefix(project).length);
    const lives = living ? living.has(owner) : owner === tab || Date.now() - (kept?.at ?? 0) < ALIVE;
    if (kept && isMine(kept) && !lives) found.push({ name, files: kept.files });
  }
  return found;
}

/** The tab that kept edits under a name. */
export const ownerOf = (project: string, name: string): string => name.slice(prefix(project).length).split("~")[0]!;

/** Keeps what is left of an orphan's edits; nothing, when all are in other hands. */
export function leave(name: string, files: readonly Kept[]): void {
  store(name, { ...read(name), files, at: 0 });
}

function store(name: string, kept: Stored): boolean {
  try {
    if (kept.files.length === 0) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

function names(project: string): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix(project)));
  } catch {
    return [];
  }
}

function read(name: string): Stored | null {
  try {
    const kept = JSON.parse(localStorage.getItem(name) ?? "null") as Stored | null;
    return kept && Array.isArray(kept.files) ? kept : null;
  } catch {
    return null;
  }
}
