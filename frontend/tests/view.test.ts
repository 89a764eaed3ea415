// The view of the lexicon: search, order, blank rows, widths and suggestions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { destination } from "../src/lexicon/grid";
import { newRow, readSheet, type Sheet } from "../src/lexicon/sheets";
import { Values } from "../src/lexicon/suggestions";
import { columnWidth, FILE, hasConditions, shortName, termAt, testOf, View } from "../src/lexicon/view";

const COLUMNS = ["expression", "pos", "gender"];
const makeSheet = (file = "lexicon/a.tsv"): Sheet =>
  readSheet({ file, revision: 1, columns: [...COLUMNS], rows: [[2, "他", "PN", "male"], [3, "她", "PN", "female"], [4, "书", "NN"], [5, "Apple pie", "NN/NR", ""]] });
const hits = (query: string): string[] => {
  const sheet = makeSheet();
  return sheet.rows.filter((row) => testOf(query, COLUMNS)(row, sheet)).map(({ cells }) => cells[0]!);
};
const makeView = (...sheets: Sheet[]): View => {
  const view = new View(new Map(sheets.map((sheet) => [sheet.file, sheet])));
  view.mayEdit = true;
  return view;
};
const shown = (view: View): string[] => view.rows.map((row) => (row.ghost ? "·" : row.cells[0]!));

test("a query has conditions if a term names a column", () => {
  assert.equal(hasConditions("pos:NN", COLUMNS), true);
  assert.equal(hasConditions("other:NN", COLUMNS), false);
  assert.equal(hasConditions("pos", COLUMNS), false);
});

test("text is found in every cell, in either case; quoted text may have blanks", () => {
  assert.deepEqual(hits("apple"), ["Apple pie"]);
  assert.deepEqual(hits('"apple p"'), ["Apple pie"]);
  assert.deepEqual(hits("fem"), ["她"]);
});

test("conditions: a value, one of several, not, any, none", () => {
  assert.deepEqual(hits("gender:male"), ["他"]);
  assert.deepEqual(hits("gender:male/female"), ["他", "她"]);
  assert.deepEqual(hits("pos:NR"), ["Apple pie"]);
  assert.deepEqual(hits("gender:!male"), ["她"]);
  assert.deepEqual(hits("gender:*"), ["他", "她"]);
  assert.deepEqual(hits("gender:-"), ["书", "Apple pie"]);
});

test("all terms must match; an unfinished condition matches everything", () => {
  assert.deepEqual(hits("pos:PN 她"), ["她"]);
  assert.equal(hits("pos:").length, 4);
});

test("the term at the cursor, with the value that is being typed", () => {
  assert.deepEqual(termAt("pos:NN gen", 10), { start: 7, name: "gen", value: null });
  assert.deepEqual(termAt("pos:NN/N", 8), { start: 7, name: "pos", value: "N" });
  assert.deepEqual(termAt("pos:!N", 6), { start: 5, name: "pos", value: "N" });
  assert.deepEqual(termAt("", 0), { start: 0, name: "", value: null });
});

test("below the rows of a single file stands a blank row", () => {
  const view = makeView(makeSheet());
  view.arrange();
  assert.deepEqual(shown(view), ["他", "她", "书", "Apple pie", "·"]);
  const two = makeView(makeSheet(), makeSheet("lexicon/b.tsv"));
  two.arrange();
  assert.equal(two.rows.length, 8);
});

test("blank cells are sorted last in both orders", () => {
  const view = makeView(makeSheet());
  view.sorting = { column: "gender", down: false };
  view.arrange();
  assert.deepEqual(shown(view).slice(0, 2), ["她", "他"]);
  view.sorting = { column: "gender", down: true };
  view.arrange();
  assert.deepEqual(shown(view).slice(0, 2), ["他", "她"]);
});

test("a search that finds nothing may be left to the server", () => {
  const view = makeView(makeSheet());
  view.search("pos:PN");
  assert.deepEqual(shown(view), ["他", "她", "·"]);
  view.search("pos:nominal", { unlessNone: true });
  assert.deepEqual(shown(view), ["他", "她", "·"]);
  view.search("");
  assert.equal(view.hits, null);
});

