// The open paradigm: its text, which is the truth, and the rows that show it.
//
// Typing changes the text here and at once, at the place where the row says that the value stands. Everything else is
// an edit that the server works out from the text. So no keystroke is lost, and no edit hits another text than it meant.
import { history } from "@codemirror/commands";
import type { TransactionSpec } from "@codemirror/state";
import type { EditorView, ViewUpdate } from "@codemirror/view";
import * as api from "../api";
import { isComposing, unlessComposing } from "../composing";
import { replaceText } from "../differences";
import { Edits } from "../edits";
import type { FileDocument } from "../saving";
import type { Edited, ParadigmRows, Problem, Step } from "../shapes";
import { insertKey, newKey } from "./keys";
import { type Lines, linesOf, withItem } from "./lines";
import { type Splice, spliceOf } from "./splices";
import {
  find, moved, replaced, type SlotPlace, slotsOf, stepOf, type Target, withLines, withSlots, wordingOf,
} from "./targets";
import { Wanted } from "./wanted";

const RETRY = 1_500; // milliseconds, where the server is away or busy
const REFRESH = 50; // milliseconds without typing until the rows are read again

export class ParadigmModel {
  rows: ParadigmRows | null = null;
  unreadable: Problem[] = []; // why the text as it is has no rows
  away = false; // the server did not say the rows; it is asked again
  view!: EditorView;
  /** Called after each change of the text that is no composition. */
  onChange: () => void = () => undefined;

  private listeners = new Set<() => void>();
  private version = 0;
  private wanted = new Wanted();
  private added = new Set<SlotPlace>(); // slots that the server does not know yet
  readonly edits: Edits<ParadigmRows>;
  private timer = 0;
  private reading: AbortController | null = null;
  private breaks: "\n" | "\r\n";

  constructor(readonly file: FileDocument) {
    this.breaks = file.text.includes("\r\n") ? "\r\n" : "\n";
    file.onText = (text, mine) => this.replaceAll(text, mine);
    this.edits = new Edits("paradigm", file, { text: () => this.text, made: (answer) => this.made(answer) });
  }

  /** What the plain-text editor needs to be the home of the text: a history, and news of changes. */
  get extensions() {
    return [history({ newGroupDelay: 600 })];
  }

