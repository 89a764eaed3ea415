// What the server says about a text while it is being written. One request after a pause in typing answers with
// everything that the page shows: rows, problems and, of a paradigm, pairs and the words that fit each slot. Only the
// number of pairs, which may take long, is asked for separately.
import * as api from "../api";
import { Observable } from "../drawing";
import { afterComposing } from "../keyboard";
import { tab } from "../tabs";
import type { Counts, Diagnostic, Preview, Problem, SlotWords, TextQuestion } from "../wire";

const PAUSE = 80; // milliseconds without typing until the server is asked
const COUNT_PAUSE = 500; // after the answer
const RETRY = 1_500; // where the server is away or busy
const WHILE_TYPING = 600; // the row under the cursor shows its problems only after this

/** What is edited: a paradigm, the phrases, or a paradigm made up to show what a phrase prints. */
export type LiveKind = "paradigm" | "phrases" | "sample";

/** The rows of a text; null where it is not YAML, and then `problems` say why. */
export interface RowsAnswer {
  rows: unknown;
  problems: Problem[];
}

export class Live extends Observable {
  pairs: Preview | null = null; // the last ones of a text without errors
  seed = 0;
  broken = false; // `pairs` belong to an earlier text
  away = false; // because the server does not answer
  waiting = false; // for an answer
  diagnostics: Diagnostic[] = [];
  problems: Problem[] = []; // why there are no pairs
  words: SlotWords[] = [];
  counted: Counts | null = null;
  counting = false;
  settled = true; // nothing was typed for a while
  /** Called with the rows of each answer whose text is still the current one. */
  onRows: (answer: RowsAnswer) => void = () => undefined;
  /** Called when a request failed that will be repeated. */
  onAway: () => void = () => undefined;

  private request: AbortController | null = null;
  private timers = { ask: 0, count: 0, settle: 0 };

  constructor(
    private project: string,
    private file: string,
    private kind: LiveKind,
    private text: () => string,
  ) {
    super();
  }

  /** The text has changed. */
  changed(): void {
    this.settled = false;
    for (const timer of Object.values(this.timers)) clearTimeout(timer);
    this.timers.settle = window.setTimeout(() => {
      this.settled = true;
      this.notify();
    }, WHILE_TYPING);
    this.request?.abort();
    this.askAfter(PAUSE);
  }

  /** Ask for different pairs of the same text. */
  sample(): void {
    this.seed++;
    void this.ask();
  }

  /** Ask at once. */
  async ask(): Promise<void> {
    clearTimeout(this.timers.ask);
    this.request?.abort();
    const request = (this.request = new AbortController());
    const { signal } = request;
    const text = this.text();
    const question = { file: this.file, text, editor: this.kind === "phrases" ? `${tab} phrases` : tab };
    this.waiting = true;
    this.notify();
    try {
      const answer =
        this.kind === "phrases"
          ? await api.diagnosePhrases(this.project, question, { signal })
          : await api.preview(this.project, { ...question, n: 8, seed: this.seed }, { signal });
      if ("pairs" in answer) this.takePairs(answer);
      this.waiting = false;
      this.away = false;
      this.diagnostics = answer.diagnostics;
      this.notify();
      afterComposing(() => text === this.text() && this.onRows(answer));
      const counts = this.kind === "paradigm" && !this.broken && !signal.aborted;
      if (counts) this.timers.count = window.setTimeout(() => void this.count(question, signal), COUNT_PAUSE);
    } catch (error) {
      if (request === this.request) this.fail(error);
    }
  }

  private takePairs(preview: Preview): void {
    this.problems = preview.rows ? preview.problems : []; // without rows, the page shows the problems in their place
    this.broken = preview.pairs.length === 0 && preview.diagnostics.some(({ severity }) => severity === "error");
    this.words = preview.words;
    if (!this.broken) this.pairs = preview;
    else this.counted = null;
  }

  private async count(question: TextQuestion, signal: AbortSignal): Promise<void> {
    this.counting = true;
    this.notify();
    try {
      this.counted = await api.count(this.project, question, { signal });
    } catch (error) {
      if (!signal.aborted) this.counted = null;
      if (!signal.aborted && api.mayPass(error)) this.askAfter(RETRY);
      if (error instanceof api.Refused && error.status !== 409) this.problems = error.problems;
    } finally {
      this.counting = false;
      this.notify();
    }
  }

  private fail(error: unknown): void {
    if (api.isAbort(error)) return;
    this.waiting = false;
    if (api.mayPass(error)) {
      this.away = error instanceof api.Unreachable;
      this.broken = this.away;
    } else if (error instanceof api.Refused && error.status !== 409 && !this.broken) this.problems = error.problems;
    if (api.mayPass(error) || api.isSignedOut(error)) {
      this.askAfter(RETRY);
      this.onAway();
    }
    this.notify();
  }

  private askAfter(pause: number): void {
    clearTimeout(this.timers.ask);
    this.timers.ask = window.setTimeout(() => afterComposing(() => void this.ask()), pause);
  }
}
