// One open file: its text, and how far that text has been saved.
//
// Nothing typed exists only on the screen. Each change is stored in the browser at once (a local draft, one per file and
// tab) and stays there until the server has it. When two people change the same revision, rows that only one of them
// changed are merged; for the others the reader chooses.
import * as api from "./api";
import { Observable } from "./drawing";
import { composed } from "./keyboard";
import { page } from "./page";
import { isMine, openTabs, store, stored, storedNames, tab } from "./tabs";
import type { Conflict, Draft as ServerDraft, FileAnswer, Problem, RowConflict } from "./wire";

/** An unsaved text, kept by the server or ("local") by this browser. */
export type Draft = Pick<ServerDraft, "text" | "base" | "time" | "tab"> & { why: ServerDraft["why"] | "local" };

export type State = "saved" | "saving" | "unsaved" | "draft" | "conflict" | "offline" | "refused";

const PAUSE = 600; // milliseconds without typing until a save
export const RETRIES = [1_000, 2_000, 4_000, 8_000]; // milliseconds between attempts to reach the server
const PRESENCE = 15_000; // milliseconds between two questions who else has the file open
export const KEEPALIVE = 20_000; // characters; browsers send at most 64 kB when a page closes

/** For each row that both sides changed, the side to keep. */
export type Choices = Record<string, "mine" | "theirs">;

/** A text of this tab and a text of somebody else, made from the same revision. */
export interface Disagreement {
  base: number | null;
  rows: RowConflict[]; // the rows that both changed
  author: string;
  time: string;
  deleted: number | null; // the revision in which somebody deleted the file
  mine: () => string;
  draft: Draft | null; // the draft that is brought back, where that is not the text itself
}

/** One open file. `text` is what the editor has; `base` is the revision it was made from. */
export class FileDocument extends Observable {
  text: string;
  base: number | null;
  time: string;
  author: string;
  mayEdit: boolean;
  others: string[];
  problems: Problem[] = []; // of the last save
  conflict: Disagreement | null = null;
  offers: Draft[] = []; // unsaved texts of other tabs, or from before a crash
  notice: "" | "restored" | "merged" | "reloaded" = "";
  /** Called when the text changes other than by `change`: a merge, a draft brought back, or a new revision. */
  onText: (text: string, mine: boolean) => void = () => undefined;

  private progress: State = "saved"; // of the text, without the steps that it still lacks
  private steps: api.Step[] = []; // edits that the server has not applied to the text yet
  private timer = 0;
  private request: Promise<void> | null = null; // a save under way
  private failures = 0;
  private unstored = false; // the browser refused to store the draft

  constructor(
    readonly project: string,
    readonly file: string,
    opened: FileAnswer,
    drafts: Draft[] = [],
  ) {
    super();
    this.text = opened.text;
    this.base = opened.revision;
    this.time = opened.time ?? "";
    this.author = opened.author;
    this.others = opened.others;
    this.mayEdit = opened.may_edit;
    if (this.mayEdit) this.restore(opened, drafts);
    this.followPage();
  }

  static async open(project = page.project, file = page.file): Promise<FileDocument> {
    const opened = await api.openFile(project, file);
    return new FileDocument(project, file, opened, opened.may_edit ? await completedDrafts(project, file) : []);
  }

  /** How far the text has been saved; a text that still lacks steps counts as unsaved. */
  get state(): State {
    return this.steps.length > 0 && this.isDone ? "unsaved" : this.progress;
  }

  private get isDone(): boolean {
    return this.progress === "saved" || this.progress === "draft";
  }

  /** Take a new text from the editor: stored in the browser at once, and saved after a pause. */
  change(text: string): void {
    if (text === this.text) return;
    this.text = text;
    this.notice = "";
    this.storeDraft();
    const waiting = this.state === "conflict" || this.state === "offline" || this.request;
    if (!waiting) this.set("unsaved");
    this.schedule(this.state === "offline" ? RETRIES[0]! : PAUSE);
  }

  /** Take the steps, in order, that the text still lacks: stored with it until the server has applied them. */
  owe(steps: api.Step[]): void {
    if (!steps.length && !this.steps.length) return;
    this.steps = steps;
    if (steps.length || !this.isDone) this.storeDraft();
    else dropLocal(this.project, this.file);
    this.notify();
  }

  /** Save now if there is something to save; a text in conflict is kept as a draft. */
  async flush(options: api.CallOptions = {}): Promise<void> {
    clearTimeout(this.timer);
    if (this.request) await this.request;
    if (this.request || !this.mayEdit || this.isDone) return;
    this.request = this.send(options).finally(() => (this.request = null));
    await this.request;
  }

  private async send(options: api.CallOptions): Promise<void> {
    const sent = { text: this.text, base: this.base, tab };
    try {
      if (this.state === "conflict") await api.keepDraft(this.project, this.file, sent, options);
      else await this.save(sent, options);
    } catch (error) {
      await this.fail(error);
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
      this.time = answer.time;
      this.author = "";
    }
    if (this.text === sent.text && !this.steps.length) dropLocal(this.project, this.file);
    else this.storeDraft();
    this.set(this.text !== sent.text ? "unsaved" : answer.saved ? "saved" : "draft");
  }

