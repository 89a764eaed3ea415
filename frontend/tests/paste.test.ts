// What a block from a spreadsheet would change.
import assert from "node:assert/strict";
import { test } from "node:test";
import { asBlock, headerOf, isLarge, oddCells, type PastePlan, planPaste, withoutUnseen } from "../src/lexicon/paste";
import { newRow, readSheet, type Row, type Sheet } from "../src/lexicon/sheets";

const SHEET: Sheet = readSheet({ file: "f", revision: 1, columns: ["expression", "pos"], rows: [[2, "a", "N"], [3, "b", "V"], [4, "c", "V"]] });
const plan = (cells: string[][], rows: Row[] = SHEET.rows, column = "expression", columns = SHEET.columns) =>
  planPaste(cells, rows, column, columns, () => SHEET, SHEET);
const whole = (more: Partial<PastePlan>): PastePlan => ({ changes: [], added: [], sheet: SHEET, refused: 0, unseen: 0, odd: [], header: null, existing: [], ...more });

test("invisible characters are removed and counted; tabs and line breaks stay", () => {
  assert.deepEqual(withoutUnseen("a\u200bb\u00adc\td\n"), { text: "abc\td\n", unseen: 2 });
  assert.deepEqual(withoutUnseen("字"), { text: "字", unseen: 0 });
});

test("characters that no table can hold are named with their cells", () => {
  assert.deepEqual(oddCells([["a", "b\ue000"], ["c\u2003d", "e\u3000f"]]), [
    { row: 1, column: 2, value: "b\ue000", character: "\ue000" },
    { row: 2, column: 1, value: "c\u2003d", character: "\u2003" },
  ]);
});

test("only cells that differ are changed", () => {
  const { changes, added, refused } = plan([["a", "X"], ["B", "V"]]);
  assert.deepEqual(changes.map(({ row, column, old, value }) => [row.cells[0], column, old, value]), [["a", "pos", "N", "X"], ["b", "expression", "b", "B"]]);
  assert.deepEqual([added, refused], [[], 0]);
});

test("rows beyond the last are added, without blank ones", () => {
  const { added } = plan([["c", "V"], ["d", "N"], ["", ""], ["e", ""]], SHEET.rows.slice(2));
  assert.deepEqual(added, [["d", "N"], ["e", ""]]);
});

test("a blank row of the grid takes what is pasted as a new row", () => {
  assert.deepEqual(plan([["x"]], [newRow("f", [], true)]).added, [["x", ""]]);
});

test("cells without a column are refused, unless they are blank", () => {
  const { refused } = plan([["X", "y", "z", ""]], SHEET.rows, "expression");
  assert.equal(refused, 1);
});

test("a block that names columns adds all its rows, in the order of the sheet", () => {
  const { changes, added } = plan([["pos", "expression"], ["N", "x"], ["V", "y"]]);
  assert.deepEqual([changes, added], [[], [["x", "N"], ["y", "V"]]]);
});

test("a column that the sheet lacks does not make the header a word", () => {
  const { changes, added, refused, header } = plan([["Other", " Expression", "POS"], ["y", "x", "N"], ["", "z", ""]]);
  assert.deepEqual([changes, added, refused], [[], [["x", "N"], ["z", ""]], 1]);
  assert.deepEqual(header, { columns: [null, "expression", "pos"], unknown: ["Other"] });
});

test("a header without words fills the rows in sight by name", () => {
  const sheet = readSheet({ file: "f", revision: 1, columns: ["expression", "pos", "kind"], rows: [[2, "a", "N", ""], [3, "b", "V", "k"]] });
  const { changes, added } = planPaste([["kind", "pos"], ["k", "V"], ["k", "N"]], sheet.rows, "pos", sheet.columns, () => sheet, sheet);
  assert.deepEqual(changes.map(({ row, column, value }) => [row.cells[0], column, value]), [["a", "kind", "k"], ["a", "pos", "V"], ["b", "pos", "N"]]);
  assert.deepEqual(added, []);
});

test("a header may have the names that the grid shows", () => {
  const labels = ["Word", "Part of speech"];
  assert.deepEqual(headerOf([["part of speech", "word"], ["N", "x"]], SHEET.columns, labels)?.columns, ["pos", "expression"]);
});

test("a row of words, one column, or a name twice is no header", () => {
  for (const head of [["a", "other"], ["pos"], ["expression", "expression"], ["pos", "other"]]) {
    assert.equal(headerOf([head, ["x", "y"]], SHEET.columns), null);
  }
  assert.equal(headerOf([["expression", "pos"]], SHEET.columns), null);
});

test("words that the lexicon has already are named", () => {
  const { existing } = planPaste([["expression"], ["a"], ["x"], ["a"]], SHEET.rows, "expression", SHEET.columns, () => SHEET, SHEET, SHEET.columns, (form) => form === "a");
  assert.deepEqual(existing, ["a"]);
});

test("large, odd or refused pastes are shown first", () => {
  const change = { row: SHEET.rows[0]!, column: "pos", old: "", value: "x" };
  assert.equal(isLarge(whole({ changes: new Array(24).fill(change) })), false);
  assert.equal(isLarge(whole({ changes: new Array(25).fill(change) })), true);
  assert.equal(isLarge(whole({ added: new Array(9).fill([]) })), true);
  assert.equal(isLarge(whole({ refused: 1 })), true);
  assert.equal(isLarge(whole({ existing: ["a"] })), true);
  assert.equal(isLarge(whole({ header: { columns: ["expression"], unknown: [] } })), true);
  assert.equal(isLarge(whole({ odd: oddCells([["\ue000"]]) })), true);
});

test("changes of neighbouring rows are one block with the cells between", () => {
  const [a, , c] = SHEET.rows;
  const block = asBlock([{ row: a!, column: "expression", old: "a", value: "A" }, { row: c!, column: "pos", old: "V", value: "X" }], SHEET);
  assert.deepEqual(block, { do: "paste", rows: SHEET.rows, column: "expression", cells: [["A", "N"], ["b", "V"], ["c", "X"]] });
});

test("rows too far apart, or of another file, are no block", () => {
  const long = readSheet({ file: "f", revision: 1, columns: ["expression"], rows: Array.from({ length: 60 }, (_, n) => [n + 2, `w${n}`]) });
  const change = (n: number) => ({ row: long.rows[n]!, column: "expression", old: "", value: "x" });
  assert.equal(asBlock([change(0), change(54)], long), null);
  assert.notEqual(asBlock([change(0), change(53)], long), null);
  assert.equal(asBlock([{ ...change(0), row: newRow("g") }], long), null);
});
