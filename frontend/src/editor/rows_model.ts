// A file that is edited as rows. Its text is the truth; the rows show it.
//
// Typing changes the text at once, at the place where the row says that the value stands. Everything else is an edit that
// the server applies to the text. So no keystroke is lost, and no edit is applied to a text it was not meant for.
import { history } from "@codemirror/commands";
import { type ChangeDesc, Transaction } from "@codemirror/state";
import type { EditorView, ViewUpdate } from "@codemirror/view";
import * as api from "../api";
import type { Edited, Step } from "../api";
import { Observable } from "../drawing";
import { afterComposing, composed } from "../keyboard";
import type { FileDocument } from "../saving";
import type { Problem, Span } from "../wire";
import { Live } from "./live";
import { type Splice, spliceOf } from "./text_changes";
import { replaceText } from "./text_editor";

const LONGEST = 4_000; // milliseconds between two attempts to have an edit applied
const NAMING = /^(add|rename)_(slot|part|phrase)$/;

/** How the rows of one kind of file are read and changed. A target names a value that can be typed. */
export interface RowsForm<Rows, Target> {
  kind: api.RowsKind;
  /** The value of a target and where it stands; no span where the text has no place for it yet. */
  find(rows: Rows, text: string, target: Target): { value: string; span: Span | null };
  /** The rows with every span moved along with changes of the text. */
  moved(rows: Rows, changes: ChangeDesc): Rows;
  /** The rows with a new value for a target; `span` is where it then stands. */
  replaced(rows: Rows, target: Target, value: string, span: Span | null): Rows;
  /** The same for a value that has no place in the text yet; `before` are the rows into which it was typed. */
  overlaid(rows: Rows, before: Rows, target: Target, value: string, span: Span | null): Rows;
  /** The rows after an edit, as far as they can be known before the server has applied it. */
  ahead(rows: Rows, step: Step): Rows;
  /** The edit with which the server sets a value. */
  stepOf(target: Target, value: string): Step;
  /** Whether the place of a value may be left empty; otherwise the server removes the key as well. */
  mayBeEmpty(text: string, target: Target, span: Span): boolean;
  /** Whether a blank value must be written even where the text has no place for it. */
  isRequired(target: Target): boolean;
}

/** An edit that waits for its turn, and what it will do to the rows. */
interface Waiting<Rows> {
  show: (rows: Rows) => Rows;
  once: boolean; // shown only until the server has applied it
}

interface Pending<Target> {
  target: Target;
  value: string;
}

export class RowsModel<Rows, Target> extends Observable {
  rows: Rows | null = null;
  unreadable: Problem[] = []; // why the current text has no rows
  away = false; // the server has not sent any rows yet; it is asked again
  view!: EditorView;
  readonly edits: Edits<Rows>;
  readonly live: Live;
  readonly extensions = [history({ newGroupDelay: 600 })]; // of the text editor
  protected undoable = true; // the edit being applied goes into the undo history

  private pending = new Map<string, Pending<Target>>(); // values typed where the text has no place for them yet
  private waiting: Waiting<Rows>[] = []; // until the last one is applied, the rows shown are ahead of the text
  private breaks: string;

