// The rows of a paradigm: values, their places, and the items of the two lines.
import { ChangeSet } from "@codemirror/state";
import assert from "node:assert/strict";
import { test } from "node:test";
import { find, type Lines, linesOf, paradigmForm, slotsOf, split, withBad, withGood, withItem, withLines } from "../src/paradigm/rows";
import type { ItemRow, ParadigmRows, Wording } from "../src/wire";

const row = (good: number | null, bad: number | null, fate: ItemRow["fate"] = "same", partner: number | null = null): ItemRow => ({ good, bad, fate, partner });

/** name likes self / name self likes: the last two changed places. */
const LINES: Lines = {
  good: ["name", "likes", "self"],
  bad: ["name", "self", "likes"],
  rows: [row(0, 0), row(1, null, "move", 3), row(2, 1), row(null, 2, "move", 1)],
};

const TEXT = "uid: a\nslots:\n  name: pos:NR\ngood: name 了\n";
const WORDING: Wording = {
  name: "",
  path: [],
  slots: [{ name: "name", rule: "pos:NR", path: ["slots", "name"], name_span: { start: 16, end: 20 }, rule_span: { start: 22, end: 28 } }],
  good: { text: "name 了", path: ["good"], span: { start: 35, end: 41 }, items: [] },
  bad: null,
  rows: [row(0, 0), row(1, 1)],
  options: {},
  groups: {},
};
const ROWS: ParadigmRows = { fields: [{ name: "uid", value: "a", span: { start: 5, end: 6 } }], slots: [], wordings: [WORDING], seams: [] };
const { moved, replaced, overlaid, ahead, stepOf } = paradigmForm;

test("typed text is split into items, but not inside quotes", () => {
  assert.deepEqual(split('name  "a b" 了'), ["name", '"a b"', "了"]);
  assert.deepEqual(split('"half typed'), ['"half typed']);
  assert.deepEqual(split("   "), []);
  assert.deepEqual(split("a\\ b"), ["a\\ b"]);
});

test("a paradigm without a bad line has the good line on both sides", () => {
  const wording = { ...WORDING, good: { ...WORDING.good!, items: [{ text: "x", start: 0, end: 1, slot: "", part: "", column: "" }] } };
  assert.deepEqual(linesOf(wording), { good: ["x"], bad: ["x"], rows: WORDING.rows });
});

test("the bad side follows a good item that it has too", () => {
  assert.deepEqual(withGood(LINES, 0, "other").bad, ["other", "self", "likes"]);
});

test("the bad side follows a good item that has moved", () => {
  const lines = withGood(LINES, 1, "loves");
  assert.deepEqual([lines.good, lines.bad], [["name", "loves", "self"], ["name", "self", "loves"]]);
});

test("a replaced item does not follow", () => {
  const lines = { good: ["a"], bad: ["b"], rows: [row(0, 0, "replace")] };
  assert.deepEqual(withGood(lines, 0, "c").bad, ["b"]);
});

test("a bad item of its own replaces the good one; a blank one is the same again", () => {
  const replacedItem = withBad({ good: ["a"], bad: ["a"], rows: [row(0, 0)] }, 0, "b");
  assert.deepEqual([replacedItem.bad, replacedItem.rows[0]!.fate], [["b"], "replace"]);
  const again = withBad(replacedItem, 0, "");
  assert.deepEqual([again.bad, again.rows[0]!.fate], [["a"], "same"]);
});

test("a bad item where there was none moves the others on", () => {
  const lines = withBad({ good: ["a", "b"], bad: ["b"], rows: [row(0, null, "drop"), row(1, 0)] }, 0, "x");
  assert.deepEqual(lines.bad, ["x", "b"]);
  assert.deepEqual(lines.rows.map(({ bad }) => bad), [0, 1]);
});

test("a blank bad item where there was none changes nothing", () => {
  const lines = { good: ["a"], bad: [], rows: [row(0, null, "drop")] };
  assert.equal(withBad(lines, 0, ""), lines);
});

test("a new item goes before a row on both sides", () => {
  const lines = withItem(LINES, 1, "很", "both");
  assert.deepEqual(lines.good, ["name", "很", "likes", "self"]);
  assert.deepEqual(lines.bad, ["name", "很", "self", "likes"]);
  assert.deepEqual(lines.rows[1], row(1, 1));
  assert.deepEqual(lines.rows.map(({ partner }) => partner), [null, null, 4, null, 2]);
});

