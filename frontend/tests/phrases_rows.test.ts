// The rows of phrases: values and their places, edits shown ahead of the server, and samples.
import assert from "node:assert/strict";
import { test } from "node:test";
import { paradigmOf } from "../src/phrases/model";
import { pathOf, phrasesForm } from "../src/phrases/rows";
import type { AlternativeRow, PhraseRow, SlotRow } from "../src/wire";

const part = (name: string, rule: string): SlotRow => ({ name, rule, path: [], name_span: { start: 0, end: 0 }, rule_span: { start: 0, end: 0 } });
const alternative = (more: Partial<AlternativeRow>): AlternativeRow => ({
  path: [], span: { start: 0, end: 0 }, rule: null, parts: [], line: "", head: "", weight: "", ...more,
});
const phrase = (name: string, ...alternatives: AlternativeRow[]): PhraseRow => ({ name, path: ["phrases", name], span: { start: 0, end: 0 }, depth: "", alternatives });

const TEXT = "phrases:\n  VP:\n    depth: 2\n    alternatives:\n      - parts:\n          verb: pos:VV\n        head: verb\n        weight: 2\n";
const SPAN = { start: TEXT.indexOf("parts"), end: TEXT.length };
const ROWS: PhraseRow[] = [
  { ...phrase("VP", alternative({ span: SPAN, parts: [part("verb", "pos:VV")], head: "verb", weight: "2" })), span: { start: 13, end: TEXT.length }, depth: "2" },
  phrase("NP", alternative({ rule: "pos:NN" }), alternative({ rule: "pos:NR" })),
];
const { find, ahead, replaced, stepOf, mayBeEmpty } = phrasesForm;
const names = (rows: PhraseRow[]): string[] => rows.map(({ name }) => name);
const rules = (rows: PhraseRow[]): (string | null)[] => rows[1]!.alternatives.map(({ rule }) => rule);
const parts = (rows: PhraseRow[]): string[] => rows[0]!.alternatives[0]!.parts.map(({ name }) => name);

test("the value of a key is found on its own line", () => {
  const { value, span } = find(ROWS, TEXT, { of: "key", phrase: "VP", number: 0, key: "head" });
  assert.equal(value, "verb");
  assert.equal(TEXT.slice(span!.start, span!.end), "verb");
  assert.equal(TEXT.slice(span!.start - 6, span!.start), "head: ");
});

test("the depth is found with the phrase, and a missing key is not", () => {
  assert.deepEqual(find(ROWS, TEXT, { of: "depth", phrase: "VP" }).span, { start: TEXT.indexOf("2"), end: TEXT.indexOf("2") + 1 });
  assert.deepEqual(find(ROWS, TEXT, { of: "key", phrase: "VP", number: 0, key: "line" }), { value: "", span: null });
});

test("a value that is written otherwise has no place", () => {
  const quoted = TEXT.replace("head: verb", "head: 'verb'");
  assert.equal(find(ROWS, quoted, { of: "key", phrase: "VP", number: 0, key: "head" }).span, null);
});

test("a rule may be empty on a line of its own, but not between commas", () => {
  const block = "NP:\n  - pos:NN\n";
  assert.equal(mayBeEmpty(block, { of: "rule", phrase: "NP", number: 0 }, { start: 8, end: 14 }), true);
  assert.equal(mayBeEmpty("NP: [pos:NN, a]\n", { of: "rule", phrase: "NP", number: 0 }, { start: 5, end: 11 }), false);
  assert.equal(mayBeEmpty(TEXT, { of: "key", phrase: "VP", number: 0, key: "head" }, { start: 0, end: 0 }), false);
});

test("phrases are added, renamed, deleted and moved ahead of the server", () => {
  assert.deepEqual(names(ahead(ROWS, { do: "add_phrase", name: "AP", rule: "", at: 1 })), ["VP", "AP", "NP"]);
  assert.deepEqual(names(ahead(ROWS, { do: "add_phrase", name: "AP", rule: "" })), ["VP", "NP", "AP"]);
  assert.deepEqual(names(ahead(ROWS, { do: "rename_phrase", name: "VP", to: "V2" })), ["V2", "NP"]);
  assert.deepEqual(names(ahead(ROWS, { do: "delete_phrase", name: "VP" })), ["NP"]);
  assert.deepEqual(names(ahead(ROWS, { do: "move_phrase", name: "NP", to: 0 })), ["NP", "VP"]);
});

