// One-line editors for rules and for items of lines: highlighting, completion from the server, errors underlined.
import {
  acceptCompletion,
  closeCompletion,
  type CompletionContext,
  type CompletionResult,
  completionStatus,
  selectedCompletion,
} from "@codemirror/autocomplete";
import { defaultKeymap } from "@codemirror/commands";
import { Compartment, EditorState, type Extension, Prec, StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, keymap, placeholder } from "@codemirror/view";
import { askCompletion, completion } from "./completion";
import { nonce } from "./page";
import { linePieces, type Piece, rulePieces } from "./rule_pieces";
import type { Severity, Span } from "./shapes";

export type CursorPlace = "start" | "end" | "all" | "keep" | number;

export interface Underline extends Span {
  severity: Severity;
}

export interface RuleEditorSettings {
  label: string;
  value: string;
  kind: "rule" | "line";
  readOnly?: boolean;
  empty?: string; // what an empty one says
  /** The slots that may be named, with their rules, and the slot whose rule this is. */
  scope: () => { slots: Record<string, string>; slot: string };
  change: (value: string) => void;
  /** Keys of the row: gives true where it did something. Composition and an open list of completions come first. */
  onKey?: (event: KeyboardEvent, editor: RuleEditor) => boolean;
  focus?: (focused: boolean) => void;
}

const setUnderlines = StateEffect.define<readonly Underline[]>();
const underlines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let found = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setUnderlines)) found = decorated(effect.value, transaction.state.doc.length);
    }
    return found;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorated(found: readonly Underline[], length: number): DecorationSet {
  const marks = found.map(({ start, end, severity }) => {
    const from = Math.max(0, Math.min(start, length - 1));
    const to = Math.min(Math.max(end, from + 1), length);
    return { from, to, mark: Decoration.mark({ class: `underlined ${severity}` }) };
  });
  return Decoration.set(marks.filter(({ from, to }) => to > from).map(({ from, to, mark }) => mark.range(from, to)), true);
}

/** A one-line editor. What is being composed is not told to anybody until it is finished. */
export class RuleEditor {
  readonly view: EditorView;
  private told: string;
  private names = new Compartment();
  private hint = new Compartment();
  private shown = "[]";
  private described: string;
  private hinted: string;

  constructor(
    parent: HTMLElement,
    private settings: RuleEditorSettings,
  ) {
    this.told = settings.value;
    this.described = `${settings.label} `;
    this.hinted = settings.empty ?? "";
    this.view = new EditorView({
      parent,
      state: EditorState.create({ doc: settings.value, extensions: this.extensions() }),
    });
  }

  get value(): string {
    return this.view.state.doc.toString();
  }

  /** Another text from outside, with the cursor where it was as far as that goes. */
  set(value: string): void {
    const now = this.value;
    if (this.view.composing || value.trim() === now.trim()) return;
    let start = 0;
    let end = 0;
    const most = Math.min(value.length, now.length);
    while (start < most && value[start] === now[start]) start++;
    while (end < most - start && value.at(-1 - end) === now.at(-1 - end)) end++;
    this.told = value;
    this.view.dispatch({ changes: { from: start, to: now.length - end, insert: value.slice(start, value.length - end) } });
  }

  underline(found: readonly Underline[]): void {
    const key = JSON.stringify(found);
    if (key === this.shown) return;
    this.shown = key;
    this.view.dispatch({ effects: setUnderlines.of(found) });
  }

  /** Another label, another text for an empty one, and the element that says what is wrong, if anything is. */
  describe(label: string, empty: string, messages: string): void {
    if (this.described !== `${label} ${messages}`) {
      this.described = `${label} ${messages}`;
      this.view.dispatch({ effects: this.names.reconfigure(attributes(label, messages)) });
    }
    if (this.hinted !== empty) {
      this.hinted = empty;
      this.view.dispatch({ effects: this.hint.reconfigure(placeholder(empty)) });
    }
  }

