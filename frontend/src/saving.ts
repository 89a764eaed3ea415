// Saving: one open file, its text, and where that text is safe. Nothing typed is ever only on the screen: each change
// goes into the browser's own store at once, and stays there until the server has it.
import * as api from "./api";
import { settled } from "./composing";
import { type Disagreement, settle } from "./disagreement";
import { draftsOf, finishedDrafts } from "./drafts";
import { followPage } from "./leaving";
import { page } from "./page";
import type { Conflict, Draft, OpenedFile, Problem, Step } from "./shapes";
import { dropLocal, keepLocal, tab } from "./tabs";

export type State = "saved" | "saving" | "unsaved" | "draft" | "conflict" | "offline" | "refused";
export { tab } from "./tabs";

const PAUSE = 600; // milliseconds without typing until a save
const RETRIES = [1_000, 2_000, 4_000, 8_000];

/** One open file. `text` is what the editor has; `base` is the revision it was made from. */
export class FileDocument {
  text: string;
  base: number | null;
  time: string;
  author: string;
  mayEdit: boolean;
  others: string[];
  problems: Problem[] = []; // of the last save
  conflict: Disagreement | null = null;
  offers: Draft[] = []; // texts of other tabs, or of before a crash
  notice: "" | "restored" | "merged" | "reloaded" = "";
  /** Called where the text changes otherwise than by `change`: a merge, a draft brought back, another's revision. */
  onText: (text: string, mine: boolean) => void = () => undefined;

  private reached: State = "saved"; // how far the text came
  private owed: Step[] = []; // edits that are not in the text yet
  private listeners = new Set<() => void>();
  private timer = 0;
  private flight: Promise<void> | null = null; // a save that is on its way
  private failures = 0;
  private unkept = false; // the browser's store refused the draft

  constructor(
    readonly project: string,
    readonly file: string,
    opened: OpenedFile,
    kept: Draft[] = [],
  ) {
    this.text = opened.text;
    this.base = opened.revision;
    this.time = opened.time;
    this.author = opened.author;
    this.others = opened.others;
    this.mayEdit = opened.may_edit;
    if (this.mayEdit) this.findDrafts(opened, kept);
    followPage(this);
  }

  static async open(project = page.project, file = page.file): Promise<FileDocument> {
    const opened = await api.openFile(project, file);
    return new FileDocument(project, file, opened, opened.may_edit ? await finishedDrafts(project, file) : []);
  }

  /** Where the text is safe; what waits for an edit that the server has not worked out is not saved. */
  get state(): State {
    return this.owed.length > 0 && ["saved", "draft"].includes(this.reached) ? "unsaved" : this.reached;
  }

  /** Calls `listener` whenever something shown about the file changes; gives the way to stop that. */
  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** The editor's text is another one: kept here at once, and saved after a pause. */
  change(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.notice = "";
    this.keep();
    const waiting = this.state === "conflict" || this.state === "offline" || this.flight;
    if (!waiting) this.set("unsaved");
    this.schedule(this.state === "offline" ? RETRIES[0]! : PAUSE);
  }

  /** The edits, in their order, that the text as it is still lacks: kept with it until they are made. */
  owe(steps: Step[]): void {
    if (!steps.length && !this.owed.length) return;
    this.owed = steps;
    if (steps.length || !["saved", "draft"].includes(this.reached)) this.keep();
    else dropLocal(this.project, this.file);
    this.tell();
  }

  /** Saves now, if there is something to save; a text in conflict is kept as a draft. */
  async flush(options: api.CallOptions = {}): Promise<void> {
    clearTimeout(this.timer);
    if (this.flight) await this.flight;
    if (this.flight || !this.mayEdit || ["saved", "draft"].includes(this.reached)) return;
    this.flight = this.send(options).finally(() => (this.flight = null));
    await this.flight;
  }

  private async send(options: api.CallOptions): Promise<void> {
    const sent = { text: this.text, base: this.base, tab };
    try {
      if (this.state === "conflict") await api.keepDraft(this.project, this.file, sent, options);
      else await this.save(sent, options);
    } catch (error) {
      await this.failed(error);
    }
    if (this.text !== sent.text && this.state !== "offline") this.schedule(PAUSE);
  }

