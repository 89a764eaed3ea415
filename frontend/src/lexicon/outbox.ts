// The outbox: edits on their way to the server, one action after the other. Each is shown and kept in the browser at
// once, and leaves the queue when the server has it. Where the text would have an error, nothing is written there: the
// edits are held, and go again with the next ones. Undo sends the server's own inverse.
import * as api from "../api";
import type { Conflict, Problem } from "../shapes";
import type { State } from "../saving";
import { tab } from "../tabs";
import { changeTable, readRevision, type TableAnswer, type TableProblem } from "./calls";
import { keep, takeOver, type Kept } from "./kept";
import { replay } from "./replay";
import { Steps, type Step, type Way } from "./steps";
import { matched, readTable, rebuild, show, walk, type Edit, type Placed, type Sheet } from "./sheets";

/** What one action does to one file. */
interface Parcel {
  readonly action: number;
  readonly file: string;
  readonly edits: readonly Edit[];
  readonly way: Way;
  readonly base: number | null; // none: the latest that is known
  readonly leadsTo?: number | null; // of an undo: the revision whose text comes back
  held: boolean;
}

export interface Disagreement {
  readonly file: string;
  readonly base: number | null;
  readonly conflict: Conflict;
}

const RETRIES = [1_000, 2_000, 4_000, 8_000];
const KEEPALIVE = 20_000; // characters; browsers take 64 kB when a page closes
const HEARTBEAT = 4_000;

export class Outbox {
  disagreement: Disagreement | null = null;
  refused: Problem[] = [];
  /** The cell that is being typed, as the edit that it will be: kept with the others, not sent. */
  typing: { file: string; edit: Edit } | null = null;
  /** Rows changed otherwise than by the reader's own hand: a merge, an undo, an edit that was refused. */
  onRows: (file: string, moved: boolean) => void = () => undefined;
  onProblems: (problems: TableProblem[]) => void = () => undefined;
  onState: () => void = () => undefined;
  /** The sheets must be read anew, since a file has become another. */
  onStale: () => void = () => undefined;

  private queue: Parcel[] = [];
  private flying: Parcel[] = [];
  private readonly steps = new Steps();
  private actions = 0;
  private failures = 0;
  private offline = false;
  private unkept = false;
  private timer = 0;
  private waiting: (() => void)[] = [];

  constructor(
    private readonly project: string,
    private readonly sheets: Map<string, Sheet>,
  ) {
    addEventListener("online", () => void this.pump());
    addEventListener("beforeunload", (event) => {
      if (this.unkept && this.state !== "saved") event.preventDefault();
    });
    setInterval(() => this.queue.length > 0 && this.keep(), HEARTBEAT);
  }

  get state(): State {
    if (this.disagreement) return "conflict";
    if (this.offline) return "offline";
    if (this.queue.some((parcel) => !parcel.held)) return "saving";
    return this.queue.length > 0 ? "draft" : "saved";
  }

  get canUndo(): boolean {
    return this.queue.some((parcel) => parcel.way === "do") || this.steps.done.length > 0;
  }

  get canRedo(): boolean {
    return this.steps.undone.length > 0;
  }

  /** One action: edits of one or more files, shown at once. */
  act(parts: ReadonlyMap<string, readonly Edit[]>): void {
    const action = ++this.actions;
    for (const [file, edits] of parts) {
      const sheet = this.sheets.get(file);
      if (!sheet || edits.length === 0) continue;
      for (const edit of edits) show(sheet, edit);
      this.queue.push({ action, file, edits, way: "do", base: null, held: false });
    }
    this.steps.undone = [];
    this.changed();
  }

  /** Takes back the last action: one that has not left yet is dropped, else the server is asked. */
  undo(): void {
    const last = this.queue.at(-1);
    if (this.flying.length > 0 || (last && last.way !== "do")) return this.later(() => this.undo());
    if (last && !this.steps.done.some((step) => step.action === last.action)) {
      const mine = this.queue.filter((parcel) => parcel.action === last.action);
      this.drop(mine);
      for (const parcel of mine) this.rebuild(parcel.file, true);
      this.changed();
    } else if (last) this.later(() => this.undo()); // a part of it has left
    else this.step(this.steps.done.pop(), "undo");
  }