  focus(at: CursorPlace = "end"): void {
    this.view.focus(); // which does not scroll
    this.view.dom.scrollIntoView({ block: "nearest" });
    if (at === "keep") return;
    const length = this.view.state.doc.length;
    const head = at === "start" ? 0 : typeof at === "number" ? Math.min(at, length) : length;
    this.view.dispatch({ selection: { anchor: at === "all" ? 0 : head, head } });
  }

  destroy(): void {
    this.tell();
    this.view.destroy();
  }

  private tell(): void {
    if (this.view.composing || this.value === this.told) return;
    this.told = this.value;
    this.settings.change(this.told);
  }

  private extensions(): Extension {
    const { readOnly, empty, label } = this.settings;
    return [
      nonce ? EditorView.cspNonce.of(nonce) : [],
      EditorState.transactionFilter.of((transaction) => {
        if (!transaction.docChanged || transaction.newDoc.lines === 1) return transaction;
        const text = transaction.newDoc.toString().replace(/\s*\n\s*/g, " ");
        return [{ changes: { from: 0, to: transaction.startState.doc.length, insert: text }, selection: { anchor: text.length } }];
      }),
      EditorState.readOnly.of(readOnly ?? false),
      this.names.of(attributes(label, "")),
      this.hint.of(placeholder(empty ?? "")),
      highlighting((text) => this.pieces(text)),
      underlines,
      replaceOurselves,
      Prec.highest(keymap.of([{ key: "Tab", run: acceptCompletion }])),
      Prec.high(
        EditorView.domEventHandlers({
          keydown: (event) => this.onKey(event),
          compositionend: () => void setTimeout(() => this.tell()),
          focus: () => void this.settings.focus?.(true),
          blur: () => {
            setTimeout(() => this.tell());
            this.settings.focus?.(false);
          },
        }),
      ),
      completion((context) => this.complete(context)),
      keymap.of(defaultKeymap.filter(({ key }) => key !== "Enter" && !key?.startsWith("Alt-") && key !== "Mod-Enter")),
      EditorView.updateListener.of((update) => {
        const begins = update.transactions.some((each) => each.isUserEvent("delete.compose"));
        if (update.docChanged && !begins) this.tell();
      }),
    ];
  }

  private pieces(text: string): Piece[] {
    const { kind, scope } = this.settings;
    return kind === "rule" ? rulePieces(text) : linePieces(text, new Set(Object.keys(scope().slots)));
  }

  private onKey(event: KeyboardEvent): boolean {
    if (event.isComposing || this.view.composing || event.keyCode === 229) return false;
    const { state } = this.view;
    if (completionStatus(state) === "active") {
      if (selectedCompletion(state) || (!event.altKey && /^(Arrow|Page|Escape)/.test(event.key))) return false;
    }
    if (!this.settings.onKey?.(event, this)) return false;
    closeCompletion(this.view);
    event.preventDefault();
    return true;
  }

  private complete(context: CompletionContext): Promise<CompletionResult | null> {
    const { kind, scope } = this.settings;
    return askCompletion(context, { kind, text: this.value, cursor: context.pos, ...scope() });
  }
}

/**
 * Text written over a selection takes on its style in Chromium, by inline styles that the policy refuses. So the editor
 * replaces the selection itself, and what is composed over is taken away first.
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

function attributes(label: string, messages: string): Extension {
  return EditorView.contentAttributes.of({
    "aria-label": label,
    "aria-multiline": "false",
    "aria-autocomplete": "list",
    ...(messages ? { "aria-invalid": "true", "aria-describedby": messages } : {}),
    spellcheck: "false",
    autocapitalize: "off",
    tabindex: "0", // axe does not count what is editable as focusable
  });
}

/** Colours the pieces of a text. */
export function highlighting(pieces: (text: string) => Piece[]): Extension {
  return EditorView.decorations.of((view) => {
    const found = pieces(view.state.doc.toString()).filter(({ start, end }) => end > start);
    return Decoration.set(
      found.map(({ kind, start, end }) => Decoration.mark({ class: `piece-${kind}` }).range(start, end)),
      true,
    );
  });
}
