// A participant's answers: kept until they are acknowledged, sent again, and never lost; and what keys stand for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { keyAnswer } from "../src/answer/screens";
import { type Answer, Outbox } from "../src/answer/sending";
import { AWAY, Failure, serve, wait } from "./browser";

const POST = "POST /s/answers";
const answer = (position: number): Answer => ({ position, answer: 1, rt_ms: 900, layout: "rows", language: "zh", at: Date.now() });
const refusal = (status: number, kind: string): Failure => new Failure(status, { problems: [{ kind, text: "no" }] });
const sent = (calls: ReturnType<typeof serve>): number[][] => calls.map(({ body }) => (body["answers"] as Answer[]).map(({ position }) => position));
let people = 0;
const open = (token = `token${++people}`): Outbox => new Outbox(token, "zh", () => undefined);
const kept = (): string | null => localStorage.getItem(`bidui-answers-token${people}`);

test("an answer is sent at once and leaves the browser when it is acknowledged", async () => {
  const calls = serve({ [POST]: () => ({ answered: 1, code: "CODE" }) });
  const outbox = open();
  outbox.add(answer(1));
  assert.notEqual(kept(), null);
  await wait();
  assert.deepEqual(sent(calls), [[1]]);
  assert.deepEqual([outbox.waiting, outbox.code, kept()], [[], "CODE", null]);
});

test("answers given offline are kept, sent together later, and found again by the next page", async () => {
  let away = true;
  const calls = serve({ [POST]: () => (away ? AWAY : { answered: 3, code: "" }) });
  const outbox = open();
  for (const position of [1, 2, 3]) {
    outbox.add(answer(position));
    await wait();
  }
  assert.deepEqual(outbox.waiting.map(({ position }) => position), [1, 2, 3]);
  const next = open(`token${people}`); // the page was closed
  assert.deepEqual(next.waiting.map(({ position }) => position), [1, 2, 3]);
  away = false;
  await wait(60_000);
  assert.deepEqual(sent(calls).pop(), [1, 2, 3]);
  assert.equal(outbox.waiting.length, 0);
});

test("two pages of one person keep each other's answers", async () => {
  serve({ [POST]: () => AWAY });
  const one = open();
  const other = open(`token${people}`);
  one.add(answer(1));
  other.add(answer(2));
  await wait();
  assert.deepEqual(open(`token${people}`).waiting.map(({ position }) => position), [1, 2]);
  serve({ [POST]: () => ({ answered: 1, code: "" }) });
  await other.send();
  assert.deepEqual(open(`token${people}`).waiting.map(({ position }) => position), [1]);
  one.clear();
  other.clear();
});

test("a server that is down, busy or has paused the study is asked again; one that has closed it is not", async () => {
  const answers = [refusal(503, "database-busy"), refusal(429, "too-many-tries"), refusal(409, "study-paused"), { answered: 1, code: "" }];
  const calls = serve({ [POST]: () => answers.shift() });
  const patient = open();
  patient.add(answer(1));
  await wait(60_000);
  assert.deepEqual([calls.length, patient.waiting.length, patient.refusal], [4, 0, null]);
  const refused = serve({ [POST]: () => refusal(410, "study-closed") });
  const late = open();
  late.add(answer(1));
  await wait(60_000);
  late.add(answer(2));
  await wait(60_000);
  assert.deepEqual([refused.length, late.waiting.length, late.refusal?.kind], [1, 2, "study-closed"]); // nothing is thrown away
});

test("many answers go in portions, and one that comes meanwhile is sent, too", async () => {
  const outbox = open();
  const calls = serve({ [POST]: () => (calls.length === 1 && outbox.add(answer(251)), { answered: 1, code: "" }) });
  outbox.waiting = Array.from({ length: 250 }, (_, index) => answer(index + 1));
  await outbox.send();
  assert.deepEqual(sent(calls).map((part) => part.length), [100, 100, 51]);
  assert.equal(outbox.waiting.length, 0);
});

test("keys stand for answers only where there are such answers", () => {
  assert.deepEqual(["1", "f", "ArrowLeft", "2", "J", "ArrowRight", "3", "ArrowDown", " "].map((key) => keyAnswer(key, "choice")), [1, 1, 1, 2, 2, 2, 0, 0, 0]);
  assert.deepEqual(["1", "7", "8", "0", "f"].map((key) => keyAnswer(key, "rating")), [1, 7, 0, 0, 0]);
});
