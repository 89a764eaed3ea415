// Notices for the reader: problems, announcements for screen readers, and messages for the next page.
import { Refused, Unreachable } from "./api";
import { t } from "./page";
import type { Problem } from "./wire";

const KEPT = "bidui:said";
const LISTED = 5; // problems of a long list that are shown; the others are folded

/** Create an element with attributes and children; text is never parsed as HTML. */
export function element(
  name: string,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElement {
  const created = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, value);
  created.append(...children);
  return created;
}

/** Announce a text to screen readers without showing it. */
export function say(text: string): void {
  const box = document.getElementById("said");
  if (box) box.textContent = text;
}

/** Keep a message for the next page. */
export function sayNext(text: string): void {
  try {
    sessionStorage.setItem(KEPT, text);
  } catch {
    // without session storage the next page shows no message
  }
}

/** Show the message that the previous page left. */
export function showKept(): void {
  let text: string | null = null;
  try {
    text = sessionStorage.getItem(KEPT);
    sessionStorage.removeItem(KEPT);
  } catch {
    return;
  }
  if (!text) return;
  document.getElementById("main")?.prepend(element("p", { class: "notice good" }, text));
  say(text);
}

/** Save an answer as a file of the reader, under the name that the server gives it; return that name. */
export async function saveAs(response: Response): Promise<string> {
  const disposition = response.headers.get("Content-Disposition") ?? "";
  const name = decodeURIComponent(/filename\*=UTF-8''([^;]+)/.exec(disposition)?.[1] ?? "pairs");
  const address = URL.createObjectURL(await response.blob());
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return name;
}

/** The names that a header of an answer lists. */
export const listed = (response: Response, header: string): string[] =>
  (response.headers.get(header) ?? "").split(", ").filter(Boolean).map(decodeURIComponent);

/** A list of problems, each with its place. */
export function problemList(problems: readonly Problem[]): HTMLElement {
  const items = problems.map((problem) => {
    const { file, line } = problem.place ?? { file: "", line: 0 };
    const place = file ? [element("span", { class: "place" }, line ? `${file}:${line}` : file), " "] : [];
    return element("li", {}, ...place, problem.text);
  });
  if (items.length <= 2 * LISTED) return element("ul", {}, ...items);
  const rest = element("details", {}, element("summary", {}, t("js.shell.more", { n: items.length - LISTED })));
  rest.append(element("ul", {}, ...items.slice(LISTED)));
  return element("div", {}, element("ul", {}, ...items.slice(0, LISTED)), rest);
}

/** The reason why a call failed, to be shown; any other error is thrown again. */
export function failure(error: unknown): Node {
  if (error instanceof Refused && error.problems.length) return problemList(error.problems);
  if (error instanceof Refused) return document.createTextNode(t("js.shell.refused", { status: error.status }));
  if (error instanceof Unreachable) return document.createTextNode(t("js.shell.unreachable"));
  throw error;
}
