// The outbox of the lexicon: what is sent, held, undone, stored and sent again.
import assert from "node:assert/strict";
import { test } from "node:test";
import { leave, orphans, Outbox, ownerOf, textsOf, UndoHistory } from "../src/lexicon/outbox";
import { newRow, readSheet, type Row, type Sheet } from "../src/lexicon/sheets";
import { store, tab } from "../src/tabs";
import type { TableAnswer } from "../src/wire";
import { AWAY, type Call, Failure, newProject, serve as serveProject, wait } from "./browser";

let project = "";
const serve = (answers: Record<string, (call: Call) => unknown>): Call[] => serveProject(answers, (project = newProject()));

const FILE = "lexicon/a.tsv";
const POST = `POST tables/${FILE}`;
const answer = (more: Partial<TableAnswer> = {}): TableAnswer => ({
  saved: true, draft: false, changed: true, merged: false, moved: false, revision: 8, columns: ["expression", "pos"],
  rows_changed: [], changes: [], inverse: [{ start: 0, end: 1, text: "x" }], problems: [], emptied: [], ...more,
});

function start(): { outbox: Outbox; sheet: Sheet; set: (row: number, value: string) => void } {
  for (const name of Object.keys(localStorage)) localStorage.removeItem(name);
  const sheet = readSheet({ file: FILE, revision: 7, columns: ["expression", "pos"], rows: [[2, "a", "N"], [3, "b", "V"]] });
  const outbox = new Outbox(project, new Map([[FILE, sheet]]));
  const set = (row: number, value: string): void =>
    outbox.act(new Map([[FILE, [{ do: "set", row: sheet.rows[row]!, column: "pos", value }]]]));
  return { outbox, sheet, set };
}
const stored = (): string | null => localStorage.getItem(`bidui:table:${project}:${tab}`);

test("an edit is shown at once, sent on its revision, and leaves the store when it is saved", async () => {
  const calls = serve({ [POST]: () => answer() });
  const { outbox, sheet, set } = start();
  set(0, "X");
  assert.equal(sheet.rows[0]!.cells[1], "X");
  assert.equal(outbox.state, "saving");
  assert.notEqual(stored(), null);
  await outbox.idle();
  assert.deepEqual(calls.map(({ body }) => [body["base"], body["ops"]]), [[7, [{ do: "set", line: 2, column: "pos", value: "X" }]]]);
  assert.deepEqual([outbox.state, sheet.revision, stored()], ["saved", 8, null]);
});

test("edits go one after the other, each on the revision of the one before", async () => {
  let revision = 7;
  const calls = serve({ [POST]: () => answer({ revision: ++revision }) });
  const { outbox, set } = start();
  set(0, "X");
  set(1, "Y");
  await outbox.idle();
  assert.deepEqual(calls.map(({ body }) => body["base"]), [7, 8]);
});

test("an edit with errors is held, and sent again with the next one of its row", async () => {
  const answers = [answer({ saved: false, revision: 7 }), answer()];
  const calls = serve({ [POST]: () => answers.shift() });
  const { outbox, set } = start();
  set(0, "wrong");
  await outbox.idle();
  assert.equal(outbox.state, "draft");
  assert.notEqual(stored(), null);
  set(0, "Y");
  await outbox.idle();
  assert.equal((calls[1]!.body["ops"] as unknown[]).length, 2);
  assert.equal(outbox.state, "saved");
});

const bad = ({ body }: Call): boolean => JSON.stringify(body["ops"]).includes("wrong");

test("a row with errors is a draft and does not hold back others", async () => {
  let revision = 7;
  const problem = { kind: "x", severity: "error" as const, text: "x", file: FILE, line: 2, column: "pos" };
  const calls = serve({ [POST]: (call) => (bad(call) ? answer({ saved: false, revision, problems: [problem as never] }) : answer({ revision: ++revision })) });
  const { outbox, sheet, set } = start();
  const problems: number[] = [];
  outbox.onProblems = (shown) => problems.push(shown.length);
  set(0, "wrong");
  await outbox.idle();
  set(1, "Y");
  await outbox.idle();
  const ops = calls.map(({ body }) => [body["base"], (body["ops"] as { line: number; value: string }[]).map(({ line, value }) => [line, value])]);
  assert.deepEqual(ops, [[7, [[2, "wrong"]]], [7, [[3, "Y"]]], [8, [[2, "wrong"]]]]);
  assert.deepEqual([outbox.state, sheet.revision, sheet.rows.map(({ cells }) => cells[1])], ["draft", 8, ["wrong", "Y"]]);
  assert.equal(problems.at(-1), 1); // those of the draft are still shown
  assert.deepEqual([stored()!.includes("wrong"), stored()!.includes('"Y"')], [true, false]);
});

