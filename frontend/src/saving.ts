// Saving: one open file, its text, and where that text is safe. Nothing typed is ever only on the screen: each change
// goes into the browser's own store at once, and stays there until the server has it.
import * as api from "./api";
import { unlessComposing } from "./composing";
import type { Choices, Disagreement } from "./disagreement";
import { watchPage } from "./leaving";
import { page } from "./page";
import type { Conflict, Draft, OpenedFile, Problem } from "./shapes";
import { draftsOf, dropLocal, keepLocal, tab } from "./tabs";

export type State = "saved" | "saving" | "unsaved" | "draft" | "conflict" | "offline";
export { tab } from "./tabs";

const PAUSE = 600; // milliseconds without typing until a save
const RETRIES = [1_000, 2_000, 4_000, 8_000];
const KEEPALIVE = 60_000; // characters; browsers take 64 kB when a page closes

/** One open file. `text` is what the editor has; `base` is the revision it was made from. */
export class FileDocument {
  text: string;
  base: number | null;
  state: State = "saved";
  time: string;
  author: string;
  mayEdit: boolean;
  others: string[];
  problems: Problem[] = []; // of the last save
  conflict: Disagreement | null = null;
  offers: Draft[] = []; // texts of other tabs, or of before a crash
  notice: "" | "restored" | "merged" | "reloaded" = "";
  /** Called where the text changes otherwise than by `change`: a merge, a draft brought back, another's revision. */
  onText: (text: string) => void = () => undefined;

  private listeners = new Set<() => void>();
  private timer = 0;
  private flying = false;
  private failures = 0;
  private unkept = false; // the browser's store refused the draft
  private stopped = false;

  constructor(
    readonly project: string,
    readonly file: string,
    opened: OpenedFile,
  ) {
    this.text = opened.text;
    this.base = opened.revision;
    this.time = opened.time;
    this.author = opened.author;
    this.others = opened.others;
    this.mayEdit = opened.may_edit;
    if (this.mayEdit) this.findDrafts(opened);
    watchPage(this);
  }

  static async open(project = page.project, file = page.file): Promise<FileDocument> {
    return new FileDocument(project, file, await api.openFile(project, file));
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
    const waiting = this.state === "conflict" || this.state === "offline" || this.flying;
    if (!waiting) this.set("unsaved");
    this.schedule(this.state === "offline" ? RETRIES[0]! : PAUSE);
  }

