// Edits that the server works out from the text. They wait for each other, and one during which something was typed is
// asked again with the text as it is then. Until an edit is in the text, the file owes it.
import * as api from "./api";
import { settled } from "./composing";
import type { FileDocument } from "./saving";
import type { Edited, Problem, Step } from "./shapes";

const LONGEST = 4_000; // milliseconds until a server that is away is asked again

const NAMING = /^(add|rename)_(slot|part|phrase)$/;

/** Whose text is edited. */
interface Edit<Rows> {
  text(): string;
  made(answer: Edited<Rows>): void;
}

export class Edits<Rows> {
  refused: Problem[] = []; // why the last edit was not made
  unsaid: Problem[] = []; // the same, where no field says it: one that gives a name does

  private waiting: (() => Step | null)[] = [];
  private typing = new Map<object, Step>(); // by the field in which each is being typed
  private queue: Promise<unknown> = Promise.resolve();

  constructor(
    private kind: api.RowsKind,
    private file: FileDocument,
    private edited: Edit<Rows>,
  ) {}

  /** An edit after those before it; says whether it was made. */
  do(step: Step): Promise<boolean> {
    return this.after(() => step, () => this.perform(step));
  }

  /** Something to be run after the edits before it; `owed` is what it would still do to the text. */
  after<Result>(owed: () => Step | null, run: () => Promise<Result>): Promise<Result> {
    this.waiting.push(owed);
    this.owe();
    const done = this.queue.then(run).finally(() => {
      this.waiting = this.waiting.filter((other) => other !== owed);
      this.owe();
    });
    this.queue = done.catch(() => undefined);
    return done;
  }

  /** All edits up to now are made, or refused. */
  async idle(): Promise<void> {
    await this.queue;
  }

  /** What is being typed in a field that takes effect when it is left: the edit that it will be, if any. */
  typed(field: object, step: Step | null): void {
    if (step) this.typing.set(field, step);
    else if (!this.typing.delete(field)) return;
    this.owe();
  }

  /** What was typed in a field takes effect by what `run` does: it is owed once, and never not. */
  taken<Result>(field: object, run: () => Result): Result {
    this.typing.delete(field);
    const result = run();
    this.owe();
    return result;
  }

  /** Something is owed that was not before, or another value. */
  owe(): void {
    const waiting = this.waiting.map((owed) => owed()).filter((step) => step !== null);
    this.file.owe([...waiting, ...this.typing.values()]);
  }

  /** Has the server make an edit now; only by what `after` runs. */
  async perform(step: Step): Promise<boolean> {
    this.refused = [];
    this.unsaid = [];
    for (let failures = 0; ; ) {
      const text = this.edited.text();
      try {
        const answer = await api.edit<Rows>(this.file.project, this.kind, text, step);
        await settled();
        if (text !== this.edited.text()) continue;
        this.edited.made(answer);
        return true;
      } catch (error) {
        if (api.isSignedOut(error)) this.file.refuse(error);
        else if (api.mayPass(error)) this.file.unreachable();
        else {
          this.refused = error instanceof api.Refused ? error.problems : [];
          this.unsaid = NAMING.test(step.do) ? [] : this.refused;
          return false;
        }
        await new Promise((again) => setTimeout(again, Math.min(250 * 2 ** failures++, LONGEST)));
      }
    }
  }
}
