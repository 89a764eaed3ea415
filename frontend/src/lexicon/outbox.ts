// The outbox: edits on their way to the server, one action after the other.
//
// Each edit is shown and stored in the browser at once, and leaves the queue when the server has it. A file whose text
// would have an error is not written: its edits are held as a draft, and sent again after the next ones, or together
// with them where they concern the same rows. Undo sends the inverse changes that the server itself returned.
import * as api from "../api";
import { t } from "../page";
import { KEEPALIVE, RETRIES, type State } from "../saving";
import { isMine, openTabs, store, stored, storedNames, tab } from "../tabs";
import type { Change, Conflict, ParadigmUse, Problem, TableAnswer, TableProblem } from "../wire";
import { confirm, type Edit, goBack, type PlacedRow, rebuild, replay, rowsOf, type Sheet, show, walk, walkActions } from "./sheets";

const HEARTBEAT = 4_000; // milliseconds between two times that waiting edits are stored
const ALIVE = 15_000; // milliseconds since the last heartbeat, for browsers that cannot tell which tabs are open

type Way = "do" | "undo" | "redo";

/** What one action does to one file. */
interface Parcel {
  readonly action: number;
  readonly file: string;
  readonly edits: readonly Edit[];
  readonly way: Way;
  readonly base: number | null; // null: the latest known revision
  readonly leadsTo?: number | null; // for an undo, the revision whose text comes back
  held: boolean; // not written because of errors; sent again with the next parcel
}

/** Rows that somebody else has changed as well. */
export interface TableConflict {
  readonly file: string;
  readonly base: number | null;
  readonly conflict: Conflict;
  readonly parcels: readonly Parcel[]; // with the edits in conflict
}

/** A request to write parcels of one file. */
interface Sending {
  readonly next: Parcel;
  readonly parcels: readonly Parcel[]; // `next`, after those that are held
  readonly base: number | null;
  readonly ops: api.TableOp[];
  readonly placed: readonly PlacedRow[]; // the rows once the server has written it
}

export class Outbox {
  conflict: TableConflict | null = null;
  refused: Problem[] = [];
  /** Paradigms whose slots words fitted until an edit, and the action that it belongs to. */
  emptied: { action: number; uses: readonly ParadigmUse[] } | null = null;
  /** The edit that the cell being typed will become: stored with the others, but not sent. */
  typing: { file: string; edit: Edit } | null = null;
  /** Called when rows changed other than by the reader's own hand: a merge, an undo, or a refused edit. */
  onRows: () => void = () => undefined;
  onProblems: (problems: TableProblem[]) => void = () => undefined;
  onState: () => void = () => undefined;
  /** Called when the sheets must be read again because a file was replaced. */
  onStale: () => Promise<void> = () => Promise.resolve();

  private waiting: Parcel[] = [];
  private flying: readonly Parcel[] = [];
  private readonly history = new UndoHistory();
  private actions = 0;
  private failures = 0;
  private offline = false;
  private signedOut = false;
  private unstored = false;
  private timer = 0;
  private idlers: (() => void)[] = [];

  constructor(
    private readonly project: string,
    private readonly sheets: Map<string, Sheet>,
  ) {
    setAside(project);
    addEventListener("online", () => void this.pump());
    addEventListener("beforeunload", (event) => {
      if (this.unstored && this.state !== "saved") event.preventDefault();
    });
    setInterval(() => this.waiting.length > 0 && this.store(), HEARTBEAT);
  }

  get state(): State {
    if (this.conflict) return "conflict";
    if (this.offline) return this.signedOut ? "refused" : "offline";
    if (this.waiting.some((parcel) => !parcel.held)) return "saving";
    return this.waiting.length > 0 ? "draft" : "saved";
  }

  get canUndo(): boolean {
    return this.waiting.some((parcel) => parcel.way === "do") || this.history.done.length > 0;
  }

  /** Whether undo would take back the edit that emptied paradigms. */
  get canRefill(): boolean {
    return this.emptied !== null && this.waiting.length === 0 && this.history.done.at(-1)?.action === this.emptied.action;
  }

  get canRedo(): boolean {
    return this.history.undone.length > 0;
  }

