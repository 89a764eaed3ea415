// Who is signed in at this browser. All its tabs share one session: a page that was opened for one account must not
// write as another, who signed in in another tab since.
import { account } from "./page";

const KEY = "bidui:account";

try {
  if (account) localStorage.setItem(KEY, account);
} catch {
  // a browser without a store: the server alone knows
}

/** The account that signed in after this page was opened for another; none where that did not happen. */
export function otherAccount(): string {
  try {
    const latest = localStorage.getItem(KEY) ?? "";
    return account && latest !== account ? latest : "";
  } catch {
    return "";
  }
}