test("rows that others add come below their neighbours; the order shown stays", () => {
  const sheet = makeSheet();
  const view = makeView(sheet);
  view.sorting = { column: "expression", down: true };
  view.arrange();
  const before = shown(view).filter((word) => word !== "·");
  sheet.rows = sheet.rows.toSpliced(1, 0, newRow(sheet.file, ["我"]));
  view.follow();
  const after = shown(view).filter((word) => word !== "·");
  assert.deepEqual(after.filter((word) => word !== "我"), before);
  assert.equal(after[after.indexOf("我") - 1], "他");
});

test("rows that others delete go; rows hidden by a search stay hidden", () => {
  const sheet = makeSheet();
  const view = makeView(sheet);
  view.arrange();
  view.search("pos:PN");
  sheet.rows = sheet.rows.slice(1);
  view.follow();
  assert.deepEqual(shown(view), ["她", "·"]);
});

test("a blank row that was inserted becomes a row below the one above it", () => {
  const sheet = makeSheet();
  const view = makeView(sheet);
  view.arrange();
  const first = view.addBlank(sheet.file, sheet.rows[0]!);
  const second = view.addBlank(sheet.file, first);
  assert.equal(view.above(second), sheet.rows[0]);
  assert.equal(view.endsFile(first), false);
  const last = view.lastBlank(sheet.file);
  assert.equal(view.endsFile(last), true);
  assert.equal(view.above(last), sheet.rows[3]);
});

test("the column of files names them without folder and extension", () => {
  const sheet = makeSheet();
  assert.equal(makeView(sheet).text(sheet.rows[0]!, FILE), "a");
  assert.equal(shortName("lexicon/names/zh.tsv"), "names/zh");
});

test("a column is as wide as its name, or as nearly all of its texts, up to a limit", () => {
  assert.equal(columnWidth("pos", []), Math.ceil(3 * 7.7 + 26));
  const texts = [...new Array<string>(98).fill("词"), "a very long text that nobody needs to see", "another very long text"];
  assert.equal(columnWidth("p", texts), 16 + 22);
  assert.equal(columnWidth("p", ["长".repeat(100)]), 240);
});

test("suggestions: those that begin like the text first, then the most frequent", () => {
  const sheet = makeSheet();
  const values = new Values(() => [sheet], () => [{ name: "pos", values: [["nominal", 9]], words: 0 }]);
  assert.deepEqual(values.suggest("pos", "").map(({ text, count }) => [text, count]), [["nominal", 9], ["NN", 2], ["PN", 2], ["NR", 1]]);
  assert.deepEqual(values.suggest("pos", "n").map(({ text }) => text), ["nominal", "NN", "NR", "PN"]);
  assert.deepEqual(values.suggest("pos", "NN/").map(({ text }) => text), ["nominal", "PN", "NR"]);
  assert.deepEqual(values.suggest("expression", "他"), []);
});

test("values are counted again after an edit", () => {
  const sheet = makeSheet();
  const values = new Values(() => [sheet], () => []);
  values.suggest("gender", "");
  sheet.rows[2]!.cells = ["书", "NN", "male"];
  assert.equal(values.suggest("gender", "male").find(({ text }) => text === "male")!.count, 1);
  values.clear();
  assert.equal(values.suggest("gender", "male").find(({ text }) => text === "male")!.count, 2);
});

test("keys lead from cell to cell, with Ctrl as far as possible", () => {
  const size = { rows: 10, columns: 4, page: 5 };
  const press = (key: string, ctrlKey = false) => destination({ key, ctrlKey, metaKey: false }, { row: 2, column: 1 }, size);
  assert.deepEqual(press("ArrowDown"), { row: 3, column: 1 });
  assert.deepEqual(press("ArrowDown", true), { row: 9, column: 1 });
  assert.deepEqual(press("End"), { row: 2, column: 3 });
  assert.deepEqual(press("Home", true), { row: 0, column: 0 });
  assert.deepEqual(press("PageUp"), { row: -3, column: 1 });
  assert.equal(press("a"), null);
});
