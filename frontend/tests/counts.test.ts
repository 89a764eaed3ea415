// Numbers of pairs as far as they are known, and what is counted first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder, readable, sumOf } from "../src/counts";

const exact = (value: number) => ({ value, exact: true, least: 0 });

test("a count is exact, more than so many, at most so many, or not known", () => {
  assert.equal(readable(exact(1234)), "1,234");
  assert.equal(readable(exact(0)), "0");
  assert.equal(readable({ value: 133_237_213_200, exact: false, least: 10_001 }), "> 10,000");
  assert.equal(readable({ value: 5_000, exact: false, least: 0 }), "≤ 5,000");
  assert.equal(readable({ value: 2e18, exact: false, least: 0 }), "≤ 2.00e+18");
  assert.equal(readable({ value: null, exact: false, least: 0 }), "–");
});

test("a sum is a lower bound where a count is one", () => {
  assert.equal(readable(sumOf([exact(300), exact(50)])), "350");
  assert.equal(readable(sumOf([exact(300), { value: 1e9, exact: false, least: 10_001 }])), "> 10,300");
  assert.equal(readable(sumOf([{ value: 7, exact: false, least: 0 }])), "≤ 7");
});

test("what is on the screen is counted first, then what the filter shows", () => {
  const rows = [
    { file: "above", top: -40, hidden: false },
    { file: "filtered out", top: 0, hidden: true },
    { file: "first", top: 10, hidden: false },
    { file: "below", top: 900, hidden: false },
    { file: "second", top: 700, hidden: false },
  ];
  assert.deepEqual(inOrder(rows, 800), ["first", "second", "above", "below", "filtered out"]);
});
