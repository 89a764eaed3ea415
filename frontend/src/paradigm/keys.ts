// Keys that let an item keep its editor while others come and go around it.

interface Known {
  texts: string[];
  keys: number[];
}

let last = 0;
const lists = new Map<string, Known>();

export const newKey = (): number => ++last;

/** Keys of things by their names: what gets another name keeps its key, and with it its editors and the cursor. */
export class NamedKeys {
  private keys = new Map<string, number>();

  of(name: string): number {
    const known = this.keys.get(name) ?? newKey();
    this.keys.set(name, known);
    return known;
  }

  /** A name becomes another, which is free, as soon as `made` says so; until then both stand for the same. */
  async rename(name: string, to: string, made: Promise<boolean>): Promise<boolean> {
    this.keys.set(to, this.of(name));
    const done = await made;
    this.keys.delete(done ? name : to);
    return done;
  }
}

/** The keys of a list of texts: those at its start and end that did not change keep theirs. */
export function keysOf(list: string, texts: string[]): number[] {
  const known = lists.get(list) ?? { texts: [], keys: [] };
  if (known.texts.length !== texts.length) known.keys = carried(known, texts);
  known.texts = texts;
  lists.set(list, known);
  return known.keys;
}

/** A text was put in at a place, by an editor that has this key. */
export function insertKey(list: string, at: number, text: string, key: number): void {
  const known = lists.get(list);
  if (known) lists.set(list, { texts: known.texts.toSpliced(at, 0, text), keys: known.keys.toSpliced(at, 0, key) });
}

function carried({ texts: old, keys }: Known, now: string[]): number[] {
  const most = Math.min(old.length, now.length);
  let head = 0;
  let tail = 0;
  while (head < most && old[head] === now[head]) head++;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const between = Array.from({ length: now.length - head - tail }, newKey);
  return [...keys.slice(0, head), ...between, ...keys.slice(old.length - tail)];
}