  /** Show and send one action: edits of one or more files. */
  act(parts: ReadonlyMap<string, readonly Edit[]>): void {
    const action = ++this.actions;
    for (const [file, edits] of parts) {
      const sheet = this.sheets.get(file);
      if (!sheet || edits.length === 0) continue;
      for (const edit of edits) show(sheet, edit);
      this.add(action, file, edits);
    }
    this.history.undone = [];
    this.changed();
  }

  /** Undo the last action: one that has not been sent is dropped, otherwise the server is asked. */
  undo(): void {
    const last = this.waiting.at(-1);
    const done = this.history.done.at(-1);
    if (this.flying.length > 0 || (last && last.way !== "do")) return this.later(() => this.undo());
    if (last?.held && done && done.action >= last.action) this.step(this.history.done.pop(), "undo"); // after the draft
    else if (last && done?.action !== last.action) {
      const parcels = this.waiting.filter(({ action }) => action === last.action);
      this.drop(parcels);
      for (const { file, held } of parcels) {
        this.rebuild(file);
        if (held && !this.has(file)) void api.dropDraft(this.project, file, tab).catch(() => undefined);
      }
      this.changed();
    } else if (last) this.later(() => this.undo()); // a part of the action has been sent
    else this.step(this.history.done.pop(), "undo");
  }

  redo(): void {
    if (this.waiting.some(({ held }) => !held)) this.later(() => this.redo());
    else this.step(this.history.undone.pop(), "redo");
  }

  /** Run once what is on its way has arrived; not at all while the server is away. */
  private later(run: () => void): void {
    if (!this.offline) void this.idle().then(() => this.flying.length === 0 && run());
  }

  /** Resolve when nothing more can be sent for now. */
  idle(): Promise<void> {
    if (this.flying.length === 0 && this.state !== "saving") return Promise.resolve();
    return new Promise((resolve) => this.idlers.push(resolve));
  }

  /** Send stored actions again; `before` is the revision they were made for, if the file has changed since. */
  resume(sheet: Sheet, before: { revision: number; text: string } | null, actions: readonly (readonly api.TableOp[])[]): number {
    if (before) goBack(sheet, before);
    let count = 0;
    for (const ops of actions) {
      const edits = replay(sheet, this.edits(sheet.file), ops);
      if (edits.length > 0) this.add(++this.actions, sheet.file, edits);
      count += edits.length;
    }
    this.rebuild(sheet.file);
    this.changed();
    return count;
  }

  /** The conflict is resolved: the file has the merged text, and the edits after it are sent. */
  resolved(): void {
    this.drop(this.conflict?.parcels ?? []);
    this.conflict = null;
    this.store();
    this.onState();
    void this.onStale().finally(() => this.pump());
  }

  /** Whether edits of a file are on their way. */
  has(file: string): boolean {
    return this.edits(file).length > 0;
  }

  /** The rows of a file as problems count them: with the edits that are held. */
  placed(sheet: Sheet): readonly PlacedRow[] {
    const held = this.held(sheet.file);
    return held.length ? walk(sheet, sheet.confirmed, held.flatMap(({ edits }) => edits)).placed : sheet.confirmed;
  }

  /** Make the shown rows of a file again, from the confirmed ones and the edits on their way. */
  rebuild(file: string): void {
    const sheet = this.sheets.get(file);
    if (!sheet) return;
    rebuild(sheet, this.edits(file));
    this.onRows();
  }

  /** Store what is on its way, and the cell being typed, in the browser. */
  store(): void {
    const { typing, waiting } = this;
    const files = new Set([...waiting.map(({ file }) => file), ...(typing ? [typing.file] : [])]);
    const entries = [...files].flatMap((file): StoredEdits[] => {
      const sheet = this.sheets.get(file);
      const parcels = waiting.filter((parcel) => parcel.file === file);
      const edits = [...parcels.map((parcel) => parcel.edits), ...(typing?.file === file ? [[typing.edit]] : [])];
      return sheet ? [{ file, base: parcels[0]?.base ?? sheet.revision, actions: walkActions(sheet, edits) }] : [];
    });
    this.unstored = !storeEdits(editNames(this.project) + tab, { files: entries, at: Date.now() });
  }

  private edits(file: string): Edit[] {
    return this.waiting.flatMap((parcel) => (parcel.file === file ? parcel.edits : []));
  }

