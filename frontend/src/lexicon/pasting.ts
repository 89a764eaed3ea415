// Many changes as one block, which travels and is undone as one.
import type { CellChange } from "./blocks";
import type { Edit, Row, Sheet } from "./sheets";

const GAP = 50; // rows between that may be sent along as they are

/** Changes of neighbouring rows of one sheet as a block; none where they stand too far apart. */
export function asBlock(changes: readonly CellChange[], sheet: Sheet): Edit | null {
  if (changes.length === 0 || changes.some(({ row }) => row.file !== sheet.file)) return null;
  const numbers = new Map(sheet.rows.map((row, n) => [row, n]));
  const touched = new Map([...byRow(changes)].map(([row, mine]) => [numbers.get(row) ?? -1, mine]));
  const columns = [...new Set(changes.map(({ column }) => sheet.columns.indexOf(column)))];
  const [left, right] = [Math.min(...columns), Math.max(...columns)];
  const keys = [...touched.keys()];
  const [top, bottom] = [keys.reduce((a, b) => Math.min(a, b)), keys.reduce((a, b) => Math.max(a, b))];
  if (top < 0 || bottom - top >= 2 * keys.length + GAP) return null;
  const rows = sheet.rows.slice(top, bottom + 1);
  const cells = rows.map((row, n) => {
    const line = sheet.columns.slice(left, right + 1).map((_, m) => row.cells[left + m] ?? "");
    for (const { column, value } of touched.get(top + n) ?? []) line[sheet.columns.indexOf(column) - left] = value;
    return line;
  });
  return { do: "paste", rows, column: sheet.columns[left]!, cells };
}

export function byRow<Change extends { row: Row }>(changes: readonly Change[]): Map<Row, Change[]> {
  const found = new Map<Row, Change[]>();
  for (const change of changes) {
    const mine = found.get(change.row);
    if (mine) mine.push(change);
    else found.set(change.row, [change]);
  }
  return found;
}
