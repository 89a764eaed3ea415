// An open file: saved, kept in the browser, merged with what others saved, and drafts brought back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FileDocument, localDrafts, sortDrafts } from "../src/saving";
import { store, tab } from "../src/tabs";
import type { Draft, FileAnswer } from "../src/wire";
import { AWAY, type Call, Failure, newProject, serve as serveProject, wait } from "./browser";

let project = "";
const serve = (answers: Record<string, (call: Call) => unknown>): Call[] => serveProject(answers, (project = newProject()));

const FILE = "paradigms/BA/a.yaml";
const PUT = `PUT files/${FILE}`;
const presence = { "POST presence": () => ({ others: [], revision: 3 }) };
const saved = (more: object = {}) => ({ saved: true, draft: false, changed: true, file: FILE, revision: 4, time: "2026-01-01T00:00:00Z", problems: [], ...more });
const opened = (more: Partial<FileAnswer> = {}): FileAnswer => ({
  file: FILE, kind: "paradigm", text: "uid: a\n", revision: 3, time: "", author: "", drafts: [], others: [], may_edit: true, ...more,
});
const draft = (text: string, more: Partial<Draft> = {}): Draft => ({
  project: "demo", file: FILE, text, base: 3, time: "", why: "typing", tab: "other", author: "", ...more,
});
function open(more: Partial<FileAnswer> = {}, drafts: Draft[] = []): FileDocument {
  for (const name of Object.keys(localStorage)) localStorage.removeItem(name);
  return new FileDocument(project, FILE, opened(more), drafts);
}

test("a change is stored at once, and no longer when it is saved", async () => {
  const calls = serve({ [PUT]: () => saved(), ...presence });
  const file = open();
  file.change("uid: b\n");
  assert.equal(file.state, "unsaved");
  assert.deepEqual(localDrafts(project, FILE).map(({ text, base }) => [text, base]), [["uid: b\n", 3]]);
  await file.flush();
  assert.deepEqual([file.state, file.base, localDrafts(project, FILE)], ["saved", 4, []]);
  assert.deepEqual(calls.filter(({ method }) => method === "PUT").map(({ body }) => body), [{ text: "uid: b\n", base: 3, tab }]);
});

test("a pause in typing saves", async () => {
  const calls = serve({ [PUT]: () => saved(), ...presence });
  const file = open();
  file.change("uid: b\n");
  file.change("uid: bc\n");
  await wait(700);
  assert.deepEqual(calls.filter(({ method }) => method === "PUT").map(({ body }) => body["text"]), ["uid: bc\n"]);
  assert.equal(file.state, "saved");
});

test("what is typed during a save is not saved yet", async () => {
  serve({ [PUT]: () => (file.change("uid: c\n"), saved()), ...presence });
  const file = open();
  file.change("uid: b\n");
  await file.flush();
  assert.equal(file.state, "unsaved");
  assert.equal(localDrafts(project, FILE)[0]!.text, "uid: c\n");
});

test("a text with errors is a draft on the server", async () => {
  serve({ [PUT]: () => saved({ saved: false, draft: true, revision: 3 }), ...presence });
  const file = open();
  file.change("uid:\n");
  await file.flush();
  assert.deepEqual([file.state, file.base], ["draft", 3]);
});

test("a text that lacks an edit counts as unsaved, and is stored with the edit", () => {
  serve(presence);
  const file = open();
  file.owe([{ do: "add_slot", slot: "x" }]);
  assert.equal(file.state, "unsaved");
  assert.deepEqual(localDrafts(project, FILE)[0]!.steps, [{ do: "add_slot", slot: "x" }]);
  file.owe([]);
  assert.deepEqual([file.state, localDrafts(project, FILE)], ["saved", []]);
});

test("while the server is away the text stays in the browser", async () => {
  const answers: unknown[] = [AWAY, saved()];
  serve({ [PUT]: () => answers.shift(), ...presence });
  const file = open();
  file.change("uid: b\n");
  await file.flush();
  assert.equal(file.state, "offline");
  assert.equal(localDrafts(project, FILE).length, 1);
  await file.flush();
  assert.equal(file.state, "saved");
});

test("a refused text says why", async () => {
  serve({ [PUT]: () => new Failure(403, { problems: [{ kind: "x", severity: "error", text: "no", place: null, values: {} }] }), ...presence });
  const file = open();
  file.change("uid: b\n");
  await file.flush();
  assert.deepEqual([file.state, file.problems[0]!.text], ["refused", "no"]);
});

const conflict = (deleted = false) =>
  new Failure(409, { problems: [], conflict: { file: FILE, base: null, theirs: { revision: 9, text: "", author: "li", time: "", deleted }, yours: "" } });

