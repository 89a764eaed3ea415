// This browser tab, the other tabs of the same browser, and what they keep in the browser's own storage.
//
// All tabs share one session and one storage. Everything stored carries the account that wrote it: another account in the
// same browser neither sees nor saves it.
import { account } from "./page";

const TAB = "bidui:tab";
const LOCK = "bidui:tab:";
const ACCOUNT = "bidui:account";

/**
 * The name of this tab. It survives a reload, but a duplicated tab gets its own: while the page is open, the name is not
 * in the session storage that the copy inherits. It changes when another account signs in; a page on which nobody is
 * signed in passes on the name it found.
 */
export const tab: string = takeTab();

function takeTab(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9));
  let name = btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, "x");
  try {
    const [previous = "", owner = ""] = (sessionStorage.getItem(TAB) ?? "").split(/ (.*)/);
    const mine = previous !== "" && (!account || !owner || owner === account);
    if (mine) name = previous;
    const kept = `${name} ${account || (mine ? owner : "")}`;
    sessionStorage.removeItem(TAB);
    addEventListener("pagehide", () => sessionStorage.setItem(TAB, kept));
    addEventListener("pageshow", () => sessionStorage.removeItem(TAB));
  } catch {
    // without session storage, every load gets a new name
  }
  return name;
}

// Open tabs ---------------------------------------------------------------------------------------------------------

const locks = (navigator as Partial<Navigator>).locks; // browsers offer them only on secure connections

/** Mark this tab as open: it holds a lock with its name, which the browser releases, also after a crash. */
export function holdTab(): void {
  void locks?.request(LOCK + tab, () => new Promise(() => undefined)).catch(() => undefined);
}

/** The tabs that are open, including this one; null where the browser cannot tell. */
export async function openTabs(): Promise<Set<string> | null> {
  const state = await locks?.query().catch(() => undefined);
  if (!state) return null;
  const names = [...(state.held ?? []), ...(state.pending ?? [])].map(({ name }) => name ?? "");
  return new Set([tab, ...names.filter((name) => name.startsWith(LOCK)).map((name) => name.slice(LOCK.length))]);
}

/** Run while no other tab runs the same task, where the browser supports locks. */
export const alone = <Result>(task: string, run: () => Promise<Result>): Promise<Result> =>
  locks ? locks.request(`bidui:${task}`, run) : run();

// Accounts ----------------------------------------------------------------------------------------------------------

try {
  if (account) localStorage.setItem(ACCOUNT, account);
} catch {
  // without local storage, only the server knows who is signed in
}

/** The account that signed in after this page was opened for a different one; blank where that did not happen. */
export function otherAccount(): string {
  try {
    const latest = localStorage.getItem(ACCOUNT) ?? "";
    return account && latest !== account ? latest : "";
  } catch {
    return "";
  }
}

// Storage -----------------------------------------------------------------------------------------------------------

/** Whether this account may bring back a stored value; a value without an account belongs to everybody. */
export const isMine = (value: { account?: string }): boolean => !value.account || value.account === account;

/** Store a value with the account it belongs to, or remove it (null); return false where the browser refuses. */
export function store(name: string, value: object | null): boolean {
  try {
    if (value === null) localStorage.removeItem(name);
    else localStorage.setItem(name, JSON.stringify({ account, ...value }));
    return true;
  } catch {
    return false;
  }
}

/** The value stored under a name; null where there is none. */
export function stored<Value>(name: string): (Value & { account?: string }) | null {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "null") as (Value & { account?: string }) | null;
  } catch {
    return null;
  }
}

/** The names with a prefix under which something is stored. */
export function storedNames(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}
