// What the page tells its reader: problems of an answer, and short messages that outlive a change of page.
import { Refused, Unreachable } from "./api";
import type { Problem } from "./shapes";
import { t } from "./words";

const KEPT = "bidui:said";

/** An element with text and children; nothing is ever read as HTML. */
export function element(
  name: string,
  attributes: Record<string, string> = {},
  ...children: (Node | string)[]
): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Tells screen readers, without a change on the screen. */
export function say(text: string): void {
  const box = document.getElementById("said");
  if (box) box.textContent = text;
}

/** Keeps a message for the page that comes next. */
export function sayNext(text: string): void {
  try {
    sessionStorage.setItem(KEPT, text);
  } catch {
    // a browser without a store: the new page speaks for itself
  }
}

/** Shows the message that the page before left. */
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

/** Problems as a list: the place, then what is wrong. */
export function problemList(problems: readonly Problem[]): HTMLElement {
  const items = problems.map((problem) => {
    const { file, line } = problem.place ?? { file: "", line: 0 };
    const place = file ? [element("span", { class: "place" }, line ? `${file}:${line}` : file), " "] : [];
    return element("li", {}, ...place, problem.text);
  });
  return element("ul", {}, ...items);
}

/** Why a call failed, to be shown. */
export function failure(error: unknown): Node {
  if (error instanceof Refused && error.problems.length) return problemList(error.problems);
  if (error instanceof Refused) return document.createTextNode(t("js.shell.refused", { status: error.status }));
  if (error instanceof Unreachable) return document.createTextNode(t("js.shell.unreachable"));
  throw error;
}
