// What every page shares: words, keys, echoes, stable keys, storage, and calls.
import assert from "node:assert/strict";
import { test } from "node:test";
import { call, isAbort, mayPass, Refused, Unreachable } from "../src/api";
import { Echoes } from "../src/drawing";
import { insertKey, keysOf, NamedKeys, newKey } from "../src/editor/row_tools";
import { matches } from "../src/keyboard";
import { editAddress, nameOf, number, othersHere, t } from "../src/page";
import { isMine, store, stored, storedNames } from "../src/tabs";
import { AWAY, Failure, serve } from "./browser";

const press = (key: string, more: object = {}) => ({ key, code: "", ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...more });

test("words are filled in, and a key without words is shown as it is", () => {
  assert.equal(t("test.greeting", { name: "Li", n: 1234 }), "Li has 1,234 words");
  assert.equal(t("test.greeting", { name: "Li" }), "Li has {n} words");
  assert.equal(t("test.missing"), "test.missing");
  assert.deepEqual([1, 2, 0].map((n) => t("test.count", { n })), ["1 word", "2 words", "0 words"]);
  assert.equal(number(1234567), "1,234,567");
});

test("the reader's own name means another tab", () => {
  assert.equal(nameOf("ana"), "js.yourself");
  assert.equal(nameOf("li"), "li");
  assert.equal(nameOf(""), "js.somebody");
  assert.equal(othersHere(["ana", "local"]), "js.other_tab");
  assert.equal(othersHere(["ana", "li"]), "js.others");
});

test("the slashes of a file stay in its address, other characters are encoded", () => {
  assert.equal(editAddress("paradigms/被 动/a.yaml"), "/p/demo/edit/paradigms/%E8%A2%AB%20%E5%8A%A8/a.yaml");
});

test("a shortcut needs its own modifiers and no others", () => {
  assert.equal(matches(press("z", { ctrlKey: true }), "Ctrl+Z"), true);
  assert.equal(matches(press("z", { metaKey: true }), "Ctrl+Z"), true);
  assert.equal(matches(press("Z", { ctrlKey: true, shiftKey: true }), "Ctrl+Z"), false);
  assert.equal(matches(press("Z", { ctrlKey: true, shiftKey: true }), "Ctrl+Shift+Z"), true);
  assert.equal(matches(press("z"), "Ctrl+Z"), false);
});

test("Alt with a letter counts by the position of the key, as on a Mac", () => {
  assert.equal(matches(press("˜", { altKey: true, code: "KeyN" }), "Alt+N"), true);
  assert.equal(matches(press("˜", { altKey: true, code: "KeyM" }), "Alt+N"), false);
});

test("a question mark may need Shift", () => {
  assert.equal(matches(press("?", { shiftKey: true }), "?"), true);
  assert.equal(matches(press("PageUp", { altKey: true }), "Alt+PageUp"), true);
});

test("what a field reported itself is no news when it comes back", () => {
  const echoes = new Echoes("a");
  echoes.report("ab");
  echoes.report("abc");
  assert.equal(echoes.isNews("ab"), false);
  assert.equal(echoes.isNews("abc"), false);
  assert.equal(echoes.isNews("x"), true);
  assert.equal(echoes.isNews("x "), false);
});

test("an old text that comes back after a newer one is news", () => {
  const echoes = new Echoes("");
  echoes.report("a");
  echoes.report("ab");
  assert.equal(echoes.isNews("ab"), false);
  assert.equal(echoes.isNews("a"), true);
});

test("a field that was left forgets what it reported", () => {
  const echoes = new Echoes("");
  echoes.report("a");
  echoes.clear();
  assert.equal(echoes.isNews("a"), true);
});

test("items keep their keys while others come and go", () => {
  const before = [...keysOf("list", ["a", "b", "c"])];
  const after = [...keysOf("list", ["a", "x", "b", "c"])];
  assert.deepEqual([after[0], after[2], after[3]], [before[0], before[1], before[2]]);
  assert.equal(before.includes(after[1]!), false);
  assert.deepEqual([...keysOf("list", ["a", "y", "b", "c"])], after);
});

test("an item that an editor inserts has that editor's key", () => {
  keysOf("typed", ["a", "b"]);
  const key = newKey();
  insertKey("typed", 1, "x", key);
  assert.equal(keysOf("typed", ["a", "x", "b"])[1], key);
});

test("a renamed row keeps its key if the edit is applied", async () => {
  const keys = new NamedKeys();
  const key = keys.of("a");
  await keys.rename("a", "b", Promise.resolve(true));
  assert.equal(keys.of("b"), key);
  assert.notEqual(keys.of("a"), key);
  await keys.rename("b", "c", Promise.resolve(false));
  assert.equal(keys.of("b"), key);
});

test("the browser's storage keeps values with their account", () => {
  assert.equal(store("test:a", { x: 1 }), true);
  assert.deepEqual(stored("test:a"), { account: "ana", x: 1 });
  assert.deepEqual(storedNames("test:"), ["test:a"]);
  store("test:a", null);
  assert.equal(stored("test:a"), null);
  assert.deepEqual([isMine({ account: "ana" }), isMine({ account: "li" }), isMine({})], [true, false, true]);
});

test("broken values in the storage count as none", () => {
  localStorage.setItem("test:b", "{");
  assert.equal(stored("test:b"), null);
});

test("a refusal carries its problems, and a dead server none", async () => {
  serve({ "GET /refused": () => new Failure(422, { problems: [{ text: "no" }] }), "GET /busy": () => new Failure(503), "GET /away": () => AWAY });
  await assert.rejects(call("GET", "/refused"), { message: "no", status: 422 });
  const errors = await Promise.all(["/refused", "/busy", "/away"].map((path) => call("GET", path).catch((error: unknown) => error)));
  assert.deepEqual(errors.map((error) => [error instanceof Refused, error instanceof Unreachable, mayPass(error), isAbort(error)]), [
    [true, false, false, false],
    [true, false, true, false],
    [false, true, true, false],
  ]);
});

test("a page does not write for an account that signed in after it was opened", async () => {
  const calls = serve({ "GET files": () => ({}) });
  localStorage.setItem("bidui:account", "li");
  await assert.rejects(call("POST", "/projects/demo/edit", {}), { status: 401 });
  await call("GET", "/projects/demo/files/a");
  localStorage.setItem("bidui:account", "ana");
  assert.equal(calls.length, 1);
});
