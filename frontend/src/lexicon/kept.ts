// Edits of tables in the browser's own store, until the server has them: what a reload, a crash or a server that is away
// would lose. Each tab has its own; those that no tab works on any more are taken over by one that does.
import { livingTabs } from "../living";
import { tab } from "../tabs";
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
}

const ALIVE = 15_000; // milliseconds: where the browser cannot say which tabs live, each keeps its edits anew more often

const prefix = (project: string): string => `bidui:table:${project}:`;

/** Keeps this tab's edits; false where the browser would not. */
export function keep(project: string, files: readonly Kept[]): boolean {
  return store(prefix(project) + tab, files, Date.now());
}

/** What this tab kept before it was loaded is nobody's from now on. */
export function setAside(project: string): void {
  const mine = prefix(project) + tab;
  const kept = read(mine);
  if (kept && store(`${mine}~${Date.now()}`, kept.files, 0)) localStorage.removeItem(mine);
}

/** Edits that no tab works on, with the name they are kept by. */
export async function orphans(project: string): Promise<{ name: string; files: readonly Kept[] }[]> {
  const living = await livingTabs();
  const found = [];
  for (const name of names(project)) {
    const kept = read(name);
    const owner = name.slice(prefix(project).length);
    const lives = living ? living.has(owner) : owner === tab || Date.now() - (kept?.at ?? 0) < ALIVE;
    if (kept && !lives) found.push({ name, files: kept.files });
  }
  return found;
}

/** Keeps what is left of an orphan's edits; nothing, when all are in other hands. */
export function leave(name: string, files: readonly Kept[]): void {
  store(name, files, 0);
}

function store(name: string, files: readonly Kept[], at: number): boolean {
  try {
    if (files.length === 0) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify({ files, at } satisfies Stored));
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
