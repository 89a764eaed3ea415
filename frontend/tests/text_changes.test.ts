// Values written into a YAML text, and texts turned into small changes.
import { ChangeSet, Text } from "@codemirror/state";
import assert from "node:assert/strict";
import { test } from "node:test";
import { carried, changesBetween, commonEnds, inFlow, isPlain, narrowed, scalar, spliceOf, type TextChange } from "../src/editor/text_changes";

const apply = (text: string, changes: TextChange[]): string =>
  ChangeSet.of(changes, text.length).apply(Text.of(text.split("\n"))).toString();

test("two sequences share a start and an end", () => {
  assert.deepEqual(commonEnds("abcd", "abxd"), { head: 2, tail: 1 });
  assert.deepEqual(commonEnds([1, 2, 3], [1, 2, 3]), { head: 3, tail: 0 });
});

test("the shared start and end never overlap", () => {
  assert.deepEqual(commonEnds("aa", "aaa"), { head: 2, tail: 0 });
  assert.deepEqual(commonEnds("aba", "aa"), { head: 1, tail: 1 });
});

test("a rule needs no quotes", () => {
  assert.equal(isPlain("pos:NR gender:male/female", false), true);
  assert.equal(scalar("pos:NR gender:male/female", false), "pos:NR gender:male/female");
});

test("what YAML would read differently is quoted", () => {
  for (const value of ["a: b", "- a", "# a", "a #b", "", " a", "'a'", "[a]", "a:", "--- a", "!a", "*a", "&a", "%a"]) {
    assert.equal(isPlain(value, false), false, value);
  }
});

test("inside brackets, commas and brackets are quoted as well", () => {
  assert.equal(isPlain("a, b", false), true);
  assert.equal(isPlain("a, b", true), false);
  assert.equal(isPlain("a]b", true), false);
  assert.equal(scalar("a, b", true), "'a, b'");
});

test("a quote inside quotes is doubled", () => {
  assert.equal(scalar("it's: x", false), "'it''s: x'");
});

test("control characters become blanks", () => {
  assert.equal(scalar("a\tb\u2028c", false), "a b c");
});

test("a value after its key is not in a flow; one in braces is", () => {
  const block = "slots:\n  name: pos:NR\n";
  assert.equal(inFlow(block, block.indexOf("pos")), false);
  const flow = "slots: {name: pos:NR}\n";
  assert.equal(inFlow(flow, flow.indexOf("pos")), true);
  const item = "A:\n  - pos:NR\n";
  assert.equal(inFlow(item, item.indexOf("pos")), false);
});

test("a splice changes only the letters that differ", () => {
  assert.deepEqual(spliceOf("rule: abc\n", { start: 6, end: 9 }, "abd"), {
    change: { from: 8, to: 9, insert: "d" },
    start: 6,
    lead: 0,
    length: 3,
  });
});

test("a value at an empty place gets a blank before it", () => {
  assert.deepEqual(spliceOf("rule:\n", { start: 5, end: 5 }, "x"), { change: { from: 5, to: 5, insert: " x" }, start: 5, lead: 1, length: 2 });
  assert.equal(spliceOf("rule: \n", { start: 6, end: 6 }, "x").lead, 0);
});

test("a blank value takes the blanks before it along at the end of a line only", () => {
  assert.deepEqual(spliceOf("rule: abc\n", { start: 6, end: 9 }, "").change, { from: 5, to: 9, insert: "" });
  assert.deepEqual(spliceOf("{a: abc, b: c}", { start: 4, end: 7 }, "").change, { from: 4, to: 7, insert: "" });
});

test("a value that is there already is no change", () => {
  assert.equal(spliceOf("rule: abc\n", { start: 6, end: 9 }, "abc").change, null);
  assert.equal(spliceOf("rule:\n", { start: 5, end: 5 }, "").change, null);
});

test("the length of a splice counts the quotes", () => {
  assert.equal(spliceOf("line: a\n", { start: 6, end: 7 }, "a: b").length, "'a: b'".length);
});

test("the smallest change between two values", () => {
  assert.deepEqual(narrowed("pos:NR", "pos:NN", 10), { from: 15, to: 16, insert: "N" });
  assert.deepEqual(narrowed("ab", "aab", 0), { from: 1, to: 1, insert: "a" });
  assert.equal(narrowed("ab", "ab", 3), null);
});

test("two changed lines are two changes around the line between them", () => {
  assert.deepEqual(changesBetween("a\nb\nc\n", "x\nb\ny\n"), [
    { from: 0, to: 1, insert: "x" },
    { from: 4, to: 5, insert: "y" },
  ]);
});

test("the changes between two texts lead from one to the other", () => {
  const texts = ["", "a\n", "a\nb\nc\n", "b\nc\na\n", "a\nb\nb\nc", "slots:\n  a: x\n  b: y\n", "slots:\n  b: y\n  a: x z\n", "x\ny\nz\nx\ny\n"];
  for (const old of texts) for (const now of texts) assert.equal(apply(old, changesBetween(old, now)), now, `${old} -> ${now}`);
});

test("equal texts have no changes", () => {
  assert.deepEqual(changesBetween("a\nb\n", "a\nb\n"), []);
});

test("a span moves with an insertion before it, and does not take in one at its edges", () => {
  const before = ChangeSet.of([{ from: 0, insert: "xy" }], 10);
  assert.deepEqual(carried({ start: 3, end: 5 }, before), { start: 5, end: 7 });
  const edges = ChangeSet.of([{ from: 3, insert: "x" }, { from: 5, insert: "y" }], 10);
  assert.deepEqual(carried({ start: 3, end: 5 }, edges), { start: 4, end: 6 });
});

test("a span grows with a change inside it", () => {
  assert.deepEqual(carried({ start: 3, end: 5 }, ChangeSet.of([{ from: 4, insert: "zz" }], 10)), { start: 3, end: 7 });
});

test("a span is lost when a change takes part of it with something beside it", () => {
  assert.equal(carried({ start: 3, end: 5 }, ChangeSet.of([{ from: 2, to: 4 }], 10)), null);
  assert.equal(carried({ start: 3, end: 5 }, ChangeSet.of([{ from: 4, to: 6 }], 10)), null);
});