  constructor(
    readonly file: FileDocument,
    private readonly form: RowsForm<Rows, Target>,
  ) {
    super();
    this.breaks = breaksOf(file.text);
    file.onText = (text, mine) => {
      this.breaks = breaksOf(text);
      replaceText(this.view, text, mine);
    };
    this.edits = new Edits(form.kind, file, { text: () => this.text, applied: (answer) => this.applied(answer) });
    this.live = new Live(file.project, file.file, form.kind, () => this.text);
    this.live.onRows = ({ rows, problems }) => (rows ? this.settle(rows as Rows) : this.setUnreadable(problems));
    this.live.onAway = () => (this.away = this.rows === null);
    this.live.subscribe(() => this.notify());
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  get mayEdit(): boolean {
    return this.file.mayEdit;
  }

  /** Why the last edit was refused, where no field shows it. */
  get refused(): Problem[] {
    return this.edits.unshown;
  }

  /** Called by the text editor, which holds the text also while rows are shown, on every update. */
  updated(update: ViewUpdate): void {
    if (!update.docChanged) return;
    if (this.rows) this.rows = this.form.moved(this.rows, update.changes);
    afterComposing(() => this.announce());
  }

  private announce(): void {
    this.file.change(this.breaks === "\n" ? this.text : this.text.replaceAll("\n", this.breaks));
    this.live.changed();
    this.notify();
  }

  // Typing ----------------------------------------------------------------------------------------------------------

  write(target: Target, value: string): void {
    this.writeAll([{ target, value }]);
  }

  /** Write values with one change, undone in one step. */
  protected writeAll(values: Pending<Target>[]): void {
    if (!this.rows || !this.mayEdit) return;
    const { text } = this;
    const splices: (Pending<Target> & Splice)[] = [];
    for (const { target, value } of values) {
      const key = keyOf(target);
      const { value: old, span } = this.form.find(this.rows, text, target);
      const clean = value.trim();
      if (clean === old.trim() && !this.pending.has(key) && (span || !this.form.isRequired(target))) continue;
      if (!span || (!clean && !this.form.mayBeEmpty(text, target, span))) {
        this.postpone(target, value);
        continue;
      }
      const splice = spliceOf(text, span, clean);
      if (splice.change) splices.push({ target, value: clean, ...splice });
      else this.pending.delete(key);
    }
    if (splices.length) this.type(splices);
  }

  private type(splices: (Pending<Target> & Splice)[]): void {
    const transaction = this.view.state.update({ changes: splices.map(({ change }) => change!), userEvent: "input.type" });
    let rows = this.form.moved(this.rows!, transaction.changes);
    this.view.dispatch(transaction);
    for (const { target, value, start, lead, length } of splices) {
      this.pending.delete(keyOf(target));
      const first = transaction.changes.mapPos(start, -1);
      rows = this.form.replaced(rows, target, value, { start: first + lead, end: first + length });
    }
    this.show(rows);
  }

  /** Have the server make a place for a typed value; what is typed until then goes in. */
  private postpone(target: Target, value: string): void {
    const key = keyOf(target);
    const queued = this.pending.has(key);
    this.pending.set(key, { target, value });
    const overlay = (rows: Rows): Rows => {
      const latest = this.pending.get(key)?.value;
      const { span } = this.form.find(rows, this.text, target);
      return latest === undefined ? rows : this.form.overlaid(rows, this.rows!, target, latest, span);
    };
    this.show(overlay(this.rows!));
    if (queued) return this.edits.owe();
    const step = (): Step | null => {
      const latest = this.pending.get(key)?.value;
      return latest === undefined ? null : this.form.stepOf(target, latest.trim());
    };
    void this.queue(step, { show: overlay, once: false }, () => this.place(key));
  }

  private async place(key: string): Promise<void> {
    for (let latest = this.pending.get(key); latest && this.rows; latest = this.pending.get(key)) {
      const { target, value } = latest;
      const { span } = this.form.find(this.rows, this.text, target);
      let applied = true;
      if (span && (value.trim() || this.form.mayBeEmpty(this.text, target, span))) this.write(target, value);
      else applied = await this.edits.perform(this.form.stepOf(target, value.trim()));
      if (this.pending.get(key)?.value === value) this.pending.delete(key);
      if (!applied) await this.live.ask();
    }
  }

  // Edits by the server ---------------------------------------------------------------------------------------------

  /** Show an edit and have it applied, after those before it; return whether it was. */
  async do(step: Step): Promise<boolean> {
    if (!this.mayEdit || !this.rows) return false;
    const waiting = { show: (rows: Rows) => this.form.ahead(rows, step), once: true };
    this.show(waiting.show(this.rows));
    return this.queue(() => step, waiting, async () => {
      const applied = await this.perform(step);
      if (!applied) {
        waiting.show = same;
        await this.live.ask();
      }
      return applied;
    });
  }

  protected perform(step: Step): Promise<boolean> {
    return this.edits.perform(step);
  }

  /** Run something after the edits before it; `owed` is what it would still do to the text. */
  protected queue<Result>(owed: () => Step | null, waiting: Waiting<Rows>, run: () => Promise<Result>): Promise<Result> {
    this.waiting.push(waiting);
    const done = (): void => void (this.waiting = this.waiting.filter((other) => other !== waiting));
    return this.edits.after(owed, () => run().finally(done));
  }

  /** Resolve when what was typed is in the text, and the text is saved as far as it can be. */
  async finished(): Promise<void> {
    await this.edits.idle();
    await this.file.flush();
  }

  private applied({ changes, rows }: Edited<Rows>): void {
    const edits = changes.map(({ start, end, text }) => ({ from: start, to: end, insert: text }));
    const annotations = Transaction.addToHistory.of(this.undoable);
    if (edits.length) this.view.dispatch({ changes: edits, userEvent: "edit", annotations });
    const [first] = this.waiting; // whose turn it is
    if (first?.once) first.show = same;
    this.settle(rows);
  }

  // Rows ------------------------------------------------------------------------------------------------------------

  /** Take the server's rows, with what waits for its turn. */
  private settle(rows: Rows): void {
    this.unreadable = [];
    this.away = false;
    this.show(this.waiting.reduce((shown, { show }) => show(shown), rows));
    for (const { target, value } of [...this.pending.values()]) {
      if (value.trim() && this.form.find(this.rows!, this.text, target).span) this.write(target, value);
    }
  }

  private setUnreadable(problems: Problem[]): void {
    this.unreadable = problems;
    this.notify();
  }

  protected show(rows: Rows): void {
    this.rows = rows;
    this.notify();
  }
}

const keyOf = (target: unknown): string => JSON.stringify(target);
const breaksOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n");
export const same = <Value>(value: Value): Value => value;

/**
 * The edits that the server applies to a text, one after the other. When something is typed during a request, the edit
 * is requested again for the new text. Until an edit is in the text, the file owes it.
 */
export class Edits<Rows> {
  refused: Problem[] = []; // why the last edit was not applied
  unshown: Problem[] = []; // the same, unless the field that gives a name shows it

