// A file edited as rows: typing changes the text at once, everything else is an edit by the server.
import { EditorState, type Transaction, type TransactionSpec } from "@codemirror/state";
import type { EditorView, ViewUpdate } from "@codemirror/view";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ParadigmModel } from "../src/paradigm/model";
import { find, slotsOf } from "../src/paradigm/rows";
import { FileDocument } from "../src/saving";
import type { ParadigmRows, SlotRow } from "../src/wire";
import { type Call, Failure, newProject, serve, wait } from "./browser";

const TEXT = "uid: a\nslots:\n  name: pos:NR\n";

/** What the server makes of a text whose slots stand on lines of their own. */
function rowsOf(text: string): ParadigmRows {
  const slots = [...text.matchAll(/^  (\w+):( ?)(.*)$/gm)].map((match): SlotRow => {
    const name = match.index + 2;
    const rule = name + match[1]!.length + 1 + match[2]!.length;
    return { name: match[1]!, rule: match[3]!, path: [], name_span: { start: name, end: name + match[1]!.length }, rule_span: { start: rule, end: rule + match[3]!.length } };
  });
  return { fields: [], slots: [], wordings: [{ name: "", path: [], slots, good: null, bad: null, rows: [], options: {}, groups: {} }], seams: [] };
}

/** The server's side of two edits. */
function editOf({ body }: Call): unknown {
  const text = String(body["text"]);
  const added = body["do"] === "add_slot" ? `  ${body["slot"]}: ${body["rule"]}\n` : `source: ${body["value"]}\n`;
  const now = text + added;
  return { text: now, changes: [{ start: text.length, end: text.length, text: added }], rows: rowsOf(now) };
}

async function open(answers: Record<string, (call: Call) => unknown> = {}): Promise<{ model: ParadigmModel; calls: Call[] }> {
  for (const name of Object.keys(localStorage)) localStorage.removeItem(name);
  const project = newProject();
  const defaults = {
    "POST preview": ({ body }: Call) => ({ pairs: [], diagnostics: [], rows: rowsOf(String(body["text"])), words: [], problems: [] }),
    "POST edit": editOf,
    "POST presence": () => ({ others: [], revision: 1 }),
  };
  const calls = serve({ ...defaults, ...answers }, project);
  const answer = { file: "a.yaml", kind: "paradigm" as const, text: TEXT, revision: 1, time: "", author: "", drafts: [], others: [], may_edit: true };
  const model = new ParadigmModel(new FileDocument(project, "a.yaml", answer));
  let state = EditorState.create({ doc: TEXT });
  const view = {
    get state() {
      return state;
    },
    dispatch(spec: Transaction | TransactionSpec) {
      const transaction = "newDoc" in spec ? (spec as Transaction) : state.update(spec as TransactionSpec);
      state = transaction.state;
      model.updated({ docChanged: transaction.docChanged, changes: transaction.changes } as ViewUpdate);
    },
  };
  model.view = view as unknown as EditorView;
  await model.live.ask();
  return { model, calls };
}
const ruleOf = (slot: string) => ({ of: "rule", slot, variant: null }) as const;
const edits = (calls: Call[]): unknown[] => calls.filter(({ path }) => path.endsWith("/edit")).map(({ body }) => [body["do"], body["slot"] ?? body["name"]]);

test("a typed rule goes into the text without the server", async () => {
  const { model, calls } = await open();
  model.write(ruleOf("name"), "pos:NN");
  assert.equal(model.text, "uid: a\nslots:\n  name: pos:NN\n");
  assert.equal(find(model.rows!, ruleOf("name")).value, "pos:NN");
  assert.equal(model.file.text, model.text);
  assert.deepEqual(edits(calls), []);
});

test("key after key, the place of the value follows", async () => {
  const { model } = await open();
  for (const rule of ["p", "", "pos:N", "pos:NN gender:male", "a: b"]) model.write(ruleOf("name"), rule);
  assert.equal(model.text, "uid: a\nslots:\n  name: 'a: b'\n");
});

test("blanks at the end are no change", async () => {
  const { model } = await open();
  model.write(ruleOf("name"), "pos:NR ");
  assert.equal(model.text, TEXT);
});

