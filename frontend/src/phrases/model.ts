// The open phrases: their text, which is the truth, and the rows that show it.
//
// Typing changes the text here and at once, at the place where the row says that the value stands; everything else is an
// edit that the server works out from the text.
import { history, redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { Transaction } from "@codemirror/state";
import type { EditorView, ViewUpdate } from "@codemirror/view";
import * as api from "../api";
import { unlessComposing } from "../composing";
import { replaceText } from "../differences";
import { Edits } from "../edits";
import type { FileDocument } from "../saving";
import type { Diagnostic, Edited, PhraseRow, Problem, Step } from "../shapes";
import { ahead, same, type Waiting } from "./ahead";
import { Diagnoses } from "./diagnoses";
import { carry } from "./renaming";
import { find, keyOf, moved, replaced, stepOf, type Target } from "./targets";
import { typedAt } from "./typing";

const REFRESH = 60; // milliseconds without typing until the rows are read again
const RETRY = 1_500; // where the server is away or busy

export class PhrasesModel {
  rows: PhraseRow[] = [];
  unreadable: Problem[] = []; // why the text as it is has no rows
  away = false; // the server has not said any rows yet; it is asked again
  view!: EditorView;
  carried = { name: "", paradigms: 0 }; // the last new name, and how many paradigms got it

  private listeners = new Set<() => void>();
  private version = 0;
  private known = false; // the rows are the server's, not just none
  private wanted = new Map<string, { target: Target; value: string }>(); // typed where the text has no place yet
  readonly edits: Edits<PhraseRow[]>;
  private waiting: Waiting[] = []; // until the last is made, the rows shown are ahead of the text
  private diagnoses: Diagnoses;
  private lasting = false; // the edit that is made has changed other files, and is not undone here
  private timer = 0;
  private breaks: string;

  constructor(readonly file: FileDocument) {
    this.breaks = file.text.includes("\r\n") ? "\r\n" : "\n";
    file.onText = (text, mine) => this.replaceAll(text, mine);
    this.edits = new Edits("phrases", file, { text: () => this.text, made: (answer) => this.made(answer) });
    this.diagnoses = new Diagnoses(file, () => this.text, () => this.tell());
  }

  readonly extensions = [history({ newGroupDelay: 600 })];

  get text(): string {
    return this.view.state.doc.toString();
  }

  get mayEdit(): boolean {
    return this.file.mayEdit;
  }

  get canUndo(): boolean {
    return undoDepth(this.view.state) > 0;
  }

  get canRedo(): boolean {
    return redoDepth(this.view.state) > 0;
  }

  /** Why the last edit was not made, where no field says it. */
  get refused(): Problem[] {
    return this.edits.unsaid;
  }

  get diagnostics(): Diagnostic[] {
    return this.diagnoses.found;
  }

  /** Whether nothing was typed for a while. */
  get settled(): boolean {
    return this.diagnoses.settled;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async start(): Promise<void> {
    await this.read();
    await this.diagnoses.ask();
  }

  /** Called by the plain-text editor, the home of the text, on every update. */
  updated(update: ViewUpdate): void {
    if (!update.docChanged) return;
    this.version += 1;
    this.rows = moved(this.rows, update.changes);
    unlessComposing(() => this.announce());
  }

  /** Another value: of a rule, a line, a head, a weight or a depth. */
  write(target: Target, value: string): void {
    if (!this.mayEdit) return;
    const { value: old, span } = find(this.rows, this.text, target);
    const clean = value.trim();
    if (clean === old.trim() && !this.wanted.has(keyOf(target))) return;
    const typed = span && typedAt(this.text, target, clean, span);
    if (!typed) return this.want(target, clean);
    this.wanted.delete(keyOf(target));
    if (!typed.change) return;
    this.view.dispatch({ changes: typed.change, userEvent: "input.type" });
    this.rows = replaced(this.rows, target, clean, typed.span);
    this.tell();
  }

  // Edits that the server works out, each after those before it.

  /** Shows an edit, and has it made; says whether it was. */
  async do(step: Step): Promise<boolean> {
    if (!this.mayEdit) return false;
    const waiting = { show: (rows: PhraseRow[]) => ahead(rows, step), once: true };
    this.show(ahead(this.rows, step));
    return this.after(() => step, waiting, async () => {
      const done = step.do === "rename_phrase" ? await this.rename(step) : await this.edits.perform(step);
      if (!done) await this.refuse(waiting);
      return done;
    });
  }

  /** Another name for a phrase: first in the paradigms that use it, then in the text as it is here. */
  private async rename(step: Step): Promise<boolean> {
    const [name, to] = [String(step["name"]), String(step["to"])];
    const { paradigms, problems } = await carry(this.file, name, to);
    this.edits.refused = problems;
    if (problems.length > 0) return false;
    this.lasting = paradigms > 0;
    const done = await this.edits.perform(step);
    this.lasting = false;
    this.carried = { name: to, paradigms };
    return done;
  }

  undo(back = undo): void {
    void this.after(() => null, { show: same, once: true }, async () => back(this.view)).then(() => this.read());
  }

  redo(): void {
    this.undo(redo);
  }

  private after<Result>(owed: () => Step | null, waiting: Waiting, run: () => Promise<Result>): Promise<Result> {
    this.waiting.push(waiting);
    return this.edits.after(owed, () =>
      run().finally(() => (this.waiting = this.waiting.filter((other) => other !== waiting))),
    );
  }

  /** The server will not make an edit: the rows are those of the text. */
  private async refuse(waiting: Waiting): Promise<void> {
    waiting.show = same;
    await this.read(true);
  }

  private made({ changes, rows }: Edited<PhraseRow[]>): void {
    const spliced = changes.map(({ start, end, text }) => ({ from: start, to: end, insert: text }));
    const annotations = Transaction.addToHistory.of(!this.lasting);
    if (spliced.length > 0) this.view.dispatch({ changes: spliced, userEvent: "edit", annotations });
    const [first] = this.waiting; // whose turn it is
    if (first?.once) first.show = same;
    this.settle(rows);
  }

  /** Typed where the text has no place for it yet: the server makes one, for what is typed by then. */
  private want(target: Target, value: string): void {
    const key = keyOf(target);
    const known = this.wanted.has(key);
    this.wanted.set(key, { target, value });
    this.show(replaced(this.rows, target, value, null));
    if (known) return this.edits.owe();
    const typed = (): string | null => this.wanted.get(key)?.value ?? null;
    const owed = (): Step | null => (typed() === null ? null : stepOf(target, typed()!));
    const waiting = { show: (rows: PhraseRow[]) => (typed() === null ? rows : replaced(rows, target, typed()!, null)), once: false };
    void this.after(owed, waiting, () => this.place(key, waiting));
  }

  private async place(key: string, waiting: Waiting): Promise<void> {
    for (let latest = this.wanted.get(key); latest; latest = this.wanted.get(key)) {
      const { target, value } = latest;
      const { span } = find(this.rows, this.text, target);
      if (span && typedAt(this.text, target, value, span)) this.write(target, value);
      else if (!(await this.edits.perform(stepOf(target, value)))) {
        this.wanted.delete(key);
        return this.refuse(waiting);
      }
      if (this.wanted.get(key)?.value === value) this.wanted.delete(key);
    }
  }

  // Rows.

  /** Reads the rows of the text as it is. */
  private async read(always = false): Promise<void> {
    clearTimeout(this.timer);
    if (this.waiting.length > 0 && !always) return; // rows come with the edit's answer
    const { version } = this;
    try {
      const rows = await api.readRows<PhraseRow[]>(this.file.project, "phrases", this.text);
      unlessComposing(() => version === this.version && this.settle(rows));
    } catch (error) {
      if (version !== this.version) return;
      if (api.mayPass(error) || api.isSignedOut(error)) {
        this.away = !this.known;
        this.timer = window.setTimeout(() => void this.read(), RETRY);
      } else if (error instanceof api.Refused) this.unreadable = error.problems;
      this.tell();
    }
  }

  /** Takes the server's rows, with what waits for its turn. */
  private settle(rows: PhraseRow[]): void {
    clearTimeout(this.timer);
    this.unreadable = [];
    this.known = true;
    this.away = false;
    this.show(this.waiting.reduce((now, { show }) => show(now), rows));
  }

  private show(rows: PhraseRow[]): void {
    this.rows = rows;
    this.tell();
  }

  private announce(): void {
    this.file.change(this.breaks === "\n" ? this.text : this.text.replaceAll("\n", this.breaks));
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.read(), REFRESH);
    this.diagnoses.typed();
    this.tell();
  }

  private replaceAll(text: string, mine: boolean): void {
    this.breaks = text.includes("\r\n") ? "\r\n" : "\n";
    replaceText(this.view, text, mine);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
