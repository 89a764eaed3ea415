// Whether an input method is composing somewhere in the page. While it is, nothing may redraw what it writes into.

let composing = false;
let waiting: (() => void)[] = [];

document.addEventListener("compositionstart", () => (composing = true), true);
document.addEventListener("compositionend", () => setTimeout(finished, 20), true);
document.addEventListener("focusout", () => setTimeout(finished, 20), true); // some end without saying so

function finished(): void {
  composing = false;
  const now = waiting;
  waiting = [];
  for (const run of now) run();
}

export const isComposing = (): boolean => composing;

/** Runs now, or as soon as the composition has ended. */
export function unlessComposing(run: () => void): void {
  if (composing) waiting.push(run);
  else run();
}

/** No composition is under way: only then may the text be changed under the reader's hands. */
export const settled = (): Promise<void> => new Promise((ready) => unlessComposing(ready));