  private async fail(error: unknown): Promise<void> {
    if (api.isAbort(error)) return this.set("unsaved");
    if (error instanceof api.Refused && error.status === 409 && error.body["conflict"]) {
      return this.disagree(error.body["conflict"] as Conflict, error.problems).catch((other) => this.fail(other));
    }
    if (!api.mayPass(error)) return this.refuse(error);
    if (this.progress !== "conflict") this.set("offline");
    this.schedule(RETRIES[Math.min(this.failures++, RETRIES.length - 1)]!);
  }

  /** The server does not answer, as another request found. */
  unreachable(): void {
    if (["saved", "draft", "unsaved"].includes(this.progress)) this.set("offline");
    this.schedule(RETRIES[0]!);
  }

  /** The server refuses the text, or refuses the account that is signed in now. */
  refuse(error: unknown): void {
    this.problems = error instanceof api.Refused ? error.problems : [];
    this.set("refused");
  }

  // Conflicts and drafts --------------------------------------------------------------------------------------------

  /** Merge both sides of the conflict with the reader's choices; rows without a choice stay in `conflict`. */
  async resolve(choices: Choices): Promise<void> {
    const { conflict } = this;
    if (!conflict) return;
    if (conflict.deleted !== null) this.take(conflict.mine(), conflict.deleted);
    else await this.merge(conflict, choices);
  }

  /** Bring a draft back: merged with what has been saved since, or unchanged where it cannot be merged yet. */
  async bringBack(draft: Draft): Promise<void> {
    const { base, text, time } = draft;
    await this.flush();
    try {
      const conflict = { base, rows: [], author: "", time, deleted: null, mine: () => text, draft };
      if (base !== this.base) return await this.merge(conflict, {});
    } catch (error) {
      if (api.mayPass(error)) return this.unreachable();
    }
    this.take(text, base, "restored");
    this.forget(draft);
  }

  /** Discard a draft. */
  forget(draft: Draft): void {
    this.offers = this.offers.filter((other) => other !== draft);
    dropLocal(this.project, this.file, draft.tab);
    void api.dropDraft(this.project, this.file, draft.tab).catch(() => undefined);
    this.notify();
  }

  /** Somebody else saved first: merge at once what does not touch the same rows; the reader decides the rest. */
  private async disagree({ theirs }: Conflict, problems: Problem[]): Promise<void> {
    this.problems = problems;
    const { author, time, deleted, revision } = theirs;
    if (deleted) return this.contest(this.disagreement({ author, time, deleted: revision }));
    await this.merge(this.disagreement({ author, time, deleted: null }), {});
  }

  private disagreement(others: Pick<Disagreement, "author" | "time" | "deleted">): Disagreement {
    return { base: this.base, rows: [], mine: () => this.text, draft: null, ...others };
  }

  /** Take the merged text once nothing is typed during the request; or let the reader choose. */
  private async merge(conflict: Disagreement, choose: Choices): Promise<void> {
    const { base, mine, draft } = conflict;
    for (;;) {
      const sent = mine();
      const merged = await api.merge(this.project, this.file, { base, mine: sent, choose });
      await composed();
      if (mine() !== sent) continue;
      if (merged.conflicts.length > 0) return this.contest({ ...conflict, rows: merged.conflicts });
      this.take(merged.text, merged.revision);
      return draft ? this.forget(draft) : undefined;
    }
  }

  /** Leave rows to the reader; those of a draft do not stop the text itself from being saved. */
  private contest(conflict: Disagreement): void {
    this.conflict = conflict;
    this.set(conflict.draft ? this.progress : "conflict");
  }

  /** Replace the text by a merged or restored one, made from revision `base`, and save it. */
  private take(text: string, base: number | null, notice: FileDocument["notice"] = "merged"): void {
    this.conflict = null;
    this.base = base;
    this.text = text;
    this.storeDraft();
    this.set("unsaved");
    this.onText(text, notice === "restored");
    this.notice = notice;
    this.notify();
    this.schedule(0);
  }

  private restore(opened: FileAnswer, drafts: Draft[]): void {
    const { mine, offers, obsolete } = sortDrafts(opened, drafts);
    for (const draft of obsolete) dropLocal(this.project, this.file, draft.tab);
    this.offers = offers;
    if (!mine) return;
    this.text = mine.text;
    this.notice = "restored";
    this.progress = "unsaved";
    this.schedule(PAUSE);
  }

  // The page and other people ---------------------------------------------------------------------------------------

