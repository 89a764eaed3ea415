// Inputs that take effect when they are left, or on Enter: names, which others refer to, and lists. What is half-typed
// is not only on the screen: the file owes the edit that it would be, and keeps it, until it is taken or given up. What
// the server would not take stays in the input, with the reason, until it is changed or given up.
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Problem, Step } from "./shapes";

/** Where what is being typed is kept. */
interface Typing {
  typed(field: object, step: Step | null): void;
  taken<Result>(field: object, run: () => Result): Result;
  refused: Problem[]; // why the last edit was not made
}

export interface OnceSettings {
  value: string; // what the text has; blank where it will be something new
  /** The edit that a text will be; none where it changes nothing. */
  step: (text: string) => Step | null;
  /** Has the edit made; says whether it was. */
  take: (step: Step) => Promise<boolean>;
}

export interface Once {
  input: RefObject<HTMLInputElement | null>;
  /** What was typed takes effect; whether there was anything. */
  take: () => boolean;
  /** Why the server would not take what stands in the input; blank where nothing is wrong. */
  refused: string;
  /** What the input listens to, but for keys of its own. */
  listens: {
    onInput: (event: InputEvent) => void;
    onCompositionEnd: () => void;
    onBlur: () => void;
    onKeyDown: (event: KeyboardEvent) => void;
  };
}

/** For what holds an input and its button: the input is left when the cursor leaves both. */
export const whenLeft = (take: () => void) => ({
  onFocusOut: (event: FocusEvent & { currentTarget: HTMLElement }): void => {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) take();
  },
});

/** `onKey` gets the keys that do nothing to what is typed; Enter among them, since it also leads on. */
export function useOnce(edits: Typing, settings: OnceSettings, onKey: (event: KeyboardEvent) => void = () => undefined): Once {
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(settings);
  const half = useRef<Step | null>(null);
  const taken = useRef(0); // edits that are not made yet
  const [refused, refuse] = useState("");
  const wrong = useRef(false); // what stands in the input was refused
  latest.current = settings;

  const owe = (step: Step | null): void => {
    half.current = step;
    edits.typed(half, step);
  };
  const say = (reason: string): void => {
    wrong.current = reason !== "";
    refuse(reason);
  };
  const typed = (): void => {
    say("");
    owe(input.current ? latest.current.step(input.current.value.trim()) : half.current);
  };
  const show = (): void => {
    if (input.current && !half.current && !taken.current && !wrong.current) input.current.value = latest.current.value;
  };
  const made = async (edit: Promise<boolean>, text: string): Promise<void> => {
    taken.current++;
    const done = await edit;
    taken.current--;
    if (!done && edits.refused.length && !half.current && !taken.current && input.current) {
      input.current.value = text;
      say(edits.refused.map((problem) => problem.text).join(" "));
      if (document.activeElement === document.body) input.current.focus(); // the cursor went with a row that is not made
    }
    show();
  };
  const take = (): boolean => {
    const step = half.current;
    const text = input.current?.value.trim() ?? "";
    half.current = null;
    if (step) void made(edits.taken(half, () => latest.current.take(step)), text);
    if (!step && latest.current.value) show();
    return step !== null;
  };
  const giveUp = (): void => {
    say("");
    owe(null);
    show();
  };
  useLayoutEffect(() => (half.current ? typed() : show()), [settings.value]);
  useEffect(() => () => void take(), []); // the input is gone, as where the plain text is shown instead

  const keys = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (half.current && (event.ctrlKey || event.metaKey) && /^[zy]$/i.test(event.key)) event.stopPropagation(); // its own undo
    else if (event.key === "Escape") giveUp();
    else onKey(event);
  };
  return {
    input,
    take,
    refused,
    listens: {
      onInput: (event) => !event.isComposing && typed(),
      onCompositionEnd: typed,
      onBlur: take,
      onKeyDown: keys,
    },
  };
}