  redo(): void {
    if (this.queue.length > 0) this.later(() => this.redo());
    else this.step(this.steps.undone.pop(), "redo");
  }

  /** Once what is on its way has arrived; not at all where it cannot. */
  private later(run: () => void): void {
    if (!this.offline) void this.idle().then(() => this.flying.length === 0 && run());
  }

  /** When nothing more can be sent for now. */
  idle(): Promise<void> {
    if (this.flying.length === 0 && this.state !== "saving") return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** Keeps what is on its way in the browser's own store. */
  keep(): void {
    const { typing } = this;
    const files: Kept[] = [];
    for (const file of new Set([...this.queue.map((parcel) => parcel.file), ...(typing ? [typing.file] : [])])) {
      const sheet = this.sheets.get(file);
      const mine = this.queue.filter((parcel) => parcel.file === file);
      if (!sheet) continue;
      const edits = mine.map((parcel) => parcel.edits);
      if (typing?.file === file) edits.push([typing.edit]);
      let from: readonly Placed[] = sheet.confirmed;
      const actions = edits.map((each) => {
        const { ops, placed } = walk(sheet, from, each);
        from = placed;
        return ops;
      });
      files.push({ file, base: mine[0]?.base ?? sheet.revision, actions });
    }
    this.unkept = !keep(this.project, files);
  }

  /** Brings back what was kept before the page was loaded: each file as it then was, with its edits on their way again. */
  async recover(): Promise<number> {
    let count = 0;
    for (const { file, base, actions } of takeOver(this.project)) {
      const sheet = this.sheets.get(file);
      if (!sheet) continue;
      try {
        if (sheet.revision !== base && base !== null) await this.goBack(sheet, base);
      } catch (error) {
        if (error instanceof api.Refused) this.refused = [...this.refused, ...error.problems];
        continue;
      }
      for (const ops of actions) {
        const edits = replay(sheet, this.queue.flatMap((one) => (one.file === file ? one.edits : [])), ops);
        if (edits.length > 0) this.queue.push({ action: ++this.actions, file, edits, way: "do", base: null, held: false });
        count += edits.length;
      }
      this.rebuild(file, true);
    }
    if (count > 0) this.changed();
    return count;
  }

  private async goBack(sheet: Sheet, revision: number): Promise<void> {
    const { text } = await readRevision(this.project, revision);
    const { columns, rows } = readTable(text);
    sheet.revision = revision;
    sheet.columns = columns;
    sheet.confirmed = matched(sheet.confirmed, rows, sheet.file);
  }

  /** A disagreement is settled: the file is what was put together. */
  settled(): void {
    const file = this.disagreement?.file;
    this.disagreement = null;
    this.queue = this.queue.filter((parcel) => parcel.file !== file);
    this.keep();
    this.onState();
    this.onStale();
    void this.pump();
  }

  /** The rows of a file are others, as the server has them; what is on its way stays. */
  fresh(file: string, revision: number | null, columns: readonly string[], placed: Placed[]): void {
    const sheet = this.sheets.get(file);
    if (!sheet) return;
    sheet.revision = revision;
    sheet.columns = [...columns];
    sheet.confirmed = placed;
    this.rebuild(file, true);
  }

  private step(step: Step | undefined, way: Way): void {
    if (!step) return;
    for (const { file, before, revision, inverse } of step.parts) {
      const edits: Edit[] = [{ do: "changes", changes: inverse }];
      this.queue.push({ action: step.action, file, edits, way, base: this.steps.latest(revision), leadsTo: before, held: false });
    }
    this.changed();
  }

  private changed(): void {
    this.keep();
    this.onState();
    void this.pump();
  }

  private async pump(): Promise<void> {
    clearTimeout(this.timer);
    while (this.flying.length === 0 && !this.disagreement) {
      const next = this.queue.find((parcel) => !parcel.held);
      if (!next) break;
      const held = this.queue.filter((parcel) => parcel.held && parcel.file === next.file && next.way === "do");
      this.flying = [...held, next];
      const going = await this.post(next, this.flying);
      this.flying = [];
      this.onState();
      if (!going) break;
    }
    if (this.flying.length === 0) for (const resolve of this.waiting.splice(0)) resolve();
  }

  /** Sends some parcels of one file; whether to go on with the next. */
  private async post(next: Parcel, parcels: readonly Parcel[]): Promise<boolean> {
    const sheet = this.sheets.get(next.file);
    const edits = parcels.flatMap((parcel) => parcel.edits);
    const { ops, placed } = sheet ? walk(sheet, sheet.confirmed, edits) : { ops: [], placed: [] };
    if (!sheet || ops.length === 0) {
      this.drop(parcels);
      return true;
    }
    const base = next.base ?? sheet.revision;
    try {
      const keepalive = JSON.stringify(ops).length < KEEPALIVE;
      const answer = await changeTable(this.project, next.file, { base, tab, ops }, { keepalive });
      this.failures = 0;
      this.offline = false;
      this.accepted(sheet, next, parcels, placed, answer);
      return true;
    } catch (error) {
      return this.failed(error, next, parcels, base);
    }
  }

  private accepted(
    sheet: Sheet,
    next: Parcel,
    parcels: readonly Parcel[],
    placed: readonly Placed[],
    answer: TableAnswer,
  ): void {
    if (!answer.saved) {
      next.held = true;
      this.keep();
      this.onProblems(answer.problems);
      return;
    }
    this.drop(parcels);
    const before = next.base ?? sheet.revision;
    if (next.leadsTo != null && !answer.merged) this.steps.came(next.leadsTo, answer.revision);
    const back = { file: sheet.file, before, revision: answer.revision, inverse: answer.inverse };
    this.steps.record(next.way, next.action, back);
    sheet.revision = answer.revision;
    const coming = this.queue.flatMap((one) => (one.file === sheet.file ? one.edits : []));
    const added = coming.flatMap((edit) => (edit.do === "column" ? [edit.name] : []));
    sheet.columns = [...answer.columns, ...added.filter((name) => !answer.columns.includes(name))];
    if (answer.moved) sheet.confirmed = matched(placed, answer.rows_changed, sheet.file);
    else {
      const rows = new Map(answer.rows_changed.map(([line, ...cells]) => [line, cells]));
      sheet.confirmed = placed.map((one) => ({ ...one, cells: rows.get(one.line) ?? one.cells }));
    }
    this.keep();
    if (answer.merged || next.way !== "do") this.rebuild(sheet.file, answer.moved);
    this.onProblems(answer.problems);
  }

  /** The rows of a file as problems count them: with the edits that are held. */
  placed(sheet: Sheet): readonly Placed[] {
    const held = this.queue.filter((parcel) => parcel.held && parcel.file === sheet.file);
    return held.length ? walk(sheet, sheet.confirmed, held.flatMap((parcel) => parcel.edits)).placed : sheet.confirmed;
  }

  private failed(error: unknown, next: Parcel, parcels: readonly Parcel[], base: number | null): boolean {
    if (error instanceof api.Refused && error.status === 409 && error.body["conflict"]) {
      this.disagreement = { file: next.file, base, conflict: error.body["conflict"] as Conflict };
      return false;
    }
    if (error instanceof api.Refused && error.status < 500 && error.status !== 429 && error.status !== 401) {
      this.refused = [...this.refused, ...error.problems];
      this.drop(parcels.filter((parcel) => !parcel.held));
      this.rebuild(next.file, true);
      this.keep();
      return true;
    }
    this.offline = true;
    this.timer = window.setTimeout(() => void this.pump(), RETRIES[Math.min(this.failures++, RETRIES.length - 1)]);
    return false;
  }

  private drop(parcels: readonly Parcel[]): void {
    this.queue = this.queue.filter((parcel) => !parcels.includes(parcel));
  }

  private rebuild(file: string, moved: boolean): void {
    const sheet = this.sheets.get(file);
    if (!sheet) return;
    rebuild(sheet, this.queue.filter((parcel) => parcel.file === file).flatMap((parcel) => parcel.edits));
    this.onRows(file, moved);
  }
}
