// Drawing with Preact: opening a page, redrawing on changes, and keeping the focus while rows move.
import { type RefObject, render, type VNode } from "preact";
import { useEffect, useLayoutEffect, useReducer, useRef } from "preact/hooks";
import { mayPass } from "./api";
import { element, failure } from "./notices";
import { t } from "./page";
import { holdTab } from "./tabs";

const RETRY = 1_500; // milliseconds

/** Draw what `open` returns into `root`; show why it failed, and try again while the server is away. */
export async function openInto(root: HTMLElement, open: () => Promise<VNode>): Promise<void> {
  holdTab();
  return attempt();

  async function attempt(): Promise<void> {
    try {
      const content = await open();
      root.replaceChildren();
      render(content, root);
    } catch (error) {
      const away = mayPass(error);
      const notice = away ? element("span", {}, t("js.shell.away")) : failure(error);
      const shown = root.textContent === notice.textContent; // screen readers hear it once
      if (!shown) root.replaceChildren(element("div", { class: "notice bad", role: "alert" }, notice));
      if (away) setTimeout(() => void attempt(), RETRY);
    }
  }
}

/** An object whose changes parts of the page follow. */
export class Observable {
  private readonly listeners = new Set<() => void>();

  /** Call `listener` after each change; return a function that stops this. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  protected notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Redraw the component whenever one of these objects changes. */
export function useObserved(...objects: Observable[]): void {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  useLayoutEffect(() => {
    // before painting, since a change in between is not repeated
    const stops = objects.map((object) => object.subscribe(() => redraw(undefined)));
    return () => stops.forEach((stop) => stop());
  }, objects);
}

/** The `ref` of a dialog that opens when it is drawn. */
export function useDialog(): RefObject<HTMLDialogElement | null> {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  return dialog;
}

/** Give the focus back to a field that lost it because its row moved on the screen. */
export function useKeptFocus(): void {
  const active = document.activeElement;
  useLayoutEffect(() => {
    const lost = document.activeElement === document.body || document.activeElement === null;
    if (lost && active instanceof HTMLElement && active.isConnected) active.focus({ preventScroll: true });
  });
}

type Movable = Element & { moveBefore?: (node: Node, before: Node | null) => void };

/**
 * The `ref` of an element whose children change places. Preact moves them with `moveBefore` where the browser has it:
 * they keep the focus, but the text cursor goes to the start unless it is put back.
 */
export function keepCursor(parent: Movable | null): void {
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

/** The texts that a field reported to the page and that have not come back from it yet. */
export class Echoes {
  private reported: string[] = [];
  private value: string;

  constructor(value: string) {
    this.value = value.trim();
  }

  report(text: string): void {
    this.reported.push(text.trim());
  }

  clear(): void {
    this.reported = [];
  }

  /** Whether a value of the page is new: neither the value before, nor what the field itself reported. */
  isNews(value: string): boolean {
    const text = value.trim(); // blanks at the end are still being typed
    if (text === this.value) return false;
    this.value = text;
    const place = this.reported.indexOf(text);
    this.reported = place < 0 ? [] : this.reported.slice(place + 1);
    return place < 0;
  }
}

export function useEchoes(value: string): Echoes {
  const echoes = useRef<Echoes | null>(null);
  return (echoes.current ??= new Echoes(value));
}
