// What is wrong in the phrases: asked after a pause, and told of a row that is being typed only after a longer one.
import * as api from "../api";
import { isComposing } from "../composing";
import type { FileDocument } from "../saving";
import type { Diagnostic } from "../shapes";

const PAUSE = 200; // milliseconds without typing until the server is asked
const WHILE_TYPING = 600; // the row under the cursor is told of its errors only after this

export class Diagnoses {
  found: Diagnostic[] = [];
  settled = true; // nothing was typed for a while

  private asking: AbortController | null = null;
  private timers = { ask: 0, settle: 0 };

  constructor(
    private file: FileDocument,
    private text: () => string,
    private tell: () => void,
  ) {}

  /** The text is another one. */
  typed(): void {
    this.settled = false;
    clearTimeout(this.timers.ask);
    clearTimeout(this.timers.settle);
    this.timers.ask = window.setTimeout(() => !isComposing() && void this.ask(), PAUSE);
    this.timers.settle = window.setTimeout(() => {
      this.settled = true;
      this.tell();
    }, WHILE_TYPING);
  }

  async ask(): Promise<void> {
    this.asking?.abort();
    this.asking = new AbortController();
    const { signal } = this.asking;
    const text = this.text();
    const question = { kind: "phrases" as const, file: this.file.file, text };
    const answer = await api.diagnose(this.file.project, question, { signal }).catch(() => null);
    if (!answer || text !== this.text()) return;
    this.found = answer.diagnostics;
    this.tell();
  }
}