test("a new item on the bad side only is an addition", () => {
  const lines = withItem(LINES, 4, "了", "bad");
  assert.deepEqual([lines.good.length, lines.bad], [3, ["name", "self", "likes", "了"]]);
  assert.deepEqual(lines.rows[4], row(null, 3, "add"));
});

test("values are found with their places", () => {
  assert.deepEqual(find(ROWS, { of: "field", name: "uid" }), { value: "a", span: { start: 5, end: 6 } });
  assert.deepEqual(find(ROWS, { of: "rule", slot: "name", variant: null }), { value: "pos:NR", span: { start: 22, end: 28 } });
  assert.deepEqual(find(ROWS, { of: "line", side: "bad", variant: null }), { value: "", span: null });
  assert.deepEqual(find(ROWS, { of: "field", name: "source" }), { value: "", span: null });
  assert.equal(TEXT.slice(22, 28), "pos:NR");
});

test("places move with the text, and are lost where the text was cut", () => {
  const shifted = moved(ROWS, ChangeSet.of([{ from: 0, insert: "xx" }], TEXT.length));
  assert.deepEqual(find(shifted, { of: "rule", slot: "name", variant: null }).span, { start: 24, end: 30 });
  const cut = moved(ROWS, ChangeSet.of([{ from: 20, to: 24 }], TEXT.length));
  assert.equal(find(cut, { of: "rule", slot: "name", variant: null }).span, null);
  assert.deepEqual(find(cut, { of: "field", name: "uid" }).span, { start: 5, end: 6 });
});

test("a replaced line is split into items at their places", () => {
  const rows = replaced(ROWS, { of: "line", side: "good", variant: null }, "name 在", { start: 35, end: 41 });
  assert.deepEqual(rows.wordings[0]!.good!.items.map(({ text, start, end }) => [text, start, end]), [["name", 0, 4], ["在", 5, 6]]);
});

test("a field that was not there is added", () => {
  const rows = replaced(ROWS, { of: "field", name: "source" }, "Li", null);
  assert.deepEqual(rows.fields.map(({ name }) => name), ["uid", "source"]);
});

test("a line typed before the server knows it keeps the rows that were typed", () => {
  const before = { ...ROWS, wordings: [{ ...WORDING, rows: [row(0, 0, "replace")] }] };
  const rows = overlaid(ROWS, before, { of: "line", side: "bad", variant: null }, "x", null);
  assert.deepEqual([rows.wordings[0]!.bad!.text, rows.wordings[0]!.rows], ["x", [row(0, 0, "replace")]]);
});

test("a new slot is shown at once, and only once", () => {
  const step = { do: "add_slot", slot: "verb", rule: "", variant: null };
  const rows = ahead(ahead(ROWS, step), step);
  assert.deepEqual(slotsOf(rows, null).map(({ name }) => name), ["name", "verb"]);
  assert.equal(find(rows, { of: "rule", slot: "verb", variant: null }).span, null);
  assert.equal(ahead(ROWS, { do: "move_slot", slot: "name", to: 0 }), ROWS);
});

test("shared slots stand beside the variants", () => {
  const rows = { ...ROWS, slots: WORDING.slots, wordings: [{ ...WORDING, path: ["variants", 0], slots: [] }] };
  assert.equal(slotsOf(rows, null).length, 1);
  assert.equal(slotsOf(rows, 0).length, 0);
  const changed = replaced(rows, { of: "rule", slot: "name", variant: null }, "pos:NN", { start: 22, end: 28 });
  assert.equal(changed.slots[0]!.rule, "pos:NN");
});

test("each value has the edit with which the server sets it", () => {
  assert.deepEqual(stepOf({ of: "rule", slot: "a", variant: 1 }, "x"), { do: "set_rule", slot: "a", rule: "x", variant: 1 });
  assert.deepEqual(stepOf({ of: "field", name: "uid" }, "x"), { do: "set_field", name: "uid", value: "x" });
  assert.deepEqual(stepOf({ of: "line", side: "bad", variant: null }, "x"), { do: "set_line", side: "bad", line: "x", variant: null });
  assert.deepEqual(stepOf({ of: "option", key: "weight", variant: 0 }, "2"), { do: "set_option", key: "weight", value: "2", variant: 0 });
});

test("new items of the lines are joined with blanks", () => {
  const rows = withLines(ROWS, null, { good: ["name", "x"], bad: ["name", "x"], rows: [] });
  assert.equal(rows.wordings[0]!.good!.text, "name x");
  assert.equal(rows.wordings[0]!.bad, null);
});
