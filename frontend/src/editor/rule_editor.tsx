// One-line editors for rules and for items of lines, with highlighting, completion and underlined errors, and the
// component that puts one into a page.
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
import { useLayoutEffect, useRef } from "preact/hooks";
import { useEchoes } from "../drawing";
import { focusStays } from "../keyboard";
import { nonce } from "../page";
import type { Diagnostic, Span } from "../wire";
import { askCompletion, completion, replaceOurselves } from "./completion";
import { highlighting, linePieces, type Piece, rulePieces } from "./highlight";
import { narrowed } from "./text_changes";

export type CursorPlace = "start" | "end" | "all" | "keep" | number;

export interface Underline extends Span {
  severity: Diagnostic["severity"];
}

export interface RuleEditorSettings {
  label: string;
  value: string;
  kind: "rule" | "line";
  readOnly?: boolean;
  empty?: string; // placeholder
  /** The slots in scope with their rules, and the slot whose rule this is. */
  scope: () => { slots: Record<string, string>; slot: string };
  change: (value: string) => void;
  /** Keys of the row; return whether the key was used. Composition and an open list of completions come first. */
  onKey?: (event: KeyboardEvent, editor: RuleEditor) => boolean;
  focus?: (focused: boolean) => void;
}

const setUnderlines = StateEffect.define<readonly Underline[]>();
const underlines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let decorations = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setUnderlines)) decorations = decorated(effect.value, transaction.state.doc.length);
    }
    return decorations;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorated(stretches: readonly Underline[], length: number): DecorationSet {
  const marks = stretches.map(({ start, end, severity }) => {
    const from = Math.max(0, Math.min(start, length - 1));
    const to = Math.min(Math.max(end, from + 1), length);
    return { from, to, mark: Decoration.mark({ class: `underlined ${severity}` }) };
  });
  return Decoration.set(marks.filter(({ from, to }) => to > from).map(({ from, to, mark }) => mark.range(from, to)), true);
}

/** A one-line editor. Text that is being composed is reported only when it is finished. */
export class RuleEditor {
  readonly view: EditorView;
  private reported: string;
  private names = new Compartment();
  private hint = new Compartment();
  private shown = "[]";
  private described: string;
  private hinted: string;

  constructor(
    parent: HTMLElement,
    private settings: RuleEditorSettings,
  ) {
    this.reported = settings.value;
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

  /** Set the text from outside; the cursor stays where possible. */
  set(value: string): void {
    const now = this.value;
    if (this.view.composing || value.trim() === now.trim()) return;
    this.reported = value;
    this.view.dispatch({ changes: narrowed(now, value, 0)! });
  }

  underline(stretches: readonly Underline[]): void {
    const key = JSON.stringify(stretches);
    if (key === this.shown) return;
    this.shown = key;
    this.view.dispatch({ effects: setUnderlines.of(stretches) });
  }

  /** Set the label, the placeholder, and the id of the element that shows the errors, if there are any. */
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
    this.view.focus(); // this does not scroll
    this.view.dom.scrollIntoView({ block: "nearest" });
    if (at === "keep") return;
    const length = this.view.state.doc.length;
    const head = at === "start" ? 0 : typeof at === "number" ? Math.min(at, length) : length;
    this.view.dispatch({ selection: { anchor: at === "all" ? 0 : head, head } });
  }

  destroy(): void {
    this.report();
    this.view.destroy();
  }

  private report(): void {
    if (this.view.composing || this.value === this.reported) return;
    this.reported = this.value;
    this.settings.change(this.reported);
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
          compositionend: () => void setTimeout(() => this.report()),
          focus: () => void this.settings.focus?.(true),
          blur: () => {
            setTimeout(() => this.report());
            this.settings.focus?.(false);
          },
        }),
      ),
      completion((context) => this.complete(context)),
      keymap.of(defaultKeymap.filter(({ key }) => key !== "Enter" && !key?.startsWith("Alt-") && key !== "Mod-Enter")),
      EditorView.updateListener.of((update) => {
        const begins = update.transactions.some((transaction) => transaction.isUserEvent("delete.compose"));
        if (update.docChanged && !begins) this.report();
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

function attributes(label: string, messages: string): Extension {
  return EditorView.contentAttributes.of({
    "aria-label": label,
    "aria-multiline": "false",
    "aria-autocomplete": "list",
    ...(messages ? { "aria-invalid": "true", "aria-describedby": messages } : {}),
    spellcheck: "false",
    autocapitalize: "off",
    tabindex: "0", // axe does not count editable elements as focusable
  });
}

// In a page ---------------------------------------------------------------------------------------------------------

const editors = new Map<string, RuleEditor>();
let wanted: { id: string; at: CursorPlace; stays: () => boolean } | null = null;

/** Focus an editor; one that does not exist yet gets the focus later, unless the reader has moved it by then. */
export function focusEditor(id: string, at: CursorPlace = "end"): void {
  const editor = editors.get(id);
  if (editor) editor.focus(at);
  else wanted = { id, at, stays: focusStays() };
}

/** Focus an editor once an edit is done. */
export async function focusAfter(edit: Promise<unknown>, id: string | (() => string), at: CursorPlace = "keep"): Promise<void> {
  const stays = focusStays();
  await edit;
  await new Promise((drawn) => setTimeout(drawn));
  if (stays()) focusEditor(typeof id === "string" ? id : id(), at);
}

export const editorOf = (id: string): RuleEditor | undefined => editors.get(id);

export interface RuleFieldProps extends RuleEditorSettings {
  id: string;
  underlines?: readonly Underline[];
  wrong?: boolean; // there is an error, even if nothing is underlined
  messages?: string; // id of the element that shows the errors
}

/** A one-line editor in a page: the page sets its text, the editor keeps its cursor and composition. */
export function RuleField(props: RuleFieldProps) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<RuleEditor | null>(null);
  const latest = useRef(props);
  const echoes = useEchoes(props.value);
  latest.current = props;

  useLayoutEffect(() => {
    const created = new RuleEditor(parent.current!, {
      ...props,
      scope: () => latest.current.scope(),
      change: (text) => {
        echoes.report(text);
        latest.current.change(text);
      },
      onKey: (event, self) => latest.current.onKey?.(event, self) ?? false,
      focus: (focused) => {
        echoes.clear();
        latest.current.focus?.(focused);
      },
    });
    editor.current = created;
    return () => created.destroy();
  }, []);

  useLayoutEffect(() => {
    const { id } = props;
    editors.set(id, editor.current!);
    if (wanted?.id === id) {
      const { at, stays } = wanted;
      wanted = null;
      if (stays()) editor.current!.focus(at);
    }
    return () => void (editors.get(id) === editor.current && editors.delete(id));
  }, [props.id]);

  useLayoutEffect(() => {
    if (echoes.isNews(props.value)) editor.current!.set(props.value);
    editor.current!.underline(props.underlines ?? []);
    const wrong = props.wrong ?? (props.underlines ?? []).some(({ severity }) => severity === "error");
    editor.current!.describe(props.label, props.empty ?? "", wrong ? (props.messages ?? "") : "");
  });

  return <div class="rule" ref={parent} />;
}
