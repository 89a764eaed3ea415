// A stand-in for the browser: storage, events that never come, and a server that answers from a table.

class MemoryStorage {
  [name: string]: unknown;
  getItem(name: string): string | null {
    return Object.hasOwn(this, name) ? (this[name] as string) : null;
  }
  setItem(name: string, value: string): void {
    this[name] = String(value);
  }
  removeItem(name: string): void {
    delete this[name];
  }
}

const WORDS = { "test.greeting": "{name} has {n} words", "test.count": "{n} {n:word|words}", "test.plain": "plain" };
const elements: Record<string, { textContent: string }> = {
  page: { textContent: JSON.stringify({ project: "demo", file: "paradigms/BA/a.yaml", may_edit: true, name: "ana" }) },
  words: { textContent: JSON.stringify(WORDS) },
};

// Timers run by a clock of their own, which `wait` advances: no test depends on how busy the machine is.

interface Timer {
  id: number;
  at: number;
  every: number | null;
  run: () => void;
}

const nextTurn = globalThis.setTimeout as (run: () => void) => unknown;
let clock = 0;
let timers: Timer[] = [];
let ids = 0;

function setTimer(run: () => void, milliseconds: number, every: number | null): number {
  timers.push({ id: ++ids, at: clock + milliseconds, every, run });
  return ids;
}

const clearTimer = (id: number): void => void (timers = timers.filter((timer) => timer.id !== id));

/** Let promises run, then advance the clock, and run each timer when it is due. */
export async function wait(milliseconds = 0): Promise<void> {
  const end = clock + milliseconds;
  const settle = (): Promise<void> => new Promise((resolve) => void nextTurn(resolve));
  await settle();
  for (;;) {
    const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at || a.id - b.id)[0];
    if (!next) break;
    clock = next.at;
    clearTimer(next.id);
    if (next.every !== null) timers.push({ ...next, at: clock + next.every });
    next.run();
    await settle();
  }
  clock = end;
}

Object.assign(globalThis, {
  window: globalThis,
  document: {
    activeElement: null,
    documentElement: { style: {} },
    body: null,
    visibilityState: "visible",
    getElementById: (id: string) => elements[id] ?? null,
    querySelector: () => null,
    addEventListener: () => undefined,
  },
  localStorage: new MemoryStorage(),
  sessionStorage: new MemoryStorage(),
  addEventListener: () => undefined,
  CSS: { supports: () => false },
  setTimeout: (run: () => void, milliseconds = 0) => setTimer(run, milliseconds, null),
  setInterval: (run: () => void, milliseconds = 0) => setTimer(run, milliseconds, milliseconds),
  clearTimeout: clearTimer,
});
if (!("navigator" in globalThis)) Object.assign(globalThis, { navigator: {} });

/** A request that reached the stand-in server. */
export interface Call {
  method: string;
  path: string;
  body: Record<string, unknown>;
}

type Answer = (call: Call) => unknown;

/** Answer with an error: a status, and the body of the answer. */
export class Failure {
  constructor(
    readonly status: number,
    readonly body: object = { problems: [] },
  ) {}
}

/** The server does not answer. */
export const AWAY = Symbol("away");

let tests = 0;

/** A project of its own for each test, so that what an earlier one left behind does not reach the server of a later one. */
export const newProject = (): string => `demo${++tests}`;

/** Replace the server: answers by "METHOD call", where a call in a project matches by its start; return those it gets. */
export function serve(answers: Record<string, Answer>, project = "demo"): Call[] {
  const calls: Call[] = [];
  const root = `/projects/${project}/`;
  const fetch = async (address: string, options: { method: string; body?: string; signal?: AbortSignal }): Promise<object> => {
    const call = { method: options.method, path: address.replace(/^\/api/, ""), body: JSON.parse(options.body ?? "{}") as Record<string, unknown> };
    if (call.path.startsWith("/projects/") && !call.path.startsWith(root)) throw new TypeError("another test's");
    calls.push(call);
    const name = Object.keys(answers).find((key) => `${call.method} ${call.path.replace(root, "")}`.startsWith(key));
    if (!name) throw new Error(`no answer to ${call.method} ${call.path}`);
    const answer = await answers[name]!(call);
    if (options.signal?.aborted) throw new DOMException("aborted", "AbortError");
    if (answer === AWAY) throw new TypeError("away");
    const failed = answer instanceof Failure;
    return { ok: !failed, status: failed ? answer.status : 200, json: async () => structuredClone(failed ? answer.body : answer) };
  };
  Object.assign(globalThis, { fetch });
  return calls;
}
