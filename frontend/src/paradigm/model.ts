// The open paradigm: its text, and the rows that show it.
import { newKey, insertKey } from "../editor/row_tools";
import { RowsModel } from "../editor/rows_model";
import type { FileDocument } from "../saving";
import type { ParadigmRows } from "../wire";
import { type Lines, linesOf, paradigmForm, slotsOf, type Target, withItem, withLines, wordingOf } from "./rows";

export class ParadigmModel extends RowsModel<ParadigmRows, Target> {
  constructor(file: FileDocument) {
    super(file, paradigmForm);
  }

  /** Write new items into the two lines of a wording. */
  writeLines(variant: number | null, lines: Lines): void {
    const wording = this.rows && wordingOf(this.rows, variant);
    if (!wording || !this.mayEdit) return;
    const [good, bad] = [lines.good.join(" "), lines.bad.join(" ")];
    const values = [{ target: { of: "line", side: "good", variant } as Target, value: good }];
    if (wording.bad !== null || bad !== good) values.push({ target: { of: "line", side: "bad", variant }, value: bad });
    this.writeAll(values);
    this.show(withLines(this.rows!, variant, lines));
  }

  /** Insert items before a row: several, where several were pasted. The editor of the first one has the key. */
  insertItems(variant: number | null, row: number, texts: string[], side: "both" | "bad", key: number): void {
    const wording = this.rows && wordingOf(this.rows, variant);
    if (!wording) return;
    let lines = linesOf(wording);
    texts.forEach((text, number) => {
      lines = withItem(lines, row + number, text, side);
      const { good, bad } = lines.rows[row + number]!;
      const itemKey = number === 0 ? key : newKey();
      if (good !== null) insertKey(`${variant}:good`, good, text, itemKey);
      if (bad !== null) insertKey(`${variant}:bad`, bad, text, good === null ? itemKey : newKey());
    });
    this.writeLines(variant, lines);
  }

  /** Add an empty slot; return whether the server added it. */
  addSlot(variant: number | null, name: string): Promise<boolean> {
    if (!this.rows || slotsOf(this.rows, variant).some((slot) => slot.name === name)) return Promise.resolve(false);
    return this.do({ do: "add_slot", slot: name, rule: "", variant });
  }
}