  /** Save when the reader turns away, and ask now and then who else has the file open. */
  private followPage(): void {
    addEventListener("blur", () => void this.flush());
    addEventListener("focus", () => void this.askPresence());
    addEventListener("online", () => void this.flush());
    addEventListener("pagehide", () => {
      this.leave();
      void api.present(this.project, this.file, { tab, leave: true }, { keepalive: true }).catch(() => undefined);
    });
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "hidden") this.leave();
      else void this.askPresence();
    });
    addEventListener("beforeunload", (event) => {
      if (this.unstored && !["saved", "draft"].includes(this.state)) event.preventDefault(); // something would be lost
    });
    const repeat = (): void => void this.askPresence().finally(() => setTimeout(repeat, PRESENCE));
    repeat();
  }

  /** The page is hidden or closes: save with a request that outlives it. */
  private leave(): void {
    void this.flush(this.text.length < KEEPALIVE ? { keepalive: true } : {});
  }

  private async askPresence(): Promise<void> {
    try {
      const { others, revision } = await api.present(this.project, this.file, { tab });
      const changed = String(others) !== String(this.others);
      this.others = others;
      if (["offline", "refused"].includes(this.state)) await this.flush();
      else if (changed) this.notify();
      if (revision !== this.base && this.state === "saved" && !this.request) await this.reload(revision);
    } catch (error) {
      if (error instanceof api.Unreachable) this.unreachable();
    }
  }

  private async reload(revision: number | null): Promise<void> {
    let opened: FileAnswer;
    try {
      opened = await api.openFile(this.project, this.file);
    } catch (error) {
      if (!(error instanceof api.Refused) || error.status !== 404) throw error;
      return this.contest(this.disagreement({ author: "", time: "", deleted: revision }));
    }
    await composed();
    if (this.state !== "saved" || this.request) return;
    this.base = opened.revision;
    this.time = opened.time ?? "";
    this.author = opened.author;
    if (opened.text === this.text) return this.notify();
    this.text = opened.text;
    this.onText(opened.text, false);
    this.notice = "reloaded";
    this.notify();
  }

  private storeDraft(): void {
    this.unstored = !storeLocal(this.project, this.file, { text: this.text, base: this.base, steps: this.steps });
  }

  private schedule(wait: number): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.flush(), wait);
  }

  private set(state: State): void {
    this.progress = state;
    this.notify();
  }
}

// Local drafts ------------------------------------------------------------------------------------------------------

/** A text, with the edits that the server has not applied to it yet. */
interface LocalText {
  text: string;
  base: number | null;
  steps: api.Step[];
}

const draftNames = (project: string, file: string): string => `bidui:draft:${project}:${file}:`;

/** Store this tab's text in the browser; return false where the browser refuses. */
const storeLocal = (project: string, file: string, draft: LocalText): boolean =>
  store(draftNames(project, file) + tab, { ...draft, time: new Date().toISOString() });

const dropLocal = (project: string, file: string, owner = tab): boolean => store(draftNames(project, file) + owner, null);

/** The texts of a file that this account has stored in the browser, from this tab and others. */
export function localDrafts(project: string, file: string): (Draft & LocalText)[] {
  const prefix = draftNames(project, file);
  return storedNames(prefix).flatMap((name) => {
    const draft = stored<LocalText & { time: string }>(name);
    if (!draft || typeof draft.text !== "string" || !isMine(draft)) return [];
    const { text, base, steps = [], time } = draft;
    return [{ text, base, steps, time, why: "local", tab: name.slice(prefix.length) }];
  });
}

/** The drafts stored by this tab and by tabs that are closed, with their missing steps applied by the server. */
async function completedDrafts(project: string, file: string): Promise<Draft[]> {
  const kind = file === "phrases.yaml" ? "phrases" : "paradigm";
  const complete = async ({ steps, ...draft }: Draft & LocalText): Promise<Draft> => {
    for (const step of steps) {
      // a new name would have to be written into the paradigms as well
      if (step.do === "rename_phrase" && (await api.isShared(project, String(step["name"])))) continue;
      const answer = await api.edit(project, kind, draft.text, step).catch((error: unknown) => {
        if (api.mayPass(error) || api.isSignedOut(error)) throw error;
        return null; // a refused edit changes nothing
      });
      draft.text = answer?.text ?? draft.text;
    }
    return draft;
  };
  const open = await openTabs();
  const drafts = localDrafts(project, file).filter((draft) => draft.tab === tab || !open?.has(draft.tab));
  return Promise.all(drafts.map(complete));
}

/**
 * Sort the drafts of a file that is opened: `mine` is this tab's own unsaved text of the same revision, `offers` are
 * texts that may be brought back, and `obsolete` ones are elsewhere already.
 */
export function sortDrafts(opened: FileAnswer, local: Draft[]): { mine: Draft | null; offers: Draft[]; obsolete: Draft[] } {
  const drafts = [...local, ...opened.drafts];
  const unsaved = drafts.find((draft) => draft.tab === tab && draft.text !== opened.text);
  const mine = unsaved?.base === opened.revision ? unsaved : null;
  const texts = new Set([opened.text, ...(mine ? [mine.text] : [])]);
  const [offers, obsolete]: [Draft[], Draft[]] = [[], []];
  for (const draft of drafts) {
    const older = mine !== null && draft.tab === tab; // than the text that continues in `mine`
    if (!texts.has(draft.text) && !older) offers.push(draft);
    else if (draft !== mine) obsolete.push(draft);
    texts.add(draft.text);
  }
  return { mine, offers, obsolete };
}