test("a value without a place is written by the server, as it is typed by then", async () => {
  const { model, calls } = await open();
  model.write({ of: "field", name: "source" }, "L");
  model.write({ of: "field", name: "source" }, "Li");
  assert.equal(find(model.rows!, { of: "field", name: "source" }).value, "Li");
  assert.equal(model.file.state, "unsaved");
  await model.edits.idle();
  assert.deepEqual(edits(calls), [["set_field", "source"]]);
  assert.equal(model.text, `${TEXT}source: Li\n`);
});

test("a new slot is shown at once, and what is typed in it goes in when it is there", async () => {
  const { model, calls } = await open();
  const added = model.addSlot(null, "verb");
  assert.deepEqual(slotsOf(model.rows!, null).map(({ name }) => name), ["name", "verb"]);
  model.write(ruleOf("verb"), "pos:VV");
  assert.equal(model.text, TEXT);
  assert.equal(await added, true);
  await model.edits.idle();
  assert.equal(model.text, `${TEXT}  verb: pos:VV\n`);
  assert.deepEqual(edits(calls), [["add_slot", "verb"]]);
});

test("a slot that is there already is not added", async () => {
  const { model, calls } = await open();
  assert.equal(await model.addSlot(null, "name"), false);
  assert.deepEqual(edits(calls), []);
});

test("an edit during which something was typed is asked for again", async () => {
  let first = true;
  const { model, calls } = await open({
    "POST edit": (call) => {
      if (first) model.write(ruleOf("name"), "pos:NN");
      first = false;
      return editOf(call);
    },
  });
  await model.addSlot(null, "verb");
  assert.equal(edits(calls).length, 2);
  assert.equal(model.text, "uid: a\nslots:\n  name: pos:NN\n  verb: \n");
});

test("edits wait for each other", async () => {
  const { model, calls } = await open();
  await Promise.all([model.addSlot(null, "verb"), model.addSlot(null, "noun")]);
  assert.deepEqual(calls.filter(({ path }) => path.endsWith("/edit")).map(({ body }) => body["text"]), [TEXT, `${TEXT}  verb: \n`]);
});

test("a refused edit is taken back; a field that gives a name shows why", async () => {
  const refusal = new Failure(400, { problems: [{ kind: "x", severity: "error", text: "bad name", place: null, values: {} }] });
  const { model } = await open({ "POST edit": () => refusal });
  assert.equal(await model.addSlot(null, "1 x"), false);
  assert.deepEqual(slotsOf(model.rows!, null).map(({ name }) => name), ["name"]);
  assert.deepEqual([model.edits.refused[0]!.text, model.refused], ["bad name", []]);
  assert.equal(await model.do({ do: "move_slot", slot: "name", to: 3 }), false);
  assert.equal(model.refused[0]!.text, "bad name");
  assert.equal(model.file.state, "saved");
});

test("an edit waits for a server that is away, and the file owes it until then", async () => {
  let away = true;
  const { model } = await open({ "POST edit": (call) => (away ? new Failure(503) : editOf(call)) });
  const added = model.addSlot(null, "verb");
  await wait(20);
  assert.equal(model.file.state, "offline");
  away = false;
  await wait(400);
  assert.equal(await added, true);
  assert.equal(model.text, `${TEXT}  verb: \n`);
});

test("half-typed names are owed until they are committed or cancelled", async () => {
  const { model } = await open();
  const field = {};
  model.edits.typed(field, { do: "rename_slot", slot: "name", name: "n" });
  assert.equal(model.file.state, "unsaved");
  model.edits.typed(field, null);
  assert.equal(model.file.state, "saved");
});

test("rows that the server sends do not undo what waits for its turn", async () => {
  let release = (): void => undefined;
  const { model } = await open({ "POST edit": (call) => new Promise((resolve) => (release = () => resolve(editOf(call)))) });
  const added = model.addSlot(null, "verb");
  await model.live.ask();
  assert.deepEqual(slotsOf(model.rows!, null).map(({ name }) => name), ["name", "verb"]);
  release();
  assert.equal(await added, true);
});

test("a text that is not YAML has no rows, and the last ones stay", async () => {
  const { model } = await open();
  serve({ "POST preview": () => ({ pairs: [], diagnostics: [], rows: null, words: [], problems: [{ text: "not YAML" }] }) }, model.file.project);
  await model.live.ask();
  assert.equal(model.unreadable[0]!.text, "not YAML");
  assert.equal(slotsOf(model.rows!, null).length, 1);
});