test("a word added below a draft row goes below the last row that is written", async () => {
  let revision = 7;
  const calls = serve({ [POST]: (call) => (bad(call) ? answer({ saved: false, revision }) : answer({ revision: ++revision })) });
  const { outbox, sheet } = start();
  const add = (cells: string[], after: Row): Row => {
    const row = newRow(FILE, cells);
    outbox.act(new Map([[FILE, [{ do: "add", rows: [row], cells: [cells], after }]]]));
    return row;
  };
  const draft = add(["", "wrong"], sheet.rows[0]!); // between the two
  await outbox.idle();
  add(["c", "N"], draft);
  await outbox.idle();
  assert.deepEqual(calls[1]!.body["ops"], [{ do: "add", rows: [["c", "N"]], after: 2 }]);
  assert.deepEqual(sheet.confirmed.map(({ line, cells }) => [line, cells[0]]), [[2, "a"], [3, "c"], [4, "b"]]);
  assert.deepEqual(sheet.rows.map(({ cells }) => cells[0]), ["a", "", "c", "b"]);
});

test("undo takes back the last action, also where a draft is older, and redo does not wait for the draft", async () => {
  let revision = 7;
  const calls = serve({ [POST]: (call) => (bad(call) ? answer({ saved: false, revision }) : answer({ revision: ++revision })), "DELETE drafts": () => undefined });
  const { outbox, sheet, set } = start();
  set(0, "wrong");
  await outbox.idle();
  set(1, "Y");
  await outbox.idle();
  outbox.undo();
  await outbox.idle();
  assert.deepEqual(calls.at(-2)!.body["ops"], [{ do: "changes", changes: [{ start: 0, end: 1, text: "x" }] }]);
  assert.equal(sheet.rows[0]!.cells[1], "wrong");
  outbox.redo();
  await outbox.idle();
  assert.equal(outbox.canRedo, false);
  outbox.undo();
  await outbox.idle();
  outbox.undo(); // the draft itself
  await wait();
  assert.deepEqual([outbox.state, sheet.rows[0]!.cells[1]], ["saved", "N"]);
});

test("undo drops an edit that was not written", async () => {
  const calls = serve({ [POST]: () => answer({ saved: false, revision: 7 }), "DELETE drafts": () => undefined });
  const { outbox, sheet, set } = start();
  set(0, "wrong");
  await outbox.idle();
  outbox.undo();
  await wait();
  assert.equal(sheet.rows[0]!.cells[1], "N");
  assert.deepEqual([outbox.state, outbox.canUndo, outbox.canRedo], ["saved", false, false]);
  assert.equal(calls.at(-1)!.method, "DELETE");
});

test("undo and redo send the inverse that the server gave, on its revision", async () => {
  let revision = 7;
  const calls = serve({ [POST]: () => answer({ revision: ++revision, inverse: [{ start: revision, end: revision, text: "" }] }) });
  const { outbox, set } = start();
  set(0, "X");
  await outbox.idle();
  outbox.undo();
  await outbox.idle();
  assert.deepEqual([calls[1]!.body["base"], calls[1]!.body["ops"]], [8, [{ do: "changes", changes: [{ start: 8, end: 8, text: "" }] }]]);
  assert.deepEqual([outbox.canUndo, outbox.canRedo], [false, true]);
  outbox.redo();
  await outbox.idle();
  assert.deepEqual(calls[2]!.body["ops"], [{ do: "changes", changes: [{ start: 9, end: 9, text: "" }] }]);
  assert.equal(outbox.canUndo, true);
});

test("a new edit ends what could be done again", async () => {
  let revision = 7;
  serve({ [POST]: () => answer({ revision: ++revision }) });
  const { outbox, set } = start();
  set(0, "X");
  await outbox.idle();
  outbox.undo();
  await outbox.idle();
  set(1, "Y");
  assert.equal(outbox.canRedo, false);
  await outbox.idle();
});

test("a conflict stops the queue until it is resolved", async () => {
  const conflict = { file: FILE, base: null, theirs: {}, yours: "text" };
  const answers: unknown[] = [new Failure(409, { problems: [], conflict }), answer()];
  const calls = serve({ [POST]: () => answers.shift() });
  const { outbox, set } = start();
  set(0, "X");
  await outbox.idle();
  assert.deepEqual([outbox.state, outbox.conflict?.file, outbox.conflict?.base], ["conflict", FILE, 7]);
  set(1, "Y");
  await wait();
  assert.equal(calls.length, 1);
  outbox.resolved();
  await wait();
  await outbox.idle();
  assert.deepEqual(calls[1]!.body["ops"], [{ do: "set", line: 3, column: "pos", value: "Y" }]);
  assert.equal(outbox.state, "saved");
});

test("a refused edit is taken back, with its text for the reader", async () => {
  serve({ [POST]: () => new Failure(400, { problems: [{ kind: "x", severity: "error", text: "no", place: null, values: {} }] }) });
  const { outbox, sheet, set } = start();
  set(0, "X");
  await outbox.idle();
  assert.equal(sheet.rows[0]!.cells[1], "N");
  assert.deepEqual([outbox.state, outbox.refused.map(({ text }) => text)], ["saved", ["no", "lexicon.not_made"]]);
});