  /** Called by the plain-text editor on every update. */
  updated(update: ViewUpdate): void {
    if (!update.docChanged) return;
    this.version++;
    if (this.rows) this.rows = moved(this.rows, update.changes);
    if (isComposing()) unlessComposing(() => this.announce());
    else this.announce();
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  get mayEdit(): boolean {
    return this.file.mayEdit;
  }

  /** Why the last edit was not made, where no field says it. */
  get refused(): Problem[] {
    return this.edits.unsaid;
  }

  // Typing ----------------------------------------------------------------------------------------------------------

  /** Another value for a field, a rule, a line or an option. */
  write(target: Target, value: string): void {
    if (!this.rows || !this.mayEdit) return;
    const change = this.splice(target, value);
    if (change === "same") this.wanted.delete(target);
    else if (change) this.type([change]);
    else this.want(target, value);
  }

  /** Other items of a wording's lines: one change, undone in one step. */
  writeLines(variant: number | null, lines: Lines): void {
    const wording = this.rows && wordingOf(this.rows, variant);
    if (!this.rows || !wording || !this.mayEdit) return;
    const bad = wording.bad !== null || lines.bad.join(" ") !== lines.good.join(" ");
    const sides = (["good", "bad"] as const).filter((side) => side === "good" || bad);
    const changes: Splice[] = [];
    for (const side of sides) {
      const target: Target = { of: "line", side, variant };
      const change = this.splice(target, lines[side].join(" "));
      if (change && change !== "same") changes.push(change);
      else if (!change) this.want(target, lines[side].join(" "));
    }
    this.type(changes);
    this.rows = withLines(this.rows, variant, lines);
    this.tell();
  }

  /** New items before a row; the editor of the first has the key. Several, where several were pasted. */
  insertItems(variant: number | null, row: number, texts: string[], side: "both" | "bad", key: number): void {
    const wording = this.rows && wordingOf(this.rows, variant);
    if (!wording) return;
    let lines = linesOf(wording);
    texts.forEach((text, number) => {
      lines = withItem(lines, row + number, text, side);
      const { good, bad } = lines.rows[row + number]!;
      const own = number === 0 ? key : newKey();
      if (good !== null) insertKey(`${variant}:good`, good, text, own);
      if (bad !== null) insertKey(`${variant}:bad`, bad, text, good === null ? own : newKey());
    });
    this.writeLines(variant, lines);
  }

  /** A new slot, shown at once. */
  addSlot(variant: number | null, name: string): Promise<boolean> {
    if (!this.rows || slotsOf(this.rows, variant).some((row) => row.name === name)) return Promise.resolve(false);
    const added = { variant, name };
    this.added.add(added);
    this.rows = withSlots(this.rows, this.added);
    this.tell();
    return this.do({ do: "add_slot", slot: name, rule: "", variant }, () => this.added.delete(added));
  }

  private splice(target: Target, value: string): Splice | "same" | null {
    return spliceOf(this.rows!, this.text, target, value, this.wanted.has(target));
  }

  /** Makes typed changes of the text, and of the rows with it. */
  private type(changes: Splice[]): void {
    if (!changes.length) return;
    const rows = this.rows!;
    const spec: TransactionSpec = { changes: changes.map(({ change }) => change), userEvent: "input.type" };
    const transaction = this.view.state.update(spec);
    this.view.dispatch(transaction);
    let next = moved(rows, transaction.changes);
    for (const { target, value, span, now, lead } of changes) {
      this.wanted.delete(target);
      const start = transaction.changes.mapPos(span.start, -1);
      next = replaced(next, target, value, { start: start + lead, end: start + now.length });
    }
    this.rows = next;
    this.tell();
  }

  /** Typed where the text has no place for it yet: the server makes one, then what is typed by then goes in. */
  private want(target: Target, value: string): void {
    const waiting = this.wanted.has(target);
    this.wanted.set(target, value);
    const { span } = find(this.rows!, target);
    this.rows = replaced(this.rows!, target, value, span);
    this.tell();
    if (waiting) this.edits.owe();
    else void this.edits.after(() => this.wanted.step(target), () => this.place(target));
  }

  private async place(target: Target): Promise<void> {
    for (let latest = this.wanted.get(target); latest && this.rows; latest = this.wanted.get(target)) {
      const { value } = latest;
      let done = true;
      if (find(this.rows, target).span && value.trim()) this.write(target, value);
      else done = await this.edits.perform(stepOf(target, value.trim()));
      if (this.wanted.get(target)?.value === value) this.wanted.delete(target);
      if (!done) await this.read();
    }
  }

  // Edits -----------------------------------------------------------------------------------------------------------

  /** An edit that the server works out, after those before it; says whether it was made. */
  async do(step: Step, finished: () => void = () => undefined): Promise<boolean> {
    if (!this.mayEdit) return false;
    const done = await this.edits.do(step);
    finished();
    if (!done) await this.read();
    return done;
  }

  /** What was typed is in the text, and the text is saved, as far as it can be. */
  async finished(): Promise<void> {
    await this.edits.idle();
    await this.file.flush();
  }

  private made({ changes, rows }: Edited<ParadigmRows>): void {
    const spliced = changes.map(({ start, end, text }) => ({ from: start, to: end, insert: text }));
    if (spliced.length) this.view.dispatch({ changes: spliced, userEvent: "edit" });
    this.settle(rows);
  }

  // Rows ------------------------------------------------------------------------------------------------------------

  /** Reads the rows of the text as it is. */
  async read(): Promise<void> {
    clearTimeout(this.timer);
    this.reading?.abort();
    this.reading = new AbortController();
    const version = this.version;
    try {
      const rows = await api.readRows<ParadigmRows>(this.file.project, "paradigm", this.text, { signal: this.reading.signal });
      unlessComposing(() => version === this.version && this.settle(rows));
    } catch (error) {
      if (version !== this.version || api.isAbort(error)) return;
      this.away = api.mayPass(error) || api.isSignedOut(error);
      if (this.away) this.timer = window.setTimeout(() => void this.read(), RETRY);
      else if (error instanceof api.Refused) this.unreadable = error.problems;
      this.tell();
    }
  }

  /** Takes the server's rows, but for what was typed in the meantime and has no place in the text yet. */
  private settle(rows: ParadigmRows): void {
    clearTimeout(this.timer);
    this.unreadable = [];
    this.away = false;
    this.rows = this.wanted.within(withSlots(rows, this.added), this.rows);
    for (const { target, value } of this.wanted.all()) {
      if (value.trim() && find(this.rows, target).span) this.write(target, value);
    }
    this.tell();
  }

  private announce(): void {
    const text = this.text;
    this.file.change(this.breaks === "\n" ? text : text.replaceAll("\n", "\r\n"));
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.read(), REFRESH);
    this.onChange();
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
