// Completion: the server's options at the cursor, with the number of words that each would leave. Also how typed text
// replaces a selection, which every editor needs.
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
import * as api from "../api";
import { number, page, t } from "../page";
import type { CompletionQuestion, Option } from "../wire";

/** The list of completions, in the server's order. */
export function completion(source: (context: CompletionContext) => Promise<CompletionResult | null>): Extension {
  let requested = false; // by a key, so that the first option is selected
  const list = autocompletion({
    override: [source],
    activateOnTyping: true,
    selectOnOpen: false, // so that Enter and Tab leave the row unless an option is selected
    activateOnTypingDelay: 60,
    icons: false,
    maxRenderedOptions: 60,
    closeOnBlur: true,
    interactionDelay: 60,
  });
  const ask = (view: EditorView): boolean => (requested = startCompletion(view));
  const choose = EditorView.updateListener.of(({ view, state, docChanged }) => {
    const status = completionStatus(state);
    if (docChanged) requested = false;
    if (!requested || status === "pending") return;
    requested = false;
    if (status === "active" && !selectedCompletion(state)) setTimeout(() => view.dispatch({ effects: setSelectedCompletion(0) }));
  });
  return [Prec.highest(keymap.of([{ key: "Ctrl-Space", run: ask }])), list, choose];
}

/** Ask the server for options; null during composition, before anything is typed, and while the server is away. */
export async function askCompletion(
  context: CompletionContext,
  question: CompletionQuestion,
): Promise<CompletionResult | null> {
  const before = question.text.slice(0, context.pos);
  const quiet = question.kind === "rule" ? before.trim() === "" : /(^|[\s|])$/.test(before);
  if (context.view?.composing || (!context.explicit && quiet)) return null;
  const stop = new AbortController();
  context.addEventListener("abort", () => stop.abort());
  try {
    const answer = await api.complete(page.project, question, { signal: stop.signal });
    const typed = question.text.slice(answer.start, context.pos);
    const complete = answer.options.some(({ text }) => text === typed);
    const options = complete && !context.explicit ? [] : answer.options.map(asChoice); // a complete word needs no list
    return options.length ? { from: answer.start, to: Math.max(answer.end, context.pos), options, filter: false } : null;
  } catch {
    return null;
  }
}

function asChoice(option: Option): Choice {
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

/**
 * Chromium gives text typed over a selection the selection's style, as inline styles that the security policy refuses.
 * So the editor replaces the selection itself, and removes it before a composition.
 */
export const replaceOurselves: Extension = EditorView.domEventHandlers({
  beforeinput: (event, view) => {
    const { data, inputType, isComposing } = event;
    if (inputType !== "insertText" || !data || isComposing || view.composing || view.state.readOnly) return false;
    if (view.state.selection.main.empty) return false;
    view.dispatch({ ...view.state.replaceSelection(data), userEvent: "input.type", scrollIntoView: true });
    event.preventDefault();
    return true;
  },
  compositionstart: (_, view) => {
    if (view.state.selection.main.empty || !CHROMIUM) return;
    view.dispatch({ ...view.state.replaceSelection(""), userEvent: "delete.compose" });
  },
});

const CHROMIUM = CSS.supports("-webkit-user-modify", "read-only");