  private held(file: string): Parcel[] {
    return this.waiting.filter((parcel) => parcel.held && parcel.file === file);
  }

  private add(action: number, file: string, edits: readonly Edit[]): void {
    this.waiting.push({ action, file, edits, way: "do", base: null, held: false });
  }

  private drop(parcels: readonly Parcel[]): void {
    this.waiting = this.waiting.filter((parcel) => !parcels.includes(parcel));
  }

  private step(step: UndoStep | undefined, way: Way): void {
    if (!step) return;
    for (const { file, before, revision, inverse } of step.parts) {
      const edits: Edit[] = [{ do: "changes", changes: inverse }];
      const base = this.history.latest(revision);
      this.waiting.push({ action: step.action, file, edits, way, base, leadsTo: before, held: false });
    }
    this.changed();
  }

  private changed(): void {
    this.store();
    this.onState();
    void this.pump();
  }

  // Sending ---------------------------------------------------------------------------------------------------------

  private async pump(): Promise<void> {
    clearTimeout(this.timer);
    while (this.flying.length === 0 && !this.conflict) {
      const next = this.waiting.find((parcel) => !parcel.held);
      if (!next) break;
      const held = this.held(next.file);
      const apart = next.way !== "do" || areApart(next, held);
      this.flying = apart ? [next] : [...held, next];
      let proceed = await this.send(next, this.flying);
      const drafts = apart && held.length > 0 && proceed ? this.held(next.file) : [];
      if (drafts.length > 0) {
        this.flying = drafts; // their errors are counted on the new lines, or are gone
        proceed = await this.send(drafts.at(-1)!, drafts);
      }
      this.flying = [];
      this.onState();
      if (!proceed) break;
    }
    if (this.flying.length === 0) for (const resolve of this.idlers.splice(0)) resolve();
  }

  /** Send parcels of one file; return whether to proceed with the next. */
  private async send(next: Parcel, parcels: readonly Parcel[]): Promise<boolean> {
    const sheet = this.sheets.get(next.file);
    const { ops, placed } = sheet ? walk(sheet, sheet.confirmed, parcels.flatMap(({ edits }) => edits)) : { ops: [], placed: [] };
    if (!sheet || ops.length === 0) {
      this.drop(parcels);
      return true;
    }
    const sending = { next, parcels, ops, placed, base: next.base ?? sheet.revision };
    try {
      const keepalive = JSON.stringify(ops).length < KEEPALIVE;
      const answer = await api.changeTable(this.project, next.file, { base: sending.base, tab, ops }, { keepalive });
      this.failures = 0;
      this.offline = false;
      this.accept(sheet, sending, answer);
      return true;
    } catch (error) {
      return this.fail(error, sending);
    }
  }

  private accept(sheet: Sheet, { next, parcels, placed, base }: Sending, answer: TableAnswer): void {
    if (!answer.saved || answer.revision === null) {
      next.held = true;
      this.store();
      this.onProblems(answer.problems);
      return;
    }
    this.drop(parcels);
    if (next.way !== "do") this.emptied = null; // the reader has seen it
    if (answer.emptied.length > 0) this.emptied = { action: next.action, uses: answer.emptied };
    if (next.leadsTo != null && !answer.merged) this.history.repeated(next.leadsTo, answer.revision);
    const { revision, inverse } = answer;
    this.history.record(next.way, next.action, { file: sheet.file, before: base, revision, inverse });
    confirm(sheet, placed, answer, this.edits(sheet.file));
    this.store();
    if (answer.merged || next.way !== "do") this.rebuild(sheet.file);
    this.onProblems(answer.problems);
  }

  private fail(error: unknown, { next, parcels, ops, base }: Sending): boolean {
    if (error instanceof api.Refused && error.status === 409 && error.body["conflict"]) {
      this.conflict = { file: next.file, base, conflict: error.body["conflict"] as Conflict, parcels };
      return false;
    }
    if (error instanceof api.Refused && !api.mayPass(error) && !api.isSignedOut(error)) {
      const text = t("lexicon.not_made", { file: next.file, cells: textsOf(ops) });
      this.refused = [...this.refused, ...error.problems, api.problemOf(text)];
      this.drop(parcels.filter((parcel) => !parcel.held));
      this.rebuild(next.file);
      this.store();
      return true;
    }
    this.offline = true;
    this.signedOut = api.isSignedOut(error);
    this.timer = window.setTimeout(() => void this.pump(), RETRIES[Math.min(this.failures++, RETRIES.length - 1)]);
    return false;
  }
}

