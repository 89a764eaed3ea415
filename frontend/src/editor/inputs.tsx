// Inputs that take effect when they are left, or on Enter: names, which other rows refer to, and lists.
//
// Half-typed text is not only on the screen: the file owes the edit that it would become, and stores it, until the text is
// committed or cancelled. What the server refuses stays in the input, with the reason, until it is changed or cancelled.
import type { ClassAttributes, InputHTMLAttributes, RefObject, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Step } from "../api";
import type { Problem } from "../wire";

/** Where half-typed edits are kept. */
interface Typing {
  typed(field: object, step: Step | null): void;
  commit<Result>(field: object, run: () => Result): Result;
  refused: Problem[]; // why the last edit was not applied
}

interface CommitSettings {
  value: string | null; // what the file has; null for something new
  /** The edit that a new text becomes; null where it changes nothing. */
  step: (text: string) => Step | null;
  /** Have the edit applied; return whether it was. */
  apply: (step: Step) => Promise<boolean>;
  /** The id of the element that shows why a name was refused. */
  reason?: string;
}

interface CommitInput {
  input: RefObject<HTMLInputElement | null>;
  /** Let the typed text take effect; return whether there was any. */
  commit: () => boolean;
  attributes: InputHTMLAttributes<HTMLInputElement> & ClassAttributes<HTMLInputElement>;
  /** The reason why the server refused what is in the input, to be shown beneath it. */
  refusal: VNode | null;
}

/** For an element that holds an input and its button: the input is left when the focus leaves both. */
export const whenLeft = (commit: () => void) => ({
  onFocusOut: (event: FocusEvent & { currentTarget: HTMLElement }): void => {
    if (!event.currentTarget.contains(event.relatedTarget as Node | null)) commit();
  },
});

/** `onKey` gets the keys that do nothing to the typed text; also Enter, since it moves the focus on. */
export function useCommit(edits: Typing, settings: CommitSettings, onKey: (event: KeyboardEvent) => void = () => undefined): CommitInput {
  const input = useRef<HTMLInputElement>(null);
  const latest = useRef(settings);
  const half = useRef<Step | null>(null); // the edit that the typed text would become
  const committed = useRef(0); // edits that are not applied yet
  const [refused, setRefused] = useState("");
  const wrong = useRef(false); // the text in the input was refused
  latest.current = settings;

  const owe = (step: Step | null): void => {
    half.current = step;
    edits.typed(half, step);
  };
  const explain = (reason: string): void => {
    wrong.current = reason !== "";
    setRefused(reason);
  };
  const typed = (): void => {
    explain("");
    const text = input.current?.value.trim();
    if (text !== undefined) owe(text === (latest.current.value ?? "") ? null : latest.current.step(text));
  };
  const show = (): void => {
    if (input.current && !half.current && !committed.current && !wrong.current) input.current.value = latest.current.value ?? "";
  };
  const finish = async (edit: Promise<boolean>, text: string): Promise<void> => {
    committed.current++;
    const applied = await edit;
    committed.current--;
    if (!applied && edits.refused.length && !half.current && !committed.current && input.current) {
      input.current.value = text;
      explain(edits.refused.map((problem) => problem.text).join(" "));
      if (document.activeElement === document.body) input.current.focus(); // it was in a row that is not added after all
    }
    show();
  };
  const commit = (): boolean => {
    const step = half.current;
    const text = input.current?.value.trim() ?? "";
    half.current = null;
    if (step && latest.current.value === null && input.current) input.current.value = ""; // for the next new thing
    if (step) void finish(edits.commit(half, () => latest.current.apply(step)), text);
    if (!step && latest.current.value) show();
    return step !== null;
  };
  const cancel = (): void => {
    explain("");
    owe(null);
    show();
  };
  useLayoutEffect(() => (half.current ? typed() : show()), [settings.value]);
  useEffect(() => () => void commit(), []); // the input is gone, as when the plain text is shown instead

  const keys = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (half.current && (event.ctrlKey || event.metaKey) && /^[zy]$/i.test(event.key)) event.stopPropagation(); // the input's own undo
    else if (event.key === "Escape") cancel();
    else onKey(event);
  };
  const id = settings.reason;
  return {
    input,
    commit,
    attributes: {
      ref: input,
      type: "text",
      defaultValue: settings.value ?? "",
      autocomplete: "off",
      spellcheck: false,
      ...(id && refused ? { "aria-invalid": true, "aria-describedby": id } : {}),
      onInput: (event) => !event.isComposing && typed(),
      onCompositionEnd: typed,
      onBlur: commit,
      onKeyDown: keys,
    },
    refusal: id && refused ? (
      <div id={id} class="messages" role="alert">
        <p class="error"><span aria-hidden="true">✕</span> {refused}</p>
      </div>
    ) : null,
  };
}