test("a phrase does not take a name that is taken", () => {
  assert.deepEqual(names(ahead(ROWS, { do: "rename_phrase", name: "VP", to: "NP" })), ["VP", "NP"]);
});

test("alternatives are added, deleted and moved ahead of the server", () => {
  assert.deepEqual(rules(ahead(ROWS, { do: "add_alternative", phrase: "NP", value: "x", at: 1 })), ["pos:NN", "x", "pos:NR"]);
  assert.deepEqual(rules(ahead(ROWS, { do: "delete_alternative", phrase: "NP", number: 0 })), ["pos:NR"]);
  assert.deepEqual(rules(ahead(ROWS, { do: "move_alternative", phrase: "NP", number: 1, to: 0 })), ["pos:NR", "pos:NN"]);
});

test("an alternative with parts is added with them", () => {
  const rows = ahead(ROWS, { do: "add_alternative", phrase: "NP", value: { parts: { word: "a" }, head: "word" } });
  const added = rows[1]!.alternatives[2]!;
  assert.deepEqual([added.rule, added.head, added.parts[0]!.name, added.parts[0]!.rule], [null, "word", "word", "a"]);
  assert.deepEqual(pathOf(rows[1]!, 2), ["phrases", "NP", 2]);
});

test("parts are added, deleted, moved and renamed ahead of the server", () => {
  const two = ahead(ROWS, { do: "add_part", phrase: "VP", number: 0, part: "object", rule: "" });
  assert.deepEqual(parts(two), ["verb", "object"]);
  assert.deepEqual(parts(ahead(two, { do: "move_part", phrase: "VP", number: 0, part: "object", to: 0 })), ["object", "verb"]);
  assert.deepEqual(parts(ahead(two, { do: "delete_part", phrase: "VP", number: 0, part: "verb" })), ["object"]);
  assert.deepEqual(parts(ahead(two, { do: "rename_part", phrase: "VP", number: 0, part: "verb", name: "v" })), ["v", "object"]);
});

test("what is added has no place in the text yet", () => {
  const rows = ahead(ROWS, { do: "add_part", phrase: "VP", number: 0, part: "object", rule: "" });
  assert.equal(find(rows, TEXT, { of: "part", phrase: "VP", number: 0, part: "object" }).span, null);
});

test("a replaced value keeps the others", () => {
  const rows = replaced(ROWS, { of: "rule", phrase: "NP", number: 1 }, "pos:PN", null);
  assert.deepEqual(rules(rows), ["pos:NN", "pos:PN"]);
  assert.equal(replaced(ROWS, { of: "depth", phrase: "VP" }, "3", null)[0]!.depth, "3");
});

test("each value has the edit with which the server sets it", () => {
  assert.deepEqual(stepOf({ of: "depth", phrase: "VP" }, "3"), { do: "set_depth", name: "VP", depth: "3" });
  assert.deepEqual(stepOf({ of: "rule", phrase: "VP", number: 0 }, "x"), { do: "set_alternative", phrase: "VP", number: 0, key: "rule", value: "x" });
  assert.deepEqual(stepOf({ of: "part", phrase: "VP", number: 0, part: "v" }, "x"), { do: "set_part", phrase: "VP", number: 0, part: "v", rule: "x" });
});

test("a sample is a paradigm whose wordings are the alternatives", () => {
  const text = paradigmOf([alternative({ rule: "pos:NN" }), alternative({ parts: [part("a", "x"), part("b", "y")], weight: "2" })]);
  assert.equal(
    text,
    'format: 1\nuid: sample\nphenomenon: phrase\nvariants:\n' +
      '  - name: "0"\n    slots:\n      word: "pos:NN"\n    good: "word"\n    bad: "word \\"×\\""\n' +
      '  - name: "1"\n    weight: 2\n    slots:\n      a: "x"\n      b: "y"\n    good: "a b"\n    bad: "a b \\"×\\""\n',
  );
});
