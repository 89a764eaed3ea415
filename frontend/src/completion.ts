// Completion: what the server says may be typed at a place, with how many words each option would leave.
import {
  autocompletion,
  type Completion as Choice,
  type CompletionContext,
  type CompletionResult,
  completionStatus,
  insertCompletionText,
  selectedCompletion,
  setSelectedCompletion,
  startCompletion,
} from "@codemirror/autocomplete";
import { type Extension, Prec } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import * as api from "./api";
import { page } from "./page";
import { number, t } from "./words";

/** The list of completions, as the server sends it. */
export function completion(source: (context: CompletionContext) => Promise<CompletionResult | null>): Extension {
  let asked = false;
  const list = autocompletion({
    override: [source],
    activateOnTyping: true,
    selectOnOpen: false, // so that Enter and Tab leave the row unless an option was chosen
    activateOnTypingDelay: 60,
    icons: false,
    maxRenderedOptions: 60,
    closeOnBlur: true,
    interactionDelay: 60,
  });
  // who asks for the list means to take something from it: its first option is chosen
  const ask = (view: EditorView): boolean => (asked = startCompletion(view));
  const choose = EditorView.updateListener.of(({ view, state, docChanged }) => {
    const status = completionStatus(state);
    if (docChanged) asked = false;
    if (!asked || status === "pending") return;
    asked = false;
    if (status === "active" && !selectedCompletion(state)) setTimeout(() => view.dispatch({ effects: setSelectedCompletion(0) }));
  });
  return [Prec.highest(keymap.of([{ key: "Ctrl-Space", run: ask }])), list, choose];
}

/** Asks the server; nothing while composing, where nothing is typed and nobody asked, or where it cannot be reached. */
export async function askCompletion(
  context: CompletionContext,
  question: api.CompleteQuestion,
): Promise<CompletionResult | null> {
  const before = question.text.slice(0, context.pos);
  const quiet = question.kind === "rule" ? before.trim() === "" : /(^|[\s|])$/.test(before);
  if (context.view?.composing || (!context.explicit && quiet)) return null;
  const stop = new AbortController();
  context.addEventListener("abort", () => stop.abort());
  try {
    const found = await api.complete(page.project, question, { signal: stop.signal });
    const typed = question.text.slice(found.start, context.pos);
    const whole = found.options.some(({ text }) => text === typed);
    const options = whole && !context.explicit ? [] : found.options.map(asChoice); // a finished word needs no list
    return options.length ? { from: found.start, to: Math.max(found.end, context.pos), options, filter: false } : null;
  } catch {
    return null;
  }
}

function asChoice(option: { text: string; kind: string; count: number | null }): Choice {
  const words = option.count === null ? "" : number(option.count);
  return {
    label: option.text,
    type: option.kind,
    detail: [t(`js.option.${option.kind}`), words].filter(Boolean).join(" · "),
    apply: (view, choice, from, to) => {
      view.dispatch(insertCompletionText(view.state, choice.label, from, to));
      if (/[:(<.@]$/.test(choice.label)) startCompletion(view);
    },
  };
}