test("rows that only one side changed are merged without a question", async () => {
  const answers: unknown[] = [conflict(), saved({ revision: 10 })];
  const calls = serve({ [PUT]: () => answers.shift(), "POST merge": () => ({ text: "merged\n", revision: 9, conflicts: [] }), ...presence });
  const file = open();
  const texts: string[] = [];
  file.onText = (text) => texts.push(text);
  file.change("mine\n");
  await file.flush();
  assert.deepEqual([file.text, file.base, file.notice, texts], ["merged\n", 9, "merged", ["merged\n"]]);
  await file.flush();
  assert.deepEqual(calls.filter(({ method }) => method === "PUT").map(({ body }) => [body["text"], body["base"]]), [["mine\n", 3], ["merged\n", 9]]);
});

test("rows that both changed wait for the reader's choices", async () => {
  const row = { row: "uid", kind: "merge-changed", text: "uid", base: "a", mine: "b", theirs: "c" };
  serve({
    [PUT]: () => conflict(),
    "POST merge": ({ body }) => ({ text: "chosen\n", revision: 9, conflicts: Object.keys(body["choose"] as object).length ? [] : [row] }),
    ...presence,
  });
  const file = open();
  file.change("mine\n");
  await file.flush();
  assert.deepEqual([file.state, file.conflict?.rows.length, file.conflict?.author, file.text], ["conflict", 1, "li", "mine\n"]);
  await file.resolve({ uid: "mine" });
  assert.deepEqual([file.conflict, file.text, file.base], [null, "chosen\n", 9]);
});

test("a file that somebody deleted can be kept", async () => {
  serve({ [PUT]: () => conflict(true), ...presence });
  const file = open();
  file.change("mine\n");
  await file.flush();
  assert.deepEqual([file.state, file.conflict?.deleted], ["conflict", 9]);
  await file.resolve({});
  assert.deepEqual([file.text, file.base, file.conflict], ["mine\n", 9, null]);
});

test("this tab's own draft of the same revision continues", () => {
  serve(presence);
  const file = open({}, [draft("mine\n", { tab })]);
  assert.deepEqual([file.text, file.state, file.notice, file.offers], ["mine\n", "unsaved", "restored", []]);
});

test("drafts of other tabs, and old ones of this tab, are offered", () => {
  const { mine, offers, obsolete } = sortDrafts(opened({ drafts: [draft("theirs\n"), draft("uid: a\n")] }), [draft("old\n", { tab, base: 1 })]);
  assert.equal(mine, null);
  assert.deepEqual(offers.map(({ text }) => text), ["old\n", "theirs\n"]);
  assert.deepEqual(obsolete.map(({ text }) => text), ["uid: a\n"]);
});

test("a draft is offered once, and not when it continues already", () => {
  const { mine, offers, obsolete } = sortDrafts(opened({ drafts: [draft("mine\n", { tab }), draft("x\n"), draft("x\n", { tab: "third" })] }), [draft("mine\n", { tab })]);
  assert.equal(mine?.text, "mine\n");
  assert.deepEqual(offers.map(({ text }) => text), ["x\n"]);
  assert.equal(obsolete.length, 2);
});

test("a draft is brought back merged, or as it is on the same revision", async () => {
  serve({ "POST merge": () => ({ text: "both\n", revision: 3, conflicts: [] }), "DELETE drafts": () => undefined, [PUT]: () => saved(), ...presence });
  const file = open({ drafts: [draft("old\n", { base: 1 })] });
  await file.bringBack(file.offers[0]!);
  assert.deepEqual([file.text, file.notice, file.offers], ["both\n", "merged", []]);
  const other = open({ drafts: [draft("same\n")] });
  await other.bringBack(other.offers[0]!);
  assert.deepEqual([other.text, other.notice, other.offers], ["same\n", "restored", []]);
});

test("local drafts of another account are not shown", () => {
  serve(presence);
  open();
  store(`bidui:draft:${project}:${FILE}:closed`, { text: "x", base: 1, steps: [], time: "", account: "li" });
  assert.deepEqual(localDrafts(project, FILE), []);
  store(`bidui:draft:${project}:${FILE}:closed`, { text: "x", base: 1, steps: [], time: "" });
  assert.deepEqual(localDrafts(project, FILE).map((each) => each.tab), ["closed"]);
});

test("a reader without the right to edit saves nothing", async () => {
  const calls = serve(presence);
  const file = open({ may_edit: false });
  file.change("x\n");
  await file.flush();
  assert.equal(calls.filter(({ method }) => method === "PUT").length, 0);
});
