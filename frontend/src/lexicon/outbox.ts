// The outbox: edits on their way to the server, one action after the other. Each is shown and kept in the browser at
// once, and leaves the queue when the server has it. Where the text would have an error, nothing is written there: the
// edits are held, and go again with the next ones. Undo sends the server's own inverse.
import * as api from "../api";
import type { State } from "../saving";
import type { Conflict, Problem } from "../shapes";
import { tab } from "../tabs";
import { t } from "../words";
import { changeTable, type TableAnswer, type TableOp, type TableProblem } from "./calls";
import { keep, setAside } from "./kept";
import { Parcels, textsOf, type Disagreement, type Parcel, type Sent } from "./parcels";
import { replay } from "./replay";
import { Steps, type Step, type Way } from "./steps";
import { confirm, goBack, rebuild, show, walk, type Edit, type Placed, type Sheet } from "./sheets";

const NOTHING = { ops: [], placed: [] };
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
  onStale: () => Promise<void> = () => Promise.resolve();

  private readonly queue = new Parcels();
  private flying: Parcel[] = [];
  private readonly steps = new Steps();
  private actions = 0;
  private failures = 0;
  private offline = false;
  private signedOut = false;
  private unkept = false;
  private timer = 0;
  private waiting: (() => void)[] = [];

  constructor(
    private readonly project: string,
    private readonly sheets: Map<string, Sheet>,
  ) {
    setAside(project);
    addEventListener("online", () => void this.pump());
    addEventListener("beforeunload", (event) => {
      if (this.unkept && this.state !== "saved") event.preventDefault();
    });
    setInterval(() => this.queue.last && this.keep(), HEARTBEAT);
  }

  get state(): State {
    if (this.disagreement) return "conflict";
    if (this.offline) return this.signedOut ? "refused" : "offline";
    if (this.queue.all.some((parcel) => !parcel.held)) return "saving";
    return this.queue.last ? "draft" : "saved";
  }

  get canUndo(): boolean {
    return this.queue.all.some((parcel) => parcel.way === "do") || this.steps.done.length > 0;
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
      this.queue.add(action, file, edits);
    }
    this.steps.undone = [];
    this.changed();
  }

  /** Takes back the last action: one that has not left yet is dropped, else the server is asked. */
  undo(): void {
    const { last } = this.queue;
    if (this.flying.length > 0 || (last && last.way !== "do")) return this.later(() => this.undo());
    if (last && !this.steps.done.some((step) => step.action === last.action)) {
      const mine = this.queue.all.filter((parcel) => parcel.action === last.action);
      this.queue.drop(mine);
      for (const { file, held } of mine) {
        this.rebuild(file, true);
        if (held && !this.has(file)) void api.dropDraft(this.project, file, tab).catch(() => undefined);
      }
      this.changed();
    } else if (last) this.later(() => this.undo()); // a part of it has left
    else this.step(this.steps.done.pop(), "undo");
  }

  redo(): void {
    if (this.queue.last) this.later(() => this.redo());
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
    this.unkept = !keep(this.project, this.queue.kept(this.sheets, this.typing));
  }

  /** Actions from another time are on their way again, from `before` on, if the file is another by now. */
  resume(sheet: Sheet, before: { revision: number; text: string } | null, actions: readonly (readonly TableOp[])[]): number {
    if (before) goBack(sheet, before);
    let count = 0;
    for (const ops of actions) {
      const edits = replay(sheet, this.queue.edits(sheet.file), ops);
      if (edits.length > 0) this.queue.add(++this.actions, sheet.file, edits);
      count += edits.length;
    }
    this.rebuild(sheet.file, true);
    this.changed();
    return count;
  }

  /** A disagreement is settled: the file is what was put together, and what came after it goes on. */
  settled(): void {
    this.queue.drop(this.disagreement?.parcels ?? []);
    this.disagreement = null;
    this.keep();
    this.onState();
    void this.onStale().finally(() => this.pump());
  }

  /** Whether edits of a file are on their way. */
  has(file: string): boolean {
    return this.queue.edits(file).length > 0;
  }

  private step(step: Step | undefined, way: Way): void {
    if (!step) return;
    for (const { file, before, revision, inverse } of step.parts) {
      const edits: Edit[] = [{ do: "changes", changes: inverse }];
      this.queue.put({ action: step.action, file, edits, way, base: this.steps.latest(revision), leadsTo: before, held: false });
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
      const next = this.queue.all.find((parcel) => !parcel.held);
      if (!next) break;
      this.flying = [...(next.way === "do" ? this.queue.held(next.file) : []), next];
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
    const { ops, placed } = sheet ? walk(sheet, sheet.confirmed, parcels.flatMap((parcel) => parcel.edits)) : NOTHING;
    if (!sheet || ops.length === 0) {
      this.queue.drop(parcels);
      return true;
    }
    const sent = { next, parcels, ops, placed, base: next.base ?? sheet.revision };
    try {
      const keepalive = JSON.stringify(ops).length < KEEPALIVE;
      const answer = await changeTable(this.project, next.file, { base: sent.base, tab, ops }, { keepalive });
      this.failures = 0;
      this.offline = false;
      this.accepted(sheet, sent, answer);
      return true;
    } catch (error) {
      return this.failed(error, sent);
    }
  }

  private accepted(sheet: Sheet, { next, parcels, placed, base }: Sent, answer: TableAnswer): void {
    if (!answer.saved) {
      next.held = true;
      this.keep();
      this.onProblems(answer.problems);
      return;
    }
    this.queue.drop(parcels);
    if (next.leadsTo != null && !answer.merged) this.steps.came(next.leadsTo, answer.revision);
    const back = { file: sheet.file, before: base, revision: answer.revision, inverse: answer.inverse };
    this.steps.record(next.way, next.action, back);
    confirm(sheet, placed, answer, this.queue.edits(sheet.file));
    this.keep();
    if (answer.merged || next.way !== "do") this.rebuild(sheet.file, answer.moved);
    this.onProblems(answer.problems);
  }

  /** The rows of a file as problems count them: with the edits that are held. */
  placed(sheet: Sheet): readonly Placed[] {
    const held = this.queue.held(sheet.file);
    return held.length ? walk(sheet, sheet.confirmed, held.flatMap((parcel) => parcel.edits)).placed : sheet.confirmed;
  }

  private failed(error: unknown, { next, parcels, ops, base }: Sent): boolean {
    if (error instanceof api.Refused && error.status === 409 && error.body["conflict"]) {
      this.disagreement = { file: next.file, base, conflict: error.body["conflict"] as Conflict, parcels };
      return false;
    }
    if (error instanceof api.Refused && error.status < 500 && error.status !== 429 && error.status !== 401) {
      const text = t("lexicon.not_made", { file: next.file, cells: textsOf(ops) });
      this.refused = [...this.refused, ...error.problems, { kind: "", severity: "error", text, place: null, values: {} }];
      this.queue.drop(parcels.filter((parcel) => !parcel.held));
      this.rebuild(next.file, true);
      this.keep();
      return true;
    }
    this.offline = true;
    this.signedOut = api.isSignedOut(error);
    this.timer = window.setTimeout(() => void this.pump(), RETRIES[Math.min(this.failures++, RETRIES.length - 1)]);
    return false;
  }

  /** What is shown of a file is made anew, from what is confirmed and what is on its way. */
  rebuild(file: string, moved: boolean): void {
    const sheet = this.sheets.get(file);
    if (!sheet) return;
    rebuild(sheet, this.queue.edits(file));
    this.onRows(file, moved);
  }
}
