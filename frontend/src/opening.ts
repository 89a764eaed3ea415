// Opening what a page is about: shown as soon as the server gives it, and asked for again while the server is away.
import { render, type VNode } from "preact";
import { mayPass } from "./api";
import { element, failure } from "./notices";
import { t } from "./words";

const RETRY = 1_500; // milliseconds

/** Puts the work into the page's place for it; what is in the way is said there. */
export async function openInto(root: HTMLElement, open: () => Promise<VNode>): Promise<void> {
  try {
    const work = await open();
    root.replaceChildren();
    render(work, root);
  } catch (error) {
    const away = mayPass(error);
    const said = away ? element("span", {}, t("js.shell.away")) : failure(error);
    if (root.textContent !== said.textContent) root.replaceChildren(element("div", { class: "notice bad", role: "alert" }, said)); // once
    if (away) setTimeout(() => void openInto(root, open), RETRY);
  }
}
