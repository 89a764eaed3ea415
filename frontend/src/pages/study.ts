// The page of one study: while it is open, what it shows is asked for again every few seconds.
import { say } from "../notices";
import { localTimes } from "../page";

const LONGEST = 60_000; // milliseconds between questions to a server that does not answer

/** Ask for the page again and put the live part of it in place, unless somebody is reading or selecting in it. */
async function refresh(live: HTMLElement): Promise<void> {
  const response = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(String(response.status));
  const fresh = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("live");
  if (!fresh) return location.reload(); // somebody has changed the state of the study
  const before = live.querySelector("dd")?.textContent;
  const scrolled = [...live.querySelectorAll(".scroll")].map((box) => box.scrollLeft);
  const focus = [...live.querySelectorAll(".scroll")].findIndex((box) => box === document.activeElement);
  live.replaceChildren(...fresh.childNodes);
  live.dataset["live"] = fresh.dataset["live"] ?? "";
  localTimes(live);
  live.querySelectorAll<HTMLElement>(".scroll").forEach((box, at) => {
    box.scrollLeft = scrolled[at] ?? 0;
    if (at === focus) box.focus({ preventScroll: true });
  });
  const after = live.querySelector("dd")?.textContent;
  if (after && after !== before) say(`${live.querySelector("dt")?.textContent}: ${after}`);
}

function poll(live: HTMLElement, pause: number): void {
  setTimeout(async () => {
    let next = Number(live.dataset["live"]) * 1000;
    if (document.visibilityState === "visible" && getSelection()?.isCollapsed !== false) {
      await refresh(live).catch(() => (next = Math.min(LONGEST, 2 * pause)));
    }
    if (live.dataset["live"]) poll(live, next);
  }, pause);
}

const live = document.getElementById("live");
if (live?.dataset["live"]) poll(live, Number(live.dataset["live"]) * 1000);
