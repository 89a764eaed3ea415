// What the server says while a text is being written: one request per pause.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Live, type LiveKind } from "../src/editor/live";
import { AWAY, type Call, Failure, newProject, serve as serveProject, wait } from "./browser";

const PAIR = { good: "a", bad: "b", good_regions: [], bad_regions: [], variant: "", slots: [] };
const ERROR = { kind: "x", severity: "error", text: "wrong", values: {}, range: null, file: "", slot: "", variant: null, row: [], inner: null };
const preview = (more: object = {}) => ({
  seed: 0, pairs: [PAIR], complete: false, diagnostics: [], rows: { fields: [] }, words: [{ slot: "a" }], problems: [], seconds: 0, ...more,
});
const PREVIEW = "POST preview";
const COUNT = "POST count";
let text = "";
let project = "";
const serve = (answers: Record<string, (call: Call) => unknown>): Call[] => serveProject(answers, (project = newProject()));
function start(kind: LiveKind = "paradigm"): { live: Live; rows: unknown[] } {
  text = "uid: a\n";
  const live = new Live(project, "paradigms/BA/a.yaml", kind, () => text);
  const rows: unknown[] = [];
  live.onRows = (answer) => rows.push(answer.rows);
  return { live, rows };
}
const names = (calls: { path: string }[]): string[] => calls.map(({ path }) => path.split("/").at(-1)!);

test("one answer has rows, pairs, words and problems", async () => {
  const calls = serve({ [PREVIEW]: () => preview({ problems: [{ text: "slow" }] }) });
  const { live, rows } = start();
  await live.ask();
  assert.deepEqual(names(calls), ["preview"]);
  assert.deepEqual([calls[0]!.body["text"], calls[0]!.body["n"], calls[0]!.body["seed"]], ["uid: a\n", 8, 0]);
  assert.deepEqual([rows, live.words, live.pairs?.pairs.length, live.waiting], [[{ fields: [] }], [{ slot: "a" }], 1, false]);
  assert.equal(live.problems[0]!.text, "slow");
});

test("several keys before a pause make one request", async () => {
  const calls = serve({ [PREVIEW]: () => preview() });
  const { live } = start();
  for (const typed of ["uid: b\n", "uid: bc\n", "uid: bcd\n"]) {
    text = typed;
    live.changed();
    await wait(10);
  }
  assert.deepEqual([names(calls), live.settled], [[], false]);
  await wait(150);
  assert.deepEqual(calls.map(({ body }) => body["text"]), ["uid: bcd\n"]);
});

test("the pairs are counted later, unless something is typed before", async () => {
  const calls = serve({ [PREVIEW]: () => preview(), [COUNT]: () => ({ value: 6, exact: true, reasons: [] }) });
  const { live } = start();
  await live.ask();
  await wait(300);
  live.changed();
  await wait(400);
  assert.deepEqual(names(calls), ["preview", "preview"]);
  await wait(400);
  assert.deepEqual([names(calls), live.counted?.value], [["preview", "preview", "count"], 6]);
});

test("a sample is not counted", async () => {
  const calls = serve({ [PREVIEW]: () => preview() });
  await start("sample").live.ask();
  await wait(600);
  assert.deepEqual(names(calls), ["preview"]);
});

test("phrases get their rows and problems in one answer", async () => {
  const calls = serve({ "POST diagnose": () => ({ diagnostics: [ERROR], rows: [{ name: "VP" }], problems: [] }) });
  const { live, rows } = start("phrases");
  await live.ask();
  assert.deepEqual([names(calls), calls[0]!.body["kind"]], [["diagnose"], "phrases"]);
  assert.deepEqual([rows, live.diagnostics[0]!.text], [[[{ name: "VP" }]], "wrong"]);
});

test("rows of a text that has changed meanwhile are not shown", async () => {
  serve({ [PREVIEW]: () => ((text = "uid: other\n"), preview()) });
  const { live, rows } = start();
  await live.ask();
  assert.deepEqual(rows, []);
});

test("a broken text keeps the last pairs, and is not counted", async () => {
  const answers = [preview(), preview({ pairs: [], diagnostics: [ERROR], rows: null, problems: [{ text: "not YAML" }] })];
  serve({ [PREVIEW]: () => answers.shift(), [COUNT]: () => ({ value: 6, exact: true, reasons: [] }) });
  const { live, rows } = start();
  await live.ask();
  await live.ask();
  assert.deepEqual([live.broken, live.pairs?.pairs.length, live.counted], [true, 1, null]);
  assert.deepEqual(live.problems, []); // the page shows them in the place of the rows
  assert.deepEqual(rows, [{ fields: [] }, null]);
});

test("a warning does not make a text broken", async () => {
  serve({ [PREVIEW]: () => preview({ pairs: [], diagnostics: [{ ...ERROR, severity: "warning" }] }) });
  const { live } = start();
  await live.ask();
  assert.equal(live.broken, false);
});

test("another sample is the next seed", async () => {
  const calls = serve({ [PREVIEW]: () => preview() });
  const { live } = start();
  await live.ask();
  live.sample();
  await wait();
  assert.deepEqual(calls.map(({ body }) => body["seed"]), [0, 1]);
});

test("a server that is away is asked again", async () => {
  const answers: unknown[] = [AWAY, preview()];
  const calls = serve({ [PREVIEW]: () => answers.shift() });
  const { live } = start();
  let away = 0;
  live.onAway = () => away++;
  await live.ask();
  assert.deepEqual([live.away, live.broken, away], [true, true, 1]);
  await wait(1_700);
  assert.deepEqual([calls.length, live.away, live.broken], [2, false, false]);
});

test("why there is no answer is shown, but not that a newer question came", async () => {
  const answers: unknown[] = [new Failure(409), new Failure(422, { problems: [{ text: "too long" }] })];
  serve({ [PREVIEW]: () => answers.shift() });
  const { live } = start();
  await live.ask();
  assert.deepEqual(live.problems, []);
  await live.ask();
  assert.equal(live.problems[0]!.text, "too long");
});
