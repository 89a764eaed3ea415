// The plain text of a file in a full editor: highlighting, completion from the server, errors at their places.
import type { CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers, type ViewUpdate } from "@codemirror/view";
import { askCompletion, completion } from "./completion";
import { nonce } from "./page";
import { highlighting, replaceOurselves } from "./rule_editor";
import { linePieces, type Piece, rulePieces } from "./rule_pieces";
import type { Diagnostic } from "./shapes";
import { t } from "./words";

export interface TextEditorSettings {
  parent: HTMLElement;
  text: string;
  label: string;
  readOnly: boolean;
  kind: "text" | "phrases" | "yaml" | "plain"; // completion for the first two, colours for all but the last
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

/** Shows the problems of a text at their places. */
export function showDiagnostics(view: EditorView, diagnostics: readonly Diagnostic[]): void {
  const length = view.state.doc.length;
  const found = diagnostics.filter(({ range }) => range !== null && range.start <= length);
  view.dispatch(
    setDiagnostics(
      view.state,
      found.map(({ range, severity, text }) => ({
        from: range!.start,
        to: Math.min(Math.max(range!.end, range!.start), length),
        severity: severity === "note" ? "info" : severity,
        message: text,
      })),
    ),
  );
}

/** Keys, comments, rules and lines of a YAML text, line by line. */
export function yamlPieces(text: string): Piece[] {
  const pieces: Piece[] = [];
  const slots = slotNames(text);
  let start = 0;
  let rules = -1; // how far in the slots or parts stand, while in one
  for (const line of text.split("\n")) {
    const found = /^(\s*(?:- )?)([^\s:#'"{[-][^:#]*|'[^']*'|"[^"]*"):(?=\s|$)\s*(.*)$/.exec(line);
    const indent = line.search(/\S/);
    if (/^\s*#/.test(line)) pieces.push({ kind: "mark", start, end: start + line.length });
    else if (found) {
      if (rules >= 0 && indent <= rules) rules = -1;
      const key = start + found[1]!.length;
      const name = found[2]!;
      const value = start + line.length - found[3]!.length;
      pieces.push({ kind: rules >= 0 ? "slot" : "keyword", start: key, end: key + name.length });
      if (/^(slots|parts)$/.test(name)) rules = found[1]!.length;
      else if (rules >= 0) pieces.push(...shifted(rulePieces(found[3]!), value));
      else if (/^(good|bad|line)$/.test(name)) pieces.push(...shifted(linePieces(found[3]!, slots), value));
    }
    start += line.length + 1;
  }
  return pieces;
}

const shifted = (pieces: Piece[], by: number): Piece[] =>
  pieces.map((piece) => ({ ...piece, start: piece.start + by, end: piece.end + by }));

/** The names under `slots:` and `parts:`, as well as they can be found in a text that may be broken. */
function slotNames(text: string): Set<string> {
  const blocks = text.matchAll(/^( *)(?:- )?(?:slots|parts):((?:\n\1 .*|\n *)*)/gm);
  return new Set([...blocks].flatMap(([, , body]) => [...body!.matchAll(/^ +([\w-]+):/gmu)].map((found) => found[1]!)));
}