test("while the server is away, edits are kept, and sent when it is back", async () => {
  const answers: unknown[] = [AWAY, answer()];
  const calls = serve({ [POST]: () => answers.shift() });
  const { outbox, set } = start();
  set(0, "X");
  await outbox.idle();
  assert.equal(outbox.state, "offline");
  assert.notEqual(stored(), null);
  await wait(1_100);
  await outbox.idle();
  assert.deepEqual([calls.length, outbox.state, stored()], [2, "saved", null]);
});

test("a signed-out reader is told so", async () => {
  serve({ [POST]: () => new Failure(401) });
  const { outbox, set } = start();
  set(0, "X");
  await outbox.idle();
  assert.equal(outbox.state, "refused");
});

test("the cell that is being typed is stored, but not sent", async () => {
  const calls = serve({});
  const { outbox, sheet } = start();
  outbox.typing = { file: FILE, edit: { do: "set", row: sheet.rows[1]!, column: "pos", value: "half" } };
  outbox.store();
  const kept = JSON.parse(stored()!) as { files: { actions: unknown }[] };
  assert.deepEqual(kept.files[0]!.actions, [[{ do: "set", line: 3, column: "pos", value: "half" }]]);
  assert.equal(calls.length, 0);
});

test("stored edits are made again on the revision they were made for", async () => {
  const calls = serve({ [POST]: () => answer({ revision: 9, merged: true, moved: true, rows_changed: [[2, "new", ""], [3, "a", "X"], [4, "b", "V"]] }) });
  const { outbox, sheet } = start();
  sheet.revision = 8;
  const count = outbox.resume(sheet, { revision: 6, text: "expression\tpos\na\tN\n" }, [[{ do: "set", line: 2, column: "pos", value: "X" }]]);
  assert.equal(count, 1);
  await outbox.idle();
  assert.equal(calls[0]!.body["base"], 6);
  assert.deepEqual(sheet.rows.map(({ cells }) => cells.join()), ["new,", "a,X", "b,V"]);
});

test("edits of closed tabs are found; those of another account are not", async () => {
  serve({});
  start();
  const edits = { files: [{ file: FILE, base: 7, actions: [] }], at: 0 };
  store("bidui:table:demo:closed", edits);
  store("bidui:table:demo:hers", { ...edits, account: "li" });
  store("bidui:table:other:closed", edits);
  assert.deepEqual((await orphans("demo")).map(({ name }) => name), ["bidui:table:demo:closed"]);
  assert.equal(ownerOf("demo", "bidui:table:demo:closed~123"), "closed");
  leave("bidui:table:demo:closed", []);
  assert.deepEqual(await orphans("demo"), []);
});

test("where the browser cannot say which tabs are open, a fresh heartbeat can", async () => {
  start();
  store("bidui:table:demo:alive", { files: [{ file: FILE, base: 7, actions: [] }], at: Date.now() });
  assert.deepEqual(await orphans("demo"), []);
});

test("the texts of operations, for a reader who has to write them again", () => {
  assert.equal(
    textsOf([{ do: "set", line: 2, column: "pos", value: "X" }, { do: "add", rows: [["a", "", "b"]], after: 1 }, { do: "paste", block: "c\td" }, { do: "delete", lines: [3] }]),
    "pos: X; a b; c d",
  );
});

test("undo follows revisions whose text came back", () => {
  const history = new UndoHistory();
  history.repeated(3, 5);
  history.repeated(5, 9);
  assert.equal(history.latest(3), 9);
  assert.equal(history.latest(4), 4);
});

test("the parts of one action are undone together, last file first", () => {
  const history = new UndoHistory();
  history.record("do", 1, { file: "a", before: 1, revision: 2, inverse: [] });
  history.record("do", 1, { file: "b", before: 1, revision: 3, inverse: [] });
  history.record("do", 2, { file: "c", before: 1, revision: 4, inverse: [] });
  assert.deepEqual(history.done.map(({ parts }) => parts.map(({ file }) => file)), [["b", "a"], ["c"]]);
});

test("paradigms that an edit empties are named until it is undone", async () => {
  let revision = 7;
  const uses = [{ file: "paradigms/p/x.yaml", uid: "x", slots: ["who"] }];
  serve({ [POST]: ({ body }) => answer({ revision: ++revision, emptied: JSON.stringify(body["ops"]).includes('"Z"') ? uses : [] }) });
  const { outbox, set } = start();
  set(0, "Z");
  await outbox.idle();
  assert.deepEqual([outbox.emptied?.uses, outbox.canRefill], [uses, true]);
  set(1, "Y");
  await outbox.idle();
  assert.deepEqual([outbox.emptied?.uses, outbox.canRefill], [uses, false]); // undo would take back another edit
  outbox.undo();
  await outbox.idle();
  outbox.undo();
  await outbox.idle();
  assert.equal(outbox.emptied, null);
});