  /** Saves now, if there is something to save; a text in conflict is kept as a draft. */
  async flush(options: api.CallOptions = {}): Promise<void> {
    clearTimeout(this.timer);
    if (this.flying || !this.mayEdit || ["saved", "draft", "saving"].includes(this.state)) return;
    const sent = { text: this.text, base: this.base, tab };
    this.flying = true;
    try {
      if (this.state === "conflict") await api.keepDraft(this.project, this.file, sent, options);
      else await this.save(sent, options);
    } catch (error) {
      await this.failed(error);
    } finally {
      this.flying = false;
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
    if (this.text === sent.text) dropLocal(this.project, this.file);
    else this.keep();
    this.set(this.text !== sent.text ? "unsaved" : answer.saved ? "saved" : "draft");
  }

  /** Takes a text put together from both sides, made from revision `base`, and saves it. */
  take(text: string, base: number, notice: FileDocument["notice"] = "merged"): void {
    this.conflict = null;
    this.base = base;
    this.text = text;
    this.keep();
    this.set("unsaved");
    this.onText(text);
    this.notice = notice;
    this.tell();
    this.schedule(0);
  }

  /** Puts the sides together with what was chosen for each row; what is still open stays in `conflict`. */
  async resolve(choose: Choices): Promise<void> {
    const { conflict } = this;
    if (!conflict) return;
    if (conflict.deleted !== null) this.take(conflict.mine(), conflict.deleted);
    else await this.settle(conflict.base, conflict.mine, choose);
  }

  /** Brings a draft back: as the text where nothing else happened, else by a merge. */
  async bringBack(draft: Draft): Promise<void> {
    await this.flush();
    if (draft.base === this.base) this.take(draft.text, draft.base!, "restored");
    else await this.settle(draft.base, () => draft.text, {});
    this.forget(draft);
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
    if (this.state === "saved" || this.state === "unsaved") this.set("offline");
    this.schedule(RETRIES[0]!);
  }

  /** Whether leaving the page would lose something. */
  get atRisk(): boolean {
    return this.unkept && !["saved", "draft"].includes(this.state);
  }

  /** Stops watching; for pages that open another file without leaving. */
  close(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    void this.present(true);
  }

  private findDrafts(opened: OpenedFile): void {
    const { mine, offers } = draftsOf(this.project, this.file, opened);
    this.offers = offers;
    if (!mine) return;
    this.text = mine.text;
    this.notice = "restored";
    this.state = "unsaved";
    this.schedule(PAUSE);
  }

  /** The page is hidden, or gone: saves with a call that outlives it. */
  leave(gone: boolean): void {
    if (this.stopped) return;
    if (this.text.length < KEEPALIVE / 3) void this.flush({ keepalive: true });
    else void this.flush();
    if (gone) void this.present(true);
  }

  /** Says that the file is open here, and hears who else has it and whether they saved something. */
  async present(leave = false): Promise<void> {
    if (this.stopped && !leave) return;
    try {
      const body = leave ? { tab, leave } : { tab };
      const { others, revision } = await api.present(this.project, this.file, body, { keepalive: leave });
      const changed = String(others) !== String(this.others);
      this.others = others;
      if (this.state === "offline") await this.flush();
      else if (changed) this.tell();
      if (revision !== this.base && this.state === "saved" && !this.flying && !leave) await this.reload();
    } catch (error) {
      if (error instanceof api.Unreachable && this.state === "saved") this.set("offline");
    }
  }

  private async reload(): Promise<void> {
    const opened = await api.openFile(this.project, this.file);
    await settled();
    if (this.state !== "saved" || this.flying) return;
    this.base = opened.revision;
    this.time = opened.time;
    this.author = opened.author;
    if (opened.text === this.text) return this.tell();
    this.text = opened.text;
    this.onText(opened.text);
    this.notice = "reloaded";
    this.tell();
  }

  private async failed(error: unknown): Promise<void> {
    if (api.isAbort(error)) return this.set("unsaved");
    if (error instanceof api.Refused && error.status === 409 && error.body["conflict"]) {
      return this.disagree(error.body["conflict"] as Conflict, error.problems).catch((other) => this.failed(other));
    }
    if (!api.mayPass(error)) {
      this.problems = error instanceof api.Refused ? error.problems : [];
      return this.set("unsaved");
    }
    if (this.state !== "conflict") this.set("offline");
    this.schedule(RETRIES[Math.min(this.failures++, RETRIES.length - 1)]!);
  }

  /** Another saved first: what does not touch the same rows is put together at once; the rest is asked. */
  private async disagree(conflict: Conflict, problems: Problem[]): Promise<void> {
    this.problems = problems;
    const { author, time, deleted, revision } = conflict.theirs;
    const mine = (): string => this.text;
    this.conflict = { base: this.base, rows: [], author, time, deleted: deleted ? revision : null, mine };
    if (deleted) this.set("conflict");
    else await this.settle(this.base, mine, {});
  }

  /** Merges until nothing was typed in between, and takes the result; or says which rows are open. */
  private async settle(base: number | null, mine: () => string, choose: Choices): Promise<void> {
    for (;;) {
      const sent = mine();
      const merged = await api.merge(this.project, this.file, { base, mine: sent, choose });
      await settled();
      if (mine() !== sent) continue;
      if (merged.conflicts.length === 0) return this.take(merged.text, merged.revision);
      const known = this.conflict ?? { author: "", time: "", deleted: null };
      this.conflict = { ...known, base, rows: merged.conflicts, mine };
      return this.set("conflict");
    }
  }

  private keep(): void {
    this.unkept = !keepLocal(this.project, this.file, { text: this.text, base: this.base });
  }

  private schedule(wait: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.flush(), wait);
  }

  private set(state: State): void {
    this.state = state;
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

/** No composition is under way: only then may the text be changed under the reader's hands. */
const settled = (): Promise<void> => new Promise((ready) => unlessComposing(ready));
