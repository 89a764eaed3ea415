// What tables of rows share: keys that keep each row's editor, dragging, and a menu.
import { useEffect, useRef, useState } from "preact/hooks";
import { commonEnds } from "./text_changes";

interface KeyedList {
  texts: string[];
  keys: number[];
}

let last = 0;
const lists = new Map<string, KeyedList>();

export const newKey = (): number => ++last;

/** The keys of rows by their names: a renamed row keeps its key, and with it its editors and the cursor. */
export class NamedKeys {
  private keys = new Map<string, number>();

  of(name: string): number {
    const key = this.keys.get(name) ?? newKey();
    this.keys.set(name, key);
    return key;
  }

  /** Give a row a free name once its edit is applied; until then both names have the same key. */
  async rename(name: string, to: string, edit: Promise<boolean>): Promise<boolean> {
    this.keys.set(to, this.of(name));
    const applied = await edit;
    this.keys.delete(applied ? name : to);
    return applied;
  }
}

/** The keys of a list of texts: unchanged texts at its start and end keep theirs. */
export function keysOf(list: string, texts: string[]): number[] {
  const keyed = lists.get(list) ?? { texts: [], keys: [] };
  if (keyed.texts.length !== texts.length) keyed.keys = carriedKeys(keyed, texts);
  keyed.texts = texts;
  lists.set(list, keyed);
  return keyed.keys;
}

/** Record that an editor with this key inserted a text into a list. */
export function insertKey(list: string, at: number, text: string, key: number): void {
  const keyed = lists.get(list);
  if (keyed) lists.set(list, { texts: keyed.texts.toSpliced(at, 0, text), keys: keyed.keys.toSpliced(at, 0, key) });
}

function carriedKeys({ texts: old, keys }: KeyedList, now: string[]): number[] {
  const { head, tail } = commonEnds(old, now);
  const between = Array.from({ length: now.length - head - tail }, newKey);
  return [...keys.slice(0, head), ...between, ...keys.slice(old.length - tail)];
}

// Dragging ----------------------------------------------------------------------------------------------------------

interface Drag {
  /** The attributes of a row's handle. */
  handle: (row: number) => object;
  /** The attributes of the row itself. */
  row: (row: number) => { class: string; [event: string]: unknown };
}

/** Let rows be dragged by their handles; `move` is called with the dragged row and the row it was dropped on. */
export function useDrag(move: (from: number, to: number) => void): Drag {
  const [from, setFrom] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const end = (): void => {
    setFrom(null);
    setOver(null);
  };
  return {
    handle: (row) => ({
      draggable: true,
      onDragStart: (event: DragEvent) => {
        event.dataTransfer?.setData("text/plain", "");
        const line = (event.currentTarget as HTMLElement).closest("tr");
        if (line) event.dataTransfer?.setDragImage(line, 8, 8);
        setFrom(row);
      },
      onDragEnd: end,
    }),
    row: (row) => ({
      class: from === row ? "dragged" : over === row && from !== null ? (row > from ? "drop-after" : "drop-before") : "",
      onDragOver: (event: DragEvent) => {
        if (from === null) return;
        event.preventDefault();
        if (over !== row) setOver(row);
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        if (from !== null && from !== row) move(from, row);
        end();
      },
    }),
  };
}

// Menus -------------------------------------------------------------------------------------------------------------

export interface Action {
  label: string;
  run: () => void;
  danger?: boolean;
}

/** A small menu behind one button, so that the Tab key stops once per row and not six times. */
export function Menu({ label, actions, sign = "⋯" }: { label: string; actions: Action[]; sign?: string }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const items = (): HTMLElement[] => [...(box.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
  useEffect(() => {
    if (open) items()[0]?.focus();
  }, [open]);
  const keys = (event: KeyboardEvent): void => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (step !== undefined) all.at(step % all.length)?.focus();
    else if (event.key === "Escape") {
      setOpen(false);
      button.current?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const leave = (event: FocusEvent): void => {
    if (!box.current?.contains(event.relatedTarget as Node)) setOpen(false);
  };
  return (
    <div class="menu" ref={box} onFocusOut={leave}>
      <button type="button" ref={button} class="plain icon" aria-haspopup="menu" aria-expanded={open} aria-label={label} title={label}
        onClick={() => setOpen(!open)} onKeyDown={(event) => event.key === "ArrowDown" && (event.preventDefault(), setOpen(true))}>{sign}</button>
      {open && (
        <div role="menu" aria-label={label} onKeyDown={keys}>
          {actions.map((action) => (
            <button type="button" role="menuitem" tabIndex={-1} key={action.label} class={action.danger ? "danger" : ""}
              onClick={() => {
                setOpen(false);
                button.current?.focus();
                action.run();
              }}>{action.label}</button>
          ))}
        </div>
      )}
    </div>
  );
}