/** Whether a parcel concerns other rows than those that are held, so that it need not wait for them. */
function areApart(next: Parcel, held: readonly Parcel[]): boolean {
  const rows = rowsOf(next.edits);
  const drafts = rowsOf(held.flatMap(({ edits }) => edits));
  return rows !== null && drafts !== null && [...rows].every((row) => !drafts.has(row));
}

/** The texts in operations, for a reader who has to write them again. */
export function textsOf(ops: readonly api.TableOp[]): string {
  const texts = ops.flatMap((op): string[] => {
    if (op.do === "set") return [`${op.column}: ${op.value}`];
    if (op.do === "add") return op.rows.map((cells) => cells.filter(Boolean).join(" "));
    return op.do === "paste" ? [op.block.replaceAll("\t", " ")] : op.do === "column" ? [op.name] : [];
  });
  return texts.join("; ");
}

// Undo --------------------------------------------------------------------------------------------------------------

/** How an action is undone: for each file, changes that are valid on a revision. */
interface UndoStep {
  readonly action: number;
  readonly parts: { file: string; before: number | null; revision: number; inverse: Change[] }[];
}

/** The actions that can be undone and redone. */
export class UndoHistory {
  done: UndoStep[] = [];
  undone: UndoStep[] = [];
  private later = new Map<number, number>(); // a revision, and a later one to whose text undo led back

  record(way: Way, action: number, part: UndoStep["parts"][number]): void {
    const steps = way === "undo" ? this.undone : this.done;
    const last = steps.at(-1);
    if (last?.action === action) last.parts.unshift(part);
    else steps.push({ action, parts: [part] });
  }

  /** The text of a revision has come back as a new revision. */
  repeated(revision: number, again: number): void {
    this.later.set(revision, again);
  }

  /** The last revision known to have the text of this one. */
  latest(revision: number): number {
    let last = revision;
    for (let next = this.later.get(last); next !== undefined && next > last; next = this.later.get(last)) last = next;
    return last;
  }
}

// Stored edits ------------------------------------------------------------------------------------------------------
// Each tab stores its own edits. Those of a closed tab are taken over by another tab of the same account.

/** The edits of one file, action by action, each valid after the one before it on revision `base`. */
export interface StoredEdits {
  readonly file: string;
  readonly base: number | null;
  readonly actions: readonly (readonly api.TableOp[])[];
}

interface StoredTab {
  readonly files: readonly StoredEdits[];
  readonly at: number; // the time of the last heartbeat, in milliseconds
}

const editNames = (project: string): string => `bidui:table:${project}:`;

const storeEdits = (name: string, edits: StoredTab): boolean => store(name, edits.files.length ? edits : null);

function storedEdits(name: string): (StoredTab & { account?: string }) | null {
  const edits = stored<StoredTab>(name);
  return edits && Array.isArray(edits.files) ? edits : null;
}

/** Put aside what this tab stored before it was reloaded, so that any tab may take it over. */
function setAside(project: string): void {
  const name = editNames(project) + tab;
  const edits = storedEdits(name);
  if (edits && storeEdits(`${name}~${Date.now()}`, { ...edits, at: 0 })) store(name, null);
}

/** The edits of this account that no open tab works on, with the names under which they are stored. */
export async function orphans(project: string): Promise<{ name: string; files: readonly StoredEdits[] }[]> {
  const open = await openTabs();
  return storedNames(editNames(project)).flatMap((name) => {
    const edits = storedEdits(name);
    const owner = name.slice(editNames(project).length);
    const alive = open ? open.has(owner) : owner === tab || Date.now() - (edits?.at ?? 0) < ALIVE;
    return edits && isMine(edits) && !alive ? [{ name, files: edits.files }] : [];
  });
}

/** The tab that stored edits under a name. */
export const ownerOf = (project: string, name: string): string => name.slice(editNames(project).length).split("~")[0]!;

/** Store what is left of an orphan's edits. */
export function leave(name: string, files: readonly StoredEdits[]): void {
  storeEdits(name, { ...stored<StoredTab>(name), files, at: 0 });
}