  private async save(sent: { text: string; base: number | null; tab: string }, options: api.CallOptions): Promise<void> {
    this.set("saving");
    const answer = await api.saveFile(this.project, this.file, sent, options);
    this.failures = 0;
    this.problems = answer.problems;
    if (answer.saved) {
      this.base = answer.revision ?? this.base;
      this.time = answer.time ?? this.time;
      this.author = "";
    }
    if (this.text === sent.text && !this.owed.length) dropLocal(this.project, this.file);
    else this.keep();
    this.set(this.text !== sent.text ? "unsaved" : answer.saved ? "saved" : "draft");
  }

  /** Takes a text put together from both sides, made from revision `base`, and saves it. */
  take(text: string, base: number | null, notice: FileDocument["notice"] = "merged"): void {
    this.conflict = null;
    this.base = base;
    this.text = text;
    this.keep();
    this.set("unsaved");
    this.onText(text, notice === "restored");
    this.notice = notice;
    this.tell();
    this.schedule(0);
  }

  /** The rows of a disagreement are for the reader to choose; a draft's are in nobody's way until then. */
  contest(conflict: Disagreement): void {
    this.conflict = conflict;
    this.set(conflict.draft ? this.reached : "conflict");
  }

  /** A draft is not wanted. */
  forget(draft: Draft): void {
    this.offers = this.offers.filter((other) => other !== draft);
    dropLocal(this.project, this.file, draft.tab);
    void api.dropDraft(this.project, this.file, draft.tab).catch(() => undefined);
    this.tell();
  }

  /** Somebody else found that the server does not answer. */
  unreachable(): void {
    if (["saved", "draft", "unsaved"].includes(this.reached)) this.set("offline");
    this.schedule(RETRIES[0]!);
  }

  /** The server will not take what it was sent, or not from whoever is signed in now. */
  refuse(error: unknown): void {
    this.problems = error instanceof api.Refused ? error.problems : [];
    this.set("refused");
  }

  /** Whether leaving the page would lose something. */
  get atRisk(): boolean {
    return this.unkept && !["saved", "draft"].includes(this.state);
  }

  /** Hears who else has the file open, and which revision is the latest. */
  async hear(others: string[], revision: number): Promise<void> {
    const changed = String(others) !== String(this.others);
    this.others = others;
    if (["offline", "refused"].includes(this.state)) await this.flush();
    else if (changed) this.tell();
    if (revision !== this.base && this.state === "saved" && !this.flight) await this.reload(revision);
  }

  private findDrafts(opened: OpenedFile, kept: Draft[]): void {
    const { mine, offers } = draftsOf(this.project, this.file, opened, kept);
    this.offers = offers;
    if (!mine) return;
    this.text = mine.text;
    this.notice = "restored";
    this.reached = "unsaved";
    this.schedule(PAUSE);
  }

  private async reload(revision: number): Promise<void> {
    let opened: OpenedFile;
    try {
      opened = await api.openFile(this.project, this.file);
    } catch (error) {
      if (!(error instanceof api.Refused) || error.status !== 404) throw error;
      return this.deletedBy("", "", revision);
    }
    await settled();
    if (this.state !== "saved" || this.flight) return;
    this.base = opened.revision;
    this.time = opened.time;
    this.author = opened.author;
    if (opened.text === this.text) return this.tell();
    this.text = opened.text;
    this.onText(opened.text, false);
    this.notice = "reloaded";
    this.tell();
  }

  private async failed(error: unknown): Promise<void> {
    if (api.isAbort(error)) return this.set("unsaved");
    if (error instanceof api.Refused && error.status === 409 && error.body["conflict"]) {
      return this.disagree(error.body["conflict"] as Conflict, error.problems).catch((other) => this.failed(other));
    }
    if (!api.mayPass(error)) return this.refuse(error);
    if (this.reached !== "conflict") this.set("offline");
    this.schedule(RETRIES[Math.min(this.failures++, RETRIES.length - 1)]!);
  }

  /** Another saved first: what does not touch the same rows is put together at once; the rest is asked. */
  private async disagree(conflict: Conflict, problems: Problem[]): Promise<void> {
    this.problems = problems;
    const { author, time, deleted, revision } = conflict.theirs;
    if (deleted) return this.deletedBy(author, time, revision);
    await settle(this, { base: this.base, rows: [], author, time, deleted: null, mine: () => this.text, draft: null }, {});
  }

  private deletedBy(author: string, time: string, deleted: number): void {
    this.contest({ base: this.base, rows: [], author, time, deleted, mine: () => this.text, draft: null });
  }

  private keep(): void {
    this.unkept = !keepLocal(this.project, this.file, { text: this.text, base: this.base, steps: this.owed });
  }

  private schedule(wait: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.flush(), wait);
  }

  private set(state: State): void {
    this.reached = state;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}
