// Sheets: edits shown at once, told to the server as operations on lines, and confirmed by its answers.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blockOf, confirm, type Edit, goBack, isBlank, matched, newRow, readBlock, readSheet, rebuild, replay, type Sheet, show, walk, walkActions } from "../src/lexicon/sheets";
import type { TableAnswer } from "../src/wire";

const sheet = (): Sheet =>
  readSheet({ file: "lexicon/a.tsv", revision: 7, columns: ["expression", "pos", "gender"], rows: [[2, "他", "PN", "male"], [3, "她", "PN", "female"], [4, "书", "NN"]] });
const words = ({ rows }: Sheet): string[] => rows.map(({ cells }) => cells[0] ?? "");
const lines = (placed: readonly { line: number; cells: readonly string[] }[]): unknown[] => placed.map(({ line, cells }) => [line, cells[0]]);
const answer = (more: Partial<TableAnswer>): TableAnswer => ({
  saved: true, draft: false, changed: true, merged: false, moved: false, revision: 8, columns: ["expression", "pos", "gender"],
  rows_changed: [], changes: [], inverse: [], problems: [], emptied: [], ...more,
});

test("a sheet has the rows of its file, in their lines", () => {
  const read = sheet();
  assert.deepEqual(words(read), ["他", "她", "书"]);
  assert.deepEqual(lines(read.confirmed), [[2, "他"], [3, "她"], [4, "书"]]);
});

test("a written cell is shown at once, also beyond the last one of its row", () => {
  const read = sheet();
  show(read, { do: "set", row: read.rows[2]!, column: "gender", value: "none" });
  assert.deepEqual(read.rows[2]!.cells, ["书", "NN", "none"]);
  assert.deepEqual(read.confirmed[2]!.cells, ["书", "NN"]);
});

test("rows are added below another one, or first", () => {
  const read = sheet();
  show(read, { do: "add", rows: [newRow("lexicon/a.tsv")], cells: [["我"]], after: read.rows[0]! });
  show(read, { do: "add", rows: [newRow("lexicon/a.tsv")], cells: [["你"]], after: null });
  assert.deepEqual(words(read), ["你", "他", "我", "她", "书"]);
});

test("deleted rows are not shown, and come back when all is made again", () => {
  const read = sheet();
  show(read, { do: "delete", rows: [read.rows[0]!, read.rows[2]!] });
  assert.deepEqual(words(read), ["她"]);
  rebuild(read, []);
  assert.deepEqual(words(read), ["他", "她", "书"]);
});

test("a new column is last, and is added once", () => {
  const read = sheet();
  show(read, { do: "column", name: "number" });
  show(read, { do: "column", name: "number" });
  assert.deepEqual(read.columns, ["expression", "pos", "gender", "number"]);
});

test("a block is pasted from its column on", () => {
  const read = sheet();
  show(read, { do: "paste", rows: read.rows.slice(0, 2), column: "pos", cells: [["A", "b"], ["C", "d"]] });
  assert.deepEqual(read.rows.map(({ cells }) => cells.join()), ["他,A,b", "她,C,d", "书,NN"]);
});

test("a cell is told by its line", () => {
  const read = sheet();
  assert.deepEqual(walk(read, read.confirmed, [{ do: "set", row: read.rows[1]!, column: "pos", value: "X" }]).ops, [
    { do: "set", line: 3, column: "pos", value: "X" },
  ]);
});

test("lines count what the edits before them added", () => {
  const read = sheet();
  const added = newRow("lexicon/a.tsv");
  const edits: Edit[] = [
    { do: "add", rows: [added], cells: [["我", "PN"]], after: read.rows[0]! },
    { do: "set", row: read.rows[1]!, column: "pos", value: "X" },
    { do: "set", row: added, column: "gender", value: "none" },
  ];
  const { ops, placed } = walk(read, read.confirmed, edits);
  assert.deepEqual(ops, [
    { do: "add", rows: [["我", "PN"]], after: 2 },
    { do: "set", line: 4, column: "pos", value: "X" },
    { do: "set", line: 3, column: "gender", value: "none" },
  ]);
  assert.deepEqual(lines(placed), [[2, "他"], [3, "我"], [4, "她"], [5, "书"]]);
});

test("lines count what the edits before them deleted", () => {
  const read = sheet();
  const { ops, placed } = walk(read, read.confirmed, [
    { do: "delete", rows: [read.rows[0]!] },
    { do: "set", row: read.rows[2]!, column: "pos", value: "X" },
  ]);
  assert.deepEqual(ops, [{ do: "delete", lines: [2] }, { do: "set", line: 3, column: "pos", value: "X" }]);
  assert.deepEqual(lines(placed), [[2, "她"], [3, "书"]]);
});

test("an edit of a row that somebody deleted is not sent", () => {
  const read = sheet();
  const gone = newRow("lexicon/a.tsv", ["x"]);
  assert.deepEqual(walk(read, read.confirmed, [
    { do: "set", row: gone, column: "pos", value: "X" },
    { do: "delete", rows: [gone] },
    { do: "paste", rows: [gone], column: "pos", cells: [["a"]] },
  ]).ops, []);
});

test("a row added below one that is gone goes last", () => {
  const read = sheet();
  const { ops } = walk(read, read.confirmed, [{ do: "add", rows: [newRow("f")], cells: [["x"]], after: newRow("f") }]);
  assert.deepEqual(ops, [{ do: "add", rows: [["x"]], after: 4 }]);
});

