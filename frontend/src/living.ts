// Which tabs live. Each holds a lock with its name for as long as its page does; the browser itself gives it back, also
// where the tab crashed.
import { tab } from "./tabs";

const PREFIX = "bidui:tab:";

const locks = (navigator as Partial<Navigator>).locks; // browsers have them only where the connection is safe
void locks?.request(PREFIX + tab, () => new Promise(() => undefined)).catch(() => undefined);

/** The tabs that live, this one among them; none where the browser cannot say. */
export async function livingTabs(): Promise<Set<string> | null> {
  const found = await locks?.query().catch(() => undefined);
  if (!found) return null;
  const names = [...(found.held ?? []), ...(found.pending ?? [])].map(({ name }) => name ?? "");
  return new Set([tab, ...names.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length))]);
}

/** Runs while no other tab runs the same, where the browser can see to that. */
export const alone = <Result>(what: string, run: () => Promise<Result>): Promise<Result> =>
  locks ? locks.request(`bidui:${what}`, run) : run();
