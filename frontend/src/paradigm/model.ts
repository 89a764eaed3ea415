// The open paradigm: its text, which is the truth, and the rows that show it.
//
// Typing changes the text here and at once, at the place where the row says that the value stands. Everything else is
// an edit that the server works out from the text; edits wait for each other, and one during which something was typed
// is asked again with the text as it is then. So no keystroke is lost, and no edit hits another text than it meant.
import { history } from "@codemirror/commands";
import type { TransactionSpec } from "@codemirror/state";
import type { EditorView, ViewUpdate } from "@codemirror/view";
import * as api from "../api";
import { isComposing, unlessComposing } from "../composing";
import type { FileDocument } from "../saving";
import type { ParadigmRows, Problem } from "../shapes";
import { insertKey, newKey } from "./keys";
import { itemsOf, type Lines, linesOf, withItem } from "./lines";
import { narrowed } from "./scalars";
import { type Splice, spliceOf } from "./splices";
import {
  find, inWording, keyOf, moved, replaced, type SlotPlace, slotsOf, type Step, stepOf, type Target, withSlots, wordingOf,
} from "./targets";

const RETRY = 1_500; // milliseconds, where the server is away or busy
const REFRESH = 50; // milliseconds without typing until the rows are read again

export class ParadigmModel {
  rows: ParadigmRows | null = null;
  unreadable: Problem[] = []; // why the text as it is has no rows
  refused: Problem[] = []; // why the last edit was not made
  view!: EditorView;
  /** Called after each change of the text that is no composition. */
  onChange: () => void = () => undefined;

  private listeners = new Set<() => void>();
  private version = 0;
  private wanted = new Map<string, { target: Target; value: string }>(); // typed where the text has no place yet
  private added = new Set<SlotPlace>(); // slots that the server does not know yet
  private queue: Promise<unknown> = Promise.resolve();
  private timer = 0;
  private reading: AbortController | null = null;
  private breaks: "\n" | "\r\n";

  constructor(readonly file: FileDocument) {
    this.breaks = file.text.includes("\r\n") ? "\r\n" : "\n";
    file.onText = (text) => this.replaceAll(text);
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

  // Typing ----------------------------------------------------------------------------------------------------------

  /** Another value for a field, a rule, a line or an option. */
  write(target: Target, value: string): void {
    if (!this.rows || !this.mayEdit) return;
    const change = this.splice(target, value);
    if (change === "same") this.wanted.delete(keyOf(target));
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
    this.rows = inWording(this.rows, variant, (now) => {
      const line = (side: "good" | "bad") =>
        now[side] && { ...now[side], text: lines[side].join(" "), items: itemsOf(lines[side]) };
      return { ...now, good: line("good"), bad: line("bad"), rows: lines.rows };
    });
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
  addSlot(variant: number | null, name: string): void {
    if (!this.rows || slotsOf(this.rows, variant).some((row) => row.name === name)) return;
    const added = { variant, name };
    this.added.add(added);
    this.rows = withSlots(this.rows, this.added);
    this.tell();
    this.queue = this.queue.then(async () => {
      await this.perform({ do: "add_slot", slot: name, rule: "", variant }, () => this.added.delete(added));
    });
  }

  private splice(target: Target, value: string): Splice | "same" | null {
    return spliceOf(this.rows!, this.text, target, value, this.wanted.has(keyOf(target)));
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
      this.wanted.delete(keyOf(target));
      const start = transaction.changes.mapPos(span.start, -1);
      next = replaced(next, target, value, { start: start + lead, end: start + now.length });
    }
    this.rows = next;
    this.tell();
  }

  /** Typed where the text has no place for it yet: the server makes one, then what is typed by then goes in. */
  private want(target: Target, value: string): void {
    const key = keyOf(target);
    const waiting = this.wanted.has(key);
    this.wanted.set(key, { target, value });
    const { span } = find(this.rows!, target);
    this.rows = replaced(this.rows!, target, value, span);
    this.tell();
    if (!waiting) this.queue = this.queue.then(() => this.place(key));
  }

  private async place(key: string): Promise<void> {
    for (let latest = this.wanted.get(key); latest && this.rows; latest = this.wanted.get(key)) {
      const { target, value } = latest;
      if (find(this.rows, target).span && value.trim()) this.write(target, value);
      else await this.perform(stepOf(target, value.trim()));
      if (this.wanted.get(key)?.value === value) this.wanted.delete(key);
    }
  }

  // Edits -----------------------------------------------------------------------------------------------------------

  /** An edit that the server works out, after those before it; says whether it was made. */
  do(step: Step): Promise<boolean> {
    const done = this.queue.then(() => this.perform(step));
    this.queue = done;
    return done;
  }

  private async perform(step: Step, finished: () => void = () => undefined): Promise<boolean> {
    this.refused = [];
    for (let failures = 0; ; ) {
      const version = this.version;
      try {
        const answer = await api.edit<ParadigmRows>(this.file.project, "paradigm", this.text, step);
        await new Promise<void>((ready) => unlessComposing(ready));
        if (version !== this.version) continue; // something was typed: the same edit of the text as it is now
        const changes = answer.changes.map(({ start, end, text }) => ({ from: start, to: end, insert: text }));
        if (changes.length) this.view.dispatch({ changes, userEvent: "edit" });
        finished();
        this.settle(answer.rows);
        return true;
      } catch (error) {
        if (!api.mayPass(error)) {
          this.refused = error instanceof api.Refused ? error.problems : [];
          finished();
          await this.read();
          return false;
        }
        this.file.unreachable();
        await new Promise((again) => setTimeout(again, Math.min(250 * 2 ** failures++, 4_000)));
      }
    }
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
      if (api.mayPass(error)) this.timer = window.setTimeout(() => void this.read(), RETRY);
      else if (error instanceof api.Refused) this.unreadable = error.problems;
      this.tell();
    }
  }

  /** Takes the server's rows, but for what was typed in the meantime and has no place in the text yet. */
  private settle(rows: ParadigmRows): void {
    clearTimeout(this.timer);
    this.unreadable = [];
    const before = this.rows;
    this.rows = withSlots(rows, this.added);
    for (const { target, value } of this.wanted.values()) {
      const { span } = find(this.rows, target);
      const typed = before && target.of === "line" ? wordingOf(before, target.variant)?.rows : undefined;
      this.rows = replaced(this.rows, target, span ? find(this.rows, target).value : value, span);
      if (typed && target.of === "line") this.rows = inWording(this.rows, target.variant, (now) => ({ ...now, rows: typed }));
      if (span && value.trim()) this.write(target, value);
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

  private replaceAll(text: string): void {
    this.breaks = text.includes("\r\n") ? "\r\n" : "\n";
    const change = narrowed(this.text, text.replaceAll("\r\n", "\n"), 0);
    if (change) this.view.dispatch({ changes: change, userEvent: "edit.merge" });
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
