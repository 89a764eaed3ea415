// The open phrases: their text, which is the truth, and the rows that show it.
//
// Typing changes the text here and at once, at the place where the row says that the value stands; everything else is an
// edit that the server works out from the text. Edits wait for each other, and one during which something was typed is
// asked again with the text as it is then.
import { history, redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { EditorView, type ViewUpdate } from "@codemirror/view";
import * as api from "../api";
import { isComposing, unlessComposing } from "../composing";
import { inFlow, narrowed, written } from "../paradigm/scalars";
import type { FileDocument } from "../saving";
import type { Diagnostic, PhraseRow, Problem } from "../shapes";
import { find, freshAlternative, freshPart, keyOf, moved, NEW, pathOf, replaced, type Step, stepOf, type Target } from "./targets";

const REFRESH = 60; // milliseconds without typing until the rows are read again
const DIAGNOSE = 200;
const WHILE_TYPING = 600; // the row under the cursor is told of its errors only after this
const ATTEMPTS = 20;
const AWAY = 1_500; // milliseconds until a server that is away is asked again

export class PhrasesModel {
  rows: PhraseRow[] = [];
  unreadable: Problem[] = []; // why the text as it is has no rows
  refused: Problem[] = []; // why the last edit was not made
  diagnostics: Diagnostic[] = [];
  settled = true; // nothing was typed for a while
  view!: EditorView;

  private listeners = new Set<() => void>();
  private version = 0;
  private wanted = new Map<string, { target: Target; value: string }>(); // typed where the text has no place yet
  private queue: Promise<unknown> = Promise.resolve();
  private pending = 0; // edits asked for; until the last is made, the rows shown are ahead of the text
  private timers = { read: 0, diagnose: 0, settle: 0 };
  private asking: AbortController | null = null;
  private breaks: string;

  constructor(readonly file: FileDocument) {
    this.breaks = file.text.includes("\r\n") ? "\r\n" : "\n";
    file.onText = (text) => this.replaceAll(text);
  }

  get extensions() {
    return [history({ newGroupDelay: 600 }), EditorView.contentAttributes.of({ tabindex: "0" })];
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

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async start(): Promise<void> {
    await this.read();
    await this.diagnose();
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

  /** An edit that the server works out, after those before it; says whether it was made. */
  do(step: Step): Promise<boolean> {
    return this.after(() => this.perform(step));
  }

  private after<Result>(run: () => Result | Promise<Result>): Promise<Result> {
    this.pending += 1;
    const done = this.queue.then(async () => {
      try {
        return await run();
      } finally {
        this.pending -= 1;
      }
    });
    this.queue = done.catch(() => undefined);
    return done;
  }

  // What is added is shown at once, so that one can go on typing in it.

  addPhrase(name: string, at: number): Promise<boolean> {
    const alternatives = [freshAlternative(["phrases", name, 0], null)];
    this.rows = this.rows.toSpliced(at, 0, { name, span: NEW, depth: "", alternatives });
    this.tell();
    return this.do({ do: "add_phrase", name, rule: "", at });
  }

  addAlternative(phrase: PhraseRow, parts: Record<string, string> | null): Promise<boolean> {
    const path = ["phrases", phrase.name, phrase.alternatives.length];
    this.change(phrase.name, (row) => ({ ...row, alternatives: [...row.alternatives, freshAlternative(path, parts)] }));
    const value = parts ? { parts, head: Object.keys(parts)[0] ?? "" } : "";
    return this.do({ do: "add_alternative", phrase: phrase.name, value });
  }

  addPart(phrase: PhraseRow, number: number, part: string): Promise<boolean> {
    const fresh = freshPart([...pathOf(phrase, number), "parts", part], part);
    this.change(phrase.name, (row) => ({
      ...row,
      alternatives: row.alternatives.map((one, n) => (n === number ? { ...one, parts: [...one.parts, fresh] } : one)),
    }));
    return this.do({ do: "add_part", phrase: phrase.name, number, part, rule: "" });
  }

  private change(phrase: string, made: (row: PhraseRow) => PhraseRow): void {
    this.rows = this.rows.map((row) => (row.name === phrase ? made(row) : row));
    this.tell();
  }

  undo(): void {
    void this.after(() => undo(this.view)).then(() => this.read());
  }

  redo(): void {
    void this.after(() => redo(this.view)).then(() => this.read());
  }

  /** Typed where the text has no place for it yet: the server makes one, for what is typed by then. */
  private want(target: Target, value: string): void {
    const key = keyOf(target);
    const waiting = this.wanted.has(key);
    this.wanted.set(key, { target, value });
    this.rows = replaced(this.rows, target, value, null);
    this.tell();
    if (waiting) return;
    void this.after(async () => {
      const latest = this.wanted.get(key);
      if (!latest) return this.catchUp();
      this.wanted.delete(key);
      await this.perform(stepOf(target, latest.value));
    });
  }

  private async perform(step: Step): Promise<boolean> {
    this.refused = [];
    for (let attempt = 0; attempt < ATTEMPTS; ) {
      const version = this.version;
      try {
        const answer = await api.edit<PhraseRow[]>(this.file.project, "phrases", this.text, step);
        await new Promise<void>((ready) => unlessComposing(ready));
        attempt += 1;
        if (version !== this.version) continue;
        const changes = answer.changes.map(({ start, end, text }) => ({ from: start, to: end, insert: text }));
        if (changes.length > 0) this.view.dispatch({ changes, userEvent: "edit" });
        if (this.pending === 1) this.settle(answer.rows);
        return true;
      } catch (error) {
        if (error instanceof api.Refused && error.status < 429) {
          this.refused = error.problems;
          break;
        }
        this.file.unreachable();
        await new Promise((resolve) => setTimeout(resolve, AWAY));
      }
    }
    await this.read(true);
    return false;
  }

  /** The rows as the text has them, if no edit waits. */
  private async catchUp(): Promise<void> {
    if (this.pending === 1) await this.read(true);
  }

  /** Reads the rows of the text as it is. */
  private async read(always = false): Promise<void> {
    clearTimeout(this.timers.read);
    if (this.pending > 0 && !always) return; // rows come with the edit's answer
    const version = this.version;
    try {
      const rows = await api.readRows<PhraseRow[]>(this.file.project, "phrases", this.text);
      unlessComposing(() => version === this.version && (always || this.pending === 0) && this.settle(rows));
    } catch (error) {
      if (!(error instanceof api.Refused) || version !== this.version) return;
      this.unreadable = error.problems;
      this.tell();
    }
  }

  private async diagnose(): Promise<void> {
    this.asking?.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    const question = { kind: "phrases" as const, file: this.file.file, text: this.text };
    const version = this.version;
    const found = await api.diagnose(this.file.project, question, { signal }).catch(() => null);
    if (!found || version !== this.version) return;
    this.diagnostics = found.diagnostics;
    this.tell();
  }

  private settle(rows: PhraseRow[]): void {
    clearTimeout(this.timers.read);
    this.unreadable = [];
    this.rows = rows;
    for (const { target, value } of [...this.wanted.values()]) {
      if (value && find(rows, this.text, target).span) this.write(target, value);
      else this.rows = replaced(this.rows, target, value, null);
    }
    this.tell();
  }

  private announce(): void {
    this.file.change(this.breaks === "\n" ? this.text : this.text.replaceAll("\n", this.breaks));
    this.settled = false;
    clearTimeout(this.timers.read);
    clearTimeout(this.timers.diagnose);
    clearTimeout(this.timers.settle);
    this.timers.read = window.setTimeout(() => void this.read(), REFRESH);
    this.timers.diagnose = window.setTimeout(() => !isComposing() && void this.diagnose(), DIAGNOSE);
    this.timers.settle = window.setTimeout(() => {
      this.settled = true;
      this.tell();
    }, WHILE_TYPING);
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