  private waiting: (() => Step | null)[] = [];
  private typing = new Map<object, Step>(); // by the field in which each is being typed
  private last: Promise<unknown> = Promise.resolve();

  constructor(
    private kind: api.RowsKind,
    private file: FileDocument,
    private target: { text(): string; applied(answer: Edited<Rows>): void },
  ) {}

  /** Run something after the edits before it; `owed` is what it would still do to the text. */
  after<Result>(owed: () => Step | null, run: () => Promise<Result>): Promise<Result> {
    this.waiting.push(owed);
    this.owe();
    const done = this.last.then(run).finally(() => {
      this.waiting = this.waiting.filter((other) => other !== owed);
      this.owe();
    });
    this.last = done.catch(() => undefined);
    return done;
  }

  /** Resolve when all edits so far are applied or refused. */
  async idle(): Promise<void> {
    await this.last;
  }

  /** Take what is being typed in a field that takes effect when it is left: the edit that it will be, if any. */
  typed(field: object, step: Step | null): void {
    if (step) this.typing.set(field, step);
    else if (!this.typing.delete(field)) return;
    this.owe();
  }

  /** Let what was typed in a field take effect by `run`: it is owed once, and at no moment not at all. */
  commit<Result>(field: object, run: () => Result): Result {
    this.typing.delete(field);
    const result = run();
    this.owe();
    return result;
  }

  /** Tell the file which edits its text lacks. */
  owe(): void {
    const waiting = this.waiting.map((owed) => owed()).filter((step) => step !== null);
    this.file.owe([...waiting, ...this.typing.values()]);
  }

  /** Have the server apply an edit now; only to be called by what `after` runs. */
  async perform(step: Step): Promise<boolean> {
    this.refused = [];
    this.unshown = [];
    for (let failures = 0; ; ) {
      const text = this.target.text();
      try {
        const answer = await api.edit<Rows>(this.file.project, this.kind, text, step);
        await composed();
        if (text !== this.target.text()) continue;
        this.target.applied(answer);
        return true;
      } catch (error) {
        if (api.isSignedOut(error)) this.file.refuse(error);
        else if (api.mayPass(error)) this.file.unreachable();
        else {
          this.refused = error instanceof api.Refused ? error.problems : [];
          this.unshown = NAMING.test(step.do) ? [] : this.refused;
          return false;
        }
        await new Promise((again) => setTimeout(again, Math.min(250 * 2 ** failures++, LONGEST)));
      }
    }
  }
}
