// A participant's calls, and her answers that are not known to be stored: kept in the browser until the server says so.
import type { Joined, Receipt, Seat } from "../wire";

export type { Joined, Receipt, Seat };

/** An answer as it waits here; `at` is when it was given, by this device's clock. */
export interface Answer {
  position: number;
  answer: number;
  rt_ms: number;
  layout: "rows" | "columns";
  language: "en" | "zh";
  at: number;
}

/** The server said no, in words; without a kind there was no answer at all. */
export class Refusal extends Error {
  constructor(
    readonly kind: string,
    text: string,
    readonly status: number,
  ) {
    super(text);
  }

  /** Whether the same call may succeed later. */
  get passes(): boolean {
    return this.status === 0 || this.status >= 500 || this.status === 429 || this.kind === "study-paused";
  }
}

const PATIENCE = 20_000; // milliseconds for an answer of the server
const BATCH = 100;
const FIRST_PAUSE = 1_000;
const LONGEST_PAUSE = 30_000;

/** Call the API as a participant; the token goes into a header, so that no address holds it. */
export async function call<T>(method: string, path: string, token: string, body?: unknown): Promise<T> {
  const headers: Record<string, string> = {};
  if (token) headers["Authorization"] = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const options: RequestInit = { method, headers, credentials: "same-origin" };
  if (body !== undefined) options.body = JSON.stringify(body);
  let response: Response;
  let answer: unknown = null;
  try {
    const late = new Promise<never>((_, reject) => setTimeout(() => reject(new Error("late")), PATIENCE));
    response = await Promise.race([fetch(path, options), late]);
    if (response.status !== 204) answer = await response.json();
  } catch {
    throw new Refusal("", "", 0);
  }
  if (response.ok) return answer as T;
  const problem = (answer as { problems?: { kind: string; text: string }[] } | null)?.problems?.[0];
  throw new Refusal(problem?.kind ?? "", problem?.text ?? "", response.status);
}

/** Read what the browser keeps; it may keep nothing, as in a private window. */
export function recall<T>(key: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(key);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

/** Let the browser keep a value; `null` removes it. */
export function keep(key: string, value: unknown): void {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
  } catch {
    // then it is only in memory
  }
}

/** The answers of one participant on their way to the server: sent at once, and again until they are stored. */
export class Outbox {
  waiting: Answer[];
  code = "";
  refusal: Refusal | null = null; // the server wants no more
  paused = false; // the study is, so that answers wait
  private readonly key: string;
  private readonly stored = new Set<number>(); // positions that the server has
  private sending = false;
  private pause = FIRST_PAUSE;
  private timer = 0;

  constructor(
    private readonly token: string,
    private readonly language: string,
    private readonly changed: () => void,
  ) {
    this.key = `bidui-answers-${token}`;
    this.waiting = recall<Answer[]>(this.key, []);
  }

  add(answer: Answer): void {
    this.waiting.push(answer);
    this.store();
    void this.send();
  }

  /** Send what waits; a network that is gone, a server that is down and a study that is paused mean: later. */
  async send(): Promise<void> {
    clearTimeout(this.timer);
    if (this.sending || !this.waiting.length || this.refusal) return;
    this.sending = true;
    this.changed();
    try {
      while (this.waiting.length) await this.sendSome();
      this.pause = FIRST_PAUSE;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.paused = error.kind === "study-paused";
      if (error.passes) {
        this.timer = setTimeout(() => void this.send(), this.pause) as unknown as number;
        this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
      } else {
        this.refusal = error;
      }
    } finally {
      this.sending = false;
      this.changed();
    }
  }

  get busy(): boolean {
    return this.sending;
  }

  /** Forget everything, on this device too. */
  clear(): void {
    clearTimeout(this.timer);
    this.waiting = [];
    keep(this.key, null);
  }

  /** Let the browser keep what waits, beside what another page of hers has put there. */
  private store(): void {
    const mine = this.waiting.map(({ position }) => position);
    const others = recall<Answer[]>(this.key, []).filter(({ position }) => !mine.includes(position) && !this.stored.has(position));
    const all = [...others, ...this.waiting];
    keep(this.key, all.length ? all : null);
  }

  private async sendSome(): Promise<void> {
    const batch = this.waiting.slice(0, BATCH);
    const answers = batch.map(({ at, ...answer }) => ({ ...answer, ago_ms: Math.max(0, Date.now() - at) }));
    const receipt = await call<Receipt>("POST", `/api/s/answers?lang=${this.language}`, this.token, { answers });
    this.paused = false;
    this.waiting = this.waiting.filter((answer) => !batch.includes(answer));
    for (const { position } of batch) this.stored.add(position);
    this.store();
    if (receipt.code) this.code = receipt.code;
  }
}