test("a paste is told as a block", () => {
  const read = sheet();
  const { ops, placed } = walk(read, read.confirmed, [{ do: "paste", rows: read.rows.slice(1), column: "pos", cells: [["A", "b"], ["C"]] }]);
  assert.deepEqual(ops, [{ do: "paste", block: "A\tb\nC", line: 3, column: "pos" }]);
  assert.deepEqual(placed[2]!.cells, ["书", "C"]);
});

test("actions stored as operations become the same edits again", () => {
  const read = sheet();
  const added = newRow("lexicon/a.tsv");
  const actions: Edit[][] = [
    [{ do: "add", rows: [added], cells: [["我", "PN"]], after: read.rows[0]! }],
    [{ do: "set", row: read.rows[2]!, column: "pos", value: "X" }, { do: "delete", rows: [read.rows[1]!] }],
    [{ do: "paste", rows: [read.rows[0]!, added], column: "pos", cells: [["A"], ["B"]] }, { do: "column", name: "new" }],
  ];
  const stored = walkActions(read, actions);
  const again = sheet();
  const edits = stored.reduce<Edit[]>((before, ops) => [...before, ...replay(again, before, ops)], []);
  for (const edit of actions.flat()) show(read, edit);
  for (const edit of edits) show(again, edit);
  assert.deepEqual(again.rows.map(({ cells }) => cells), read.rows.map(({ cells }) => cells));
  assert.deepEqual(again.columns, read.columns);
  assert.deepEqual(again.rows.map(({ cells }) => cells.join()), ["他,A,male", "我,B", "书,X"]);
});

test("a stored edit of a line that is not there any more is left out", () => {
  const read = sheet();
  assert.deepEqual(replay(read, [], [{ do: "set", line: 9, column: "pos", value: "x" }]), []);
});

test("an answer confirms the rows, and the cells that the server changed", () => {
  const read = sheet();
  const { placed } = walk(read, read.confirmed, [{ do: "set", row: read.rows[0]!, column: "pos", value: " x " }]);
  confirm(read, placed, answer({ rows_changed: [[2, "他", "x", "male"]] }), [{ do: "column", name: "more" }]);
  assert.equal(read.revision, 8);
  assert.deepEqual(read.confirmed[0]!.cells, ["他", "x", "male"]);
  assert.equal(read.confirmed[0]!.row, read.rows[0]);
  assert.deepEqual(read.columns, ["expression", "pos", "gender", "more"]);
});

test("rows that moved keep their identity", () => {
  const read = sheet();
  const [he, she, book] = read.rows;
  confirm(read, read.confirmed, answer({ moved: true, rows_changed: [[2, "书", "NN"], [3, "我", "PN"], [4, "他", "PN", "male"], [5, "她", "X", "female"]] }), []);
  assert.deepEqual(read.confirmed.map(({ row }) => [he, she, book].indexOf(row)), [2, -1, 0, 1]);
});

test("one changed row between unchanged ones is the same row", () => {
  const read = sheet();
  const placed = matched(read.confirmed, [[2, "他", "PN", "male"], [3, "它", "X"], [4, "书", "NN"]], "lexicon/a.tsv");
  assert.deepEqual(placed.map(({ row }) => read.rows.indexOf(row)), [0, 1, 2]);
});

test("two rows with the same text stay two rows", () => {
  const twice = readSheet({ file: "f", revision: 1, columns: ["expression"], rows: [[2, "a"], [3, "a"], [4, "b"]] });
  const placed = matched(twice.confirmed, [[2, "b"], [3, "a"], [4, "a"]], "f");
  assert.equal(new Set(placed.map(({ row }) => row)).size, 3);
  assert.equal(placed[0]!.row, twice.rows[2]);
});

test("a sheet goes back to a revision: blank lines are no rows, and a mark at the start no part of a name", () => {
  const read = sheet();
  goBack(read, { revision: 5, text: "\ufeffexpression\tpos\r\n他\tPN\r\n\r\n书\tNN\r\n" });
  assert.equal(read.revision, 5);
  assert.deepEqual(read.columns, ["expression", "pos"]);
  assert.deepEqual(lines(read.confirmed), [[2, "他"], [4, "书"]]);
  assert.equal(read.confirmed[1]!.row, read.rows[2]);
});

test("cells are copied as spreadsheets do, with quotes where they must be", () => {
  assert.equal(blockOf([["a", 'b"c'], ["d\te", ""]]), 'a\t"b""c"\n"d\te"\t');
});

test("a block is read as spreadsheets write it", () => {
  assert.deepEqual(readBlock("a\tb\r\nc\t d \n"), [["a", "b"], ["c", "d"]]);
  assert.deepEqual(readBlock('"a ""x"""\tb'), [['a "x"', "b"]]);
  assert.deepEqual(readBlock('"two\nlines"\tb'), [["two lines", "b"]]);
  assert.deepEqual(readBlock('say "hi"\tb'), [['say "hi"', "b"]]);
  assert.deepEqual(readBlock('"open\tb'), [['"open', "b"]]);
  assert.deepEqual(readBlock("a\n\nb"), [["a"], [""], ["b"]]);
});

test("what is copied is read back", () => {
  const cells = [["他", 'a"b', ""], ["", "c d", '"']];
  assert.deepEqual(readBlock(blockOf(cells)), cells);
});

test("cells of blanks are blank", () => {
  assert.equal(isBlank(["", " ", "\t"]), true);
  assert.equal(isBlank(["", "x"]), false);
});
