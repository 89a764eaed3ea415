// Parcels: what each action does to each file, in the order in which it goes to the server.
import type { Conflict } from "../shapes";
import type { TableOp } from "./calls";
import type { Kept } from "./kept";
import { walkActions, type Edit, type Placed, type Sheet } from "./sheets";
import type { Way } from "./steps";

/** What one action does to one file. */
export interface Parcel {
  readonly action: number;
  readonly file: string;
  readonly edits: readonly Edit[];
  readonly way: Way;
  readonly base: number | null; // none: the latest that is known
  readonly leadsTo?: number | null; // of an undo: the revision whose text comes back
  held: boolean; // the server would not write it, for its errors: it goes again with the next one
}

/** Others changed the same rows. */
export interface Disagreement {
  readonly file: string;
  readonly base: number | null;
  readonly conflict: Conflict;
  readonly parcels: readonly Parcel[]; // whose edits it is about
}

/** What the server is asked to write, and the rows as they would then be. */
export interface Sent {
  readonly next: Parcel;
  readonly parcels: readonly Parcel[]; // it, after those that are held
  readonly base: number | null;
  readonly ops: TableOp[];
  readonly placed: readonly Placed[];
}

export class Parcels {
  private waiting: Parcel[] = [];

  get all(): readonly Parcel[] {
    return this.waiting;
  }

  get last(): Parcel | undefined {
    return this.waiting.at(-1);
  }

  add(action: number, file: string, edits: readonly Edit[]): void {
    this.put({ action, file, edits, way: "do", base: null, held: false });
  }

  put(parcel: Parcel): void {
    this.waiting.push(parcel);
  }

  drop(parcels: readonly Parcel[]): void {
    this.waiting = this.waiting.filter((parcel) => !parcels.includes(parcel));
  }

  /** The edits of a file that are on their way. */
  edits(file: string): Edit[] {
    return this.waiting.flatMap((one) => (one.file === file ? one.edits : []));
  }

  held(file: string): Parcel[] {
    return this.waiting.filter((one) => one.held && one.file === file);
  }

  /** All of it as it can be kept, with the edit that is being typed. */
  kept(sheets: ReadonlyMap<string, Sheet>, typing: { file: string; edit: Edit } | null): Kept[] {
    const files = new Set([...this.waiting.map((one) => one.file), ...(typing ? [typing.file] : [])]);
    return [...files].flatMap((file) => {
      const sheet = sheets.get(file);
      const mine = this.waiting.filter((one) => one.file === file);
      const edits = [...mine.map((one) => one.edits), ...(typing?.file === file ? [[typing.edit]] : [])];
      return sheet ? [{ file, base: mine[0]?.base ?? sheet.revision, actions: walkActions(sheet, edits) }] : [];
    });
  }
}

/** The texts in edits, for a reader who has to write them again. */
export function textsOf(ops: readonly TableOp[]): string {
  const texts = ops.flatMap((op): string[] => {
    if (op.do === "set") return [`${op.column}: ${op.value}`];
    if (op.do === "add") return op.rows.map((cells) => cells.filter(Boolean).join(" "));
    return op.do === "paste" ? [op.block.replaceAll("\t", " ")] : op.do === "column" ? [op.name] : [];
  });
  return texts.join("; ");
}
