// The editor for the plain text of a file, with highlighting, completion and diagnostics.
import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension, Transaction } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, type ViewUpdate } from "@codemirror/view";
import { nonce, t } from "../page";
import type { Diagnostic } from "../wire";
import { askCompletion, completion, replaceOurselves } from "./completion";
import { highlighting, yamlPieces } from "./highlight";
import { changesBetween } from "./text_changes";

export interface TextEditorSettings {
  parent: HTMLElement;
  text: string;
  label: string;
  readOnly: boolean;
  kind: "text" | "phrases" | "yaml" | "plain"; // the first two have completion, all but the last have colours
  updated: (update: ViewUpdate) => void;
  extensions?: Extension;
}

export function makeTextEditor(settings: TextEditorSettings): EditorView {
  const { parent, text, label, readOnly, kind, updated } = settings;
  const source = (context: CompletionContext): Promise<CompletionResult | null> =>
    askCompletion(context, { kind: kind === "phrases" ? "phrases" : "text", text: context.state.doc.toString(), cursor: context.pos });
  return new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        nonce ? EditorView.cspNonce.of(nonce) : [],
        EditorState.readOnly.of(readOnly),
        EditorState.tabSize.of(2),
        EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false", autocapitalize: "off", tabindex: "0" }),
        EditorState.phrases.of({ Diagnostics: t("js.text.diagnostics"), "No diagnostics": t("js.text.none"), close: t("js.text.close") }),
        EditorView.lineWrapping,
        lineNumbers(),
        highlightActiveLine(),
        drawSelection(),
        lintGutter(),
        settings.extensions ?? history(),
        keymap.of([...lintKeymap, ...historyKeymap, ...defaultKeymap.filter(({ key }) => key !== "Mod-e")]),
        kind === "text" || kind === "phrases" ? completion(source) : [],
        kind === "plain" ? [] : highlighting(yamlPieces),
        replaceOurselves,
        EditorView.updateListener.of(updated),
      ],
    }),
  });
}

/** Show diagnostics in the text. */
export function showDiagnostics(view: EditorView, diagnostics: readonly Diagnostic[]): void {
  const length = view.state.doc.length;
  const inText = diagnostics.filter(({ range }) => range !== null && range.start <= length);
  view.dispatch(
    setDiagnostics(
      view.state,
      inText.map(({ range, severity, text }) => ({
        from: range!.start,
        to: Math.min(Math.max(range!.end, range!.start), length),
        severity,
        message: text,
      })),
    ),
  );
}

/** Replace the text by one from elsewhere; the reader cannot undo what others wrote. */
export function replaceText(view: EditorView, text: string, undoable: boolean): void {
  const changes = changesBetween(view.state.doc.toString(), text.replaceAll("\r\n", "\n"));
  if (!changes.length) return;
  view.dispatch({ changes, userEvent: "edit.merge", annotations: Transaction.addToHistory.of(undoable) });
}
