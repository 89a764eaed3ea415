// Keys that work anywhere in a page, and the list of them that `?` shows.

export interface Shortcut {
  keys: string; // "Alt+N", "Ctrl+Shift+Z", "?"
  says: string;
  run: (event: KeyboardEvent) => void;
  typing?: boolean; // also while the cursor stands in a field
}

/** Listens to keys until the page closes; Ctrl stands for Command on a Mac. Never during composition. */
export function listen(shortcuts: Shortcut[]): void {
  addEventListener("keydown", (event) => {
    if (event.isComposing || event.defaultPrevented) return;
    const found = shortcuts.find((shortcut) => matches(event, shortcut.keys));
    if (!found || (!found.typing && inField(event.target))) return;
    event.preventDefault();
    found.run(event);
  });
}

function matches(event: KeyboardEvent, keys: string): boolean {
  const parts = keys.split("+");
  const key = parts.pop()!;
  const wants = (name: string): boolean => parts.includes(name);
  if (wants("Ctrl") !== (event.ctrlKey || event.metaKey) || wants("Alt") !== event.altKey) return false;
  // `?` is Shift and something else on most keyboards
  if (key.length > 1 || /[a-z]/i.test(key)) if (wants("Shift") !== event.shiftKey) return false;
  // on a Mac, Alt+N types a letter of its own: the place of the key decides
  return event.key.toLowerCase() === key.toLowerCase() || event.code === `Key${key.toUpperCase()}`;
}

/** Whether typing in this element writes text. */
export function inField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
