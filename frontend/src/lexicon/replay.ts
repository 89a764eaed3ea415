// Edits made again from what the browser kept of them.
import { readBlock } from "./blocks";
import type { TableOp } from "./calls";
import { newRow, walk, type Edit, type Placed, type Sheet } from "./sheets";

/** Edits of rows again, from what was kept of them: lines of the sheet as it is after the edits that come before. */
export function replay(sheet: Sheet, before: readonly Edit[], ops: readonly TableOp[]): Edit[] {
  let { placed } = walk(sheet, sheet.confirmed, before);
  const edits: Edit[] = [];
  for (const op of ops) {
    const edit = again(op, placed, sheet.file);
    if (!edit) continue;
    edits.push(edit);
    placed = walk(sheet, placed, [edit]).placed;
  }
  return edits;
}

function again(op: TableOp, placed: readonly Placed[], file: string): Edit | null {
  const at = (line: number): Placed | undefined => placed.find((one) => one.line === line);
  switch (op.do) {
    case "set": {
      const row = at(op.line)?.row;
      return row ? { do: "set", row, column: op.column, value: op.value } : null;
    }
    case "add": {
      const rows = op.rows.map((cells) => newRow(file, cells));
      return { do: "add", rows, cells: op.rows, after: at(op.after)?.row ?? null };
    }
    case "delete":
      return { do: "delete", rows: op.lines.flatMap((line) => at(line)?.row ?? []) };
    case "paste": {
      const cells = readBlock(op.block);
      const rows = placed.filter((one) => one.line >= op.line).slice(0, cells.length);
      return { do: "paste", rows: rows.map((one) => one.row), column: op.column, cells };
    }
    default:
      return op;
  }
}
