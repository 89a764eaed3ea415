// What the server says about the text while it is being written: pairs, the words of each slot, the number of pairs.
import * as api from "../api";
import { unlessComposing } from "../composing";
import { tab } from "../saving";
import type { Counted, Diagnostic, Preview, Problem, SlotWords } from "../shapes";

const PAUSE = 120; // milliseconds without typing until a preview
const COUNT_PAUSE = 500; // after the preview, since counting may take long
const RETRY = 2_000; // where the server is away or busy
const WHILE_TYPING = 600; // the row under the cursor is told of its errors only after this

export class Live {
  pairs: Preview | null = null; // the last that had no errors
  seed = 0;
  n = 8;
  broken = false; // `pairs` are of an earlier text
  away = false; // since the server does not answer
  waiting = false; // an answer is on its way
  diagnostics: Diagnostic[] = [];
  problems: Problem[] = []; // why there is no answer
  words: SlotWords[] = [];
  counted: Counted | null = null;
  counting = false;
  settled = true; // nothing was typed for a while

  private listeners = new Set<() => void>();
  private asking: AbortController | null = null;
  private timers = { ask: 0, count: 0, settle: 0 };

  constructor(
    private project: string,
    private file: string,
    private text: () => string,
  ) {}

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The text changed. */
  changed(): void {
    this.settled = false;
    clearTimeout(this.timers.settle);
    this.timers.settle = window.setTimeout(() => {
      this.settled = true;
      this.tell();
    }, WHILE_TYPING);
    clearTimeout(this.timers.ask);
    clearTimeout(this.timers.count);
    this.asking?.abort();
    this.timers.ask = window.setTimeout(() => unlessComposing(() => void this.ask()), PAUSE);
  }

  /** Other pairs of the same text. */
  sample(): void {
    this.seed++;
    void this.ask();
  }

  /** Asks at once. */
  async ask(): Promise<void> {
    clearTimeout(this.timers.ask);
    this.asking?.abort();
    const asking = (this.asking = new AbortController());
    const question = { file: this.file, text: this.text(), editor: tab };
    const { signal } = asking;
    this.waiting = true;
    this.tell();
    try {
      const preview = await api.preview(this.project, { ...question, n: this.n, seed: this.seed }, { signal });
      this.take(preview);
      this.words = (await api.words(this.project, question, { signal })).slots;
      this.tell();
      if (!this.broken) this.timers.count = window.setTimeout(() => void this.count(question, signal), COUNT_PAUSE);
    } catch (error) {
      if (asking === this.asking) this.failed(error);
    }
  }

  private take(preview: Preview): void {
    this.waiting = false;
    this.away = false;
    this.problems = [];
    this.diagnostics = preview.diagnostics;
    this.broken = preview.pairs.length === 0 && preview.diagnostics.some(({ severity }) => severity === "error");
    if (!this.broken) this.pairs = preview;
    else this.counted = null;
    this.tell();
  }

  private async count(question: api.Asked, signal: AbortSignal): Promise<void> {
    this.counting = true;
    this.tell();
    try {
      this.counted = await api.count(this.project, question, { signal });
    } catch (error) {
      if (!signal.aborted) this.counted = null;
      if (!signal.aborted && api.mayPass(error)) this.again();
      if (error instanceof api.Refused && error.status !== 409) this.problems = error.problems;
    } finally {
      this.counting = false;
      this.tell();
    }
  }

  private failed(error: unknown): void {
    if (api.isAbort(error)) return;
    this.waiting = false;
    if (api.mayPass(error)) {
      this.away = error instanceof api.Unreachable;
      this.broken = this.away;
      this.again();
    } else if (error instanceof api.Refused && error.status !== 409 && !this.broken) this.problems = error.problems; // else told already
    this.tell();
  }

  private again(): void {
    clearTimeout(this.timers.ask);
    this.timers.ask = window.setTimeout(() => unlessComposing(() => void this.ask()), RETRY);
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
