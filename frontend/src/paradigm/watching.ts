// Parts of the page follow the model: they are drawn again when something tells of a change.
import { useLayoutEffect, useReducer, useRef } from "preact/hooks";

export interface Told {
  subscribe(listener: () => void): () => void;
}

/** Draws the component again whenever one of these tells of a change. */
export function useWatching(...told: Told[]): void {
  const [, again] = useReducer((n: number) => n + 1, 0);
  useLayoutEffect(() => {
    // at once: what is told before the page is painted is not told again
    const stops = told.map((each) => each.subscribe(() => again(undefined)));
    return () => stops.forEach((stop) => stop());
  }, told);
}

/** Gives the cursor back to a field that lost it because its row was moved on the screen. */
export function useKeptFocus(): void {
  const active = document.activeElement;
  useLayoutEffect(() => {
    const lost = document.activeElement === document.body || document.activeElement === null;
    if (lost && active instanceof HTMLElement && active.isConnected) active.focus({ preventScroll: true });
  });
}

type Moving = Element & { moveBefore?: (node: Node, before: Node | null) => void };

/**
 * For the `ref` of an element whose children change places. Preact moves them by `moveBefore`, where the browser has
 * it, and they keep the focus; but the cursor goes to the start, unless it is put back.
 */
export function movingGently(parent: Moving | null): void {
  const move = parent?.moveBefore;
  if (!parent || !move || Object.hasOwn(parent, "moveBefore")) return;
  parent.moveBefore = (node, before) => {
    const { anchorNode, anchorOffset, focusNode, focusOffset } = getSelection()!;
    move.call(parent, node, before);
    if (anchorNode && focusNode && node.contains(anchorNode)) {
      getSelection()!.setBaseAndExtent(anchorNode, anchorOffset, focusNode, focusOffset);
    }
  };
}

/** Texts that a field told the page, and that have not come back from it yet. */
export class Echoes {
  private told: string[] = [];
  private value: string;

  constructor(value: string) {
    this.value = value.trim();
  }

  tell(text: string): void {
    this.told.push(text.trim());
  }

  forget(): void {
    this.told = [];
  }

  /** Whether a value of the page is news: not the one before, and not what the field itself said. */
  isNews(value: string): boolean {
    const said = value.trim(); // blanks at the end are still being typed
    if (said === this.value) return false;
    this.value = said;
    const at = this.told.indexOf(said);
    this.told = at < 0 ? [] : this.told.slice(at + 1);
    return at < 0;
  }
}

export function useEchoes(value: string): Echoes {
  const echoes = useRef<Echoes | null>(null);
  return (echoes.current ??= new Echoes(value));
}
