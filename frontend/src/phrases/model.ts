// The open phrases: their text, which is the truth, and the rows that show it.
//
// Typing changes the text here and at once, at the place where the row says that the value stands; everything else is an
// edit that the server works out from the text.
import { history, redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import type { EditorView, ViewUpdate } from "@codemirror/view";
import * as api from "../api";
import { unlessComposing } from "../composing";
import { Edits } from "../edits";
import { inFlow, narrowed, written } from "../paradigm/scalars";
import type { FileDocument } from "../saving";
import type { Diagnostic, Edited, PhraseRow, Problem, Step } from "../shapes";
import { ahead } from "./ahead";
import { Diagnoses } from "./diagnoses";
import { find, keyOf, moved, replaced, stepOf, type Target } from "./targets";

/** Something that waits for its turn, and what it will make of the rows. */
interface Waiting {
  show: (rows: PhraseRow[]) => PhraseRow[];
  once: boolean; // not any more when the server has made it
}

const REFRESH = 60; // milliseconds without typing until the rows are read again
const RETRY = 1_500; // where the server is away or busy

export class PhrasesModel {
  rows: PhraseRow[] = [];
  unreadable: Problem[] = []; // why the text as it is has no rows
  away = false; // the server has not said any rows yet; it is asked again
  view!: EditorView;

  private listeners = new Set<() => void>();
  private version = 0;
  private known = false; // the rows are the server's, not just none
  private wanted = new Map<string, { target: Target; value: string }>(); // typed where the text has no place yet
  private edits: Edits<PhraseRow[]>;
  private waiting: Waiting[] = []; // until the last is made, the rows shown are ahead of the text
  private diagnoses: Diagnoses;
  private timer = 0;
  private breaks: string;

  constructor(readonly file: FileDocument) {
    this.breaks = file.text.includes("\r\n") ? "\r\n" : "\n";
    file.onText = (text) => this.replaceAll(text);
    this.edits = new Edits("phrases", file, { text: () => this.text, made: (answer) => this.made(answer) });
    this.diagnoses = new Diagnoses(file, () => this.text, () => this.tell());
  }

  get extensions() {
    return [history({ newGroupDelay: 600 })];
  }

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

  /** Why the last edit was not made. */
  get refused(): Problem[] {
    return this.edits.refused;
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
    if (!span || (clean === "" && target.of !== "rule" && target.of !== "part")) return this.want(target, clean);
    const gap = span.start === span.end && /\S/.test(this.text[span.start - 1] ?? " ") ? " " : "";
    const now = gap + written(clean, inFlow(this.text, span.start));
    const change = narrowed(this.text.slice(span.start, span.end), now, span.start);
    this.wanted.delete(keyOf(target));
    if (!change) return;
    const { start } = span;
    this.view.dispatch({ changes: change, userEvent: "input.type" });
    this.rows = replaced(this.rows, target, clean, { start: start + gap.length, end: start + now.length });
    this.tell();
  }

  // Edits that the server works out, each after those before it.

  /** Shows an edit, and has it made; says whether it was. */
  async do(step: Step): Promise<boolean> {
    if (!this.mayEdit) return false;
    const waiting = { show: (rows: PhraseRow[]) => ahead(rows, step), once: true };
    this.show(ahead(this.rows, step));
    return this.after(() => step, waiting, async () => {
      const done = await this.edits.perform(step);
      if (!done) await this.refuse(waiting);
      return done;
    });
  }

  undo(): void {
    void this.after(() => null, { show: same, once: true }, async () => undo(this.view)).then(() => this.read());
  }

  redo(): void {
    void this.after(() => null, { show: same, once: true }, async () => redo(this.view)).then(() => this.read());
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
    if (spliced.length > 0) this.view.dispatch({ changes: spliced, userEvent: "edit" });
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
      if (span && (value || target.of === "rule" || target.of === "part")) this.write(target, value);
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
      if (api.mayPass(error)) {
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

  private replaceAll(text: string): void {
    this.breaks = text.includes("\r\n") ? "\r\n" : "\n";
    const change = narrowed(this.text, text.replaceAll("\r\n", "\n"), 0);
    if (change) this.view.dispatch({ changes: change, userEvent: "edit.merge" });
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

const same = (rows: PhraseRow[]): PhraseRow[] => rows;
