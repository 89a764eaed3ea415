// The keyboard: shortcuts of a page, input methods that are composing, and where the focus is.

// Shortcuts ---------------------------------------------------------------------------------------------------------

export interface Shortcut {
  keys: string; // "Alt+N", "Ctrl+Shift+Z", "?"
  run: (event: KeyboardEvent) => void;
  typing?: boolean; // also while the focus is in a text field
}

/** Listen to shortcuts until the page closes, except during composition; Ctrl also means Command on a Mac. */
export function listenToShortcuts(shortcuts: Shortcut[]): void {
  addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const shortcut = shortcuts.find(({ keys }) => matches(event, keys));
    if (!shortcut || (!shortcut.typing && inField(event.target))) return;
    event.preventDefault();
    shortcut.run(event);
  });
}

/** Whether a key event is the combination written as `keys`. */
export function matches(event: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">, keys: string): boolean {
  const parts = keys.split("+");
  const key = parts.pop()!;
  const has = (name: string): boolean => parts.includes(name);
  if (has("Ctrl") !== (event.ctrlKey || event.metaKey) || has("Alt") !== event.altKey) return false;
  // `?` needs Shift on most keyboards
  if (key.length > 1 || /[a-z]/i.test(key)) if (has("Shift") !== event.shiftKey) return false;
  // on a Mac, Alt+N types a different letter: the position of the key decides
  return event.key.toLowerCase() === key.toLowerCase() || event.code === `Key${key.toUpperCase()}`;
}

/** Whether typing in this element writes text. */
export function inField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

// Composition -------------------------------------------------------------------------------------------------------
// While an input method is composing, nothing may redraw the field it writes into.

let composing = false;
let waiting: (() => void)[] = [];

document.addEventListener("compositionstart", () => (composing = true), true);
document.addEventListener("compositionend", () => setTimeout(finishComposing, 20), true);
document.addEventListener("focusout", () => setTimeout(finishComposing, 20), true); // some input methods send no end

function finishComposing(): void {
  composing = false;
  const runs = waiting;
  waiting = [];
  for (const run of runs) run();
}

export const isComposing = (): boolean => composing;

/** Run now, or as soon as the composition has ended. */
export function afterComposing(run: () => void): void {
  if (composing) waiting.push(run);
  else run();
}

/** Resolve when no composition is under way, so that the text may be changed. */
export const composed = (): Promise<void> => new Promise((resolve) => afterComposing(resolve));

// Focus -------------------------------------------------------------------------------------------------------------

/** Return a function that says whether the focus is still where it is now, or nowhere: only then may code move it. */
export function focusStays(): () => boolean {
  const before = document.activeElement;
  return () => {
    const now = document.activeElement;
    return !now || now === document.body || now === before;
  };
}
