// Steps back and forth: how each action is undone or done again, by the server's own inverse.
import type { Change } from "../shapes";

export type Way = "do" | "undo" | "redo";

/** How an action is taken back: for each file, changes that are valid on a revision. */
export interface Step {
  readonly action: number;
  readonly parts: { file: string; before: number | null; revision: number; inverse: Change[] }[];
}

export class Steps {
  done: Step[] = [];
  undone: Step[] = [];
  private same = new Map<number, number>(); // a revision, and a later one with the same text: what undo leads back to

  record(way: Way, action: number, part: Step["parts"][number]): void {
    const steps = way === "undo" ? this.undone : this.done;
    const last = steps.at(-1);
    if (last?.action === action) last.parts.unshift(part);
    else steps.push({ action, parts: [part] });
  }

  /** The text of a revision has come back, as another one. */
  came(revision: number, again: number): void {
    this.same.set(revision, again);
  }

  /** The last revision known to have the text of this one. */
  latest(revision: number): number {
    let found = revision;
    for (let next = this.same.get(found); next !== undefined && next > found; next = this.same.get(found)) found = next;
    return found;
  }
}
