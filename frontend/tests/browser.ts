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

const WORDS = { "test.greeting": "{name} has {n} words", "test.plain": "plain" };
const elements: Record<string, { textContent: string }> = {
  page: { textContent: JSON.stringify({ project: "demo", file: "paradigms/BA/a.yaml", may_edit: true, name: "ana" }) },
  words: { textContent: JSON.stringify(WORDS) },
};

type Timer = (run: () => void, wait?: number) => unknown;
const real = { setTimeout: globalThis.setTimeout as Timer, setInterval: globalThis.setInterval as Timer };
/** Timers of the sources must not keep the tests from ending. */
const unreferenced = (timer: Timer) => (run: () => void, wait?: number) => {
  const handle = timer(run, wait) as { unref(): void };
  handle.unref();
  return handle;
};

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
  setTimeout: unreferenced(real.setTimeout),
  setInterval: unreferenced(real.setInterval),
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

/** Replace the server: answers by "METHOD /path", where a path matches by its start; return the calls it gets. */
export function serve(answers: Record<string, Answer>): Call[] {
  const calls: Call[] = [];
  const fetch = async (address: string, options: { method: string; body?: string; signal?: AbortSignal }): Promise<object> => {
    const call = { method: options.method, path: address.replace(/^\/api/, ""), body: JSON.parse(options.body ?? "{}") as Record<string, unknown> };
    calls.push(call);
    const name = Object.keys(answers).find((key) => `${call.method} ${call.path}`.startsWith(key));
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

/** Wait, so that timers and promises of the sources get their turn. */
export const wait = (milliseconds = 0): Promise<void> => new Promise((resolve) => void real.setTimeout(resolve, milliseconds));
