// What each piece of a rule, a line or a YAML text looks like.
import assert from "node:assert/strict";
import { test } from "node:test";
import { linePieces, type Piece, rulePieces, yamlPieces } from "../src/editor/highlight";

/** The pieces as "kind:text". */
const shown = (text: string, pieces: Piece[]): string[] => pieces.map(({ kind, start, end }) => `${kind}:${text.slice(start, end)}`);
const rule = (text: string): string[] => shown(text, rulePieces(text));

test("features and their values", () => {
  assert.deepEqual(rule("pos:NR gender:male/female"), [
    "feature:pos", "mark::", "value:NR", "feature:gender", "mark::", "value:male", "mark:/", "value:female",
  ]);
});

test("a keyword decides what stands after it", () => {
  assert.deepEqual(rule("mPos:name mPro:gender"), ["keyword:mPos", "mark::", "slot:name", "keyword:mPro", "mark::", "feature:gender"]);
  assert.deepEqual(rule("phrase:ReflV"), ["keyword:phrase", "mark::", "phrase:ReflV"]);
});

test("a relation names a slot in parentheses", () => {
  assert.deepEqual(rule("rel:likes(name)"), ["keyword:rel", "mark::", "relation:likes", "mark:(", "slot:name", "mark:)"]);
});

test("words, weights and bars", () => {
  assert.deepEqual(rule("2*猫 | 狗"), ["weight:2*", "word:猫", "mark:|", "word:狗"]);
  assert.deepEqual(rule("0.5*a"), ["weight:0.5*", "word:a"]);
});

test("a quoted word is one piece, also with a colon or a blank in it, and half-typed", () => {
  assert.deepEqual(rule('"a: b" c'), ['word:"a: b"', "word:c"]);
  assert.deepEqual(rule('"a: b'), ['word:"a: b']);
});

test("an escaped colon makes no feature", () => {
  assert.deepEqual(rule("a\\:b"), ["word:a\\:b"]);
});

test("a negated value", () => {
  assert.deepEqual(rule("pos:!NR"), ["feature:pos", "mark::", "mark:!", "value:NR"]);
});

test("items of a line are slots with parts, words, or unknown names", () => {
  const line = 'name verb@result verb.head 了 nmae "x y"';
  assert.deepEqual(shown(line, linePieces(line, new Set(["name", "verb"]))), [
    "slot:name", "slot:verb", "part:@result", "slot:verb", "part:.head", "word:了", "unknown:nmae", 'word:"x y"',
  ]);
});

test("in YAML, rules stand under slots, and lines know the slots", () => {
  const text = "uid: a # x\nslots:\n  name: pos:NR\ngood: name 了\n# note\n";
  assert.deepEqual(shown(text, yamlPieces(text)), [
    "keyword:uid", "keyword:slots", "slot:name", "feature:pos", "mark::", "value:NR", "keyword:good", "slot:name", "word:了", "mark:# note",
  ]);
});

test("slots end where the indentation does", () => {
  const text = "variants:\n  - slots:\n      a: x\n    good: a\n";
  assert.deepEqual(shown(text, yamlPieces(text)).slice(-2), ["keyword:good", "slot:a"]);
});
