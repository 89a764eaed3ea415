// The pages of results and of a study's results: while something runs in the background, how far it is.
import { call } from "../api";
import { sayNext } from "../notices";
import { t } from "../page";
import type { Run, RunList } from "../wire";

const PAUSE = 1_500; // milliseconds
const LONGEST = 30_000; // between questions to a server that does not answer
const isOpen = (state: string | undefined): boolean => state === "waiting" || state === "running";

/** What a run is at, in words. */
function far(run: Run): string {
  if (run.state === "waiting") return run.ahead ? t("js.runs.ahead", { n: run.ahead }) : t("js.runs.next");
  if (!run.total) return t(run.kind === "report" ? "js.runs.reading" : "js.runs.preparing");
  return run.kind === "score" ? t("js.runs.far", { done: run.done, total: run.total }) : run.step;
}

function show(item: HTMLElement, run: Run): void {
  const bar = item.querySelector("progress");
  if (bar && run.total) {
    bar.max = run.total;
    bar.value = run.done;
  }
  const text = item.querySelector("[data-far]");
  if (text) text.textContent = far(run);
}

/** Show how far the runs of the page are; return false when one has ended, which changes more than its bar. */
async function update(items: HTMLElement[], address: string): Promise<boolean> {
  const { runs } = await call<RunList>("GET", address);
  const known = new Map(runs.map((run) => [String(run.id), run]));
  let same = true;
  for (const item of items) {
    const run = known.get(item.dataset["run"]!);
    if (run && run.state === item.dataset["state"]) show(item, run);
    else if (run?.state === "running") {
      item.dataset["state"] = run.state;
      const badge = item.querySelector(".badge");
      if (badge) badge.textContent = t("js.runs.state_running");
      show(item, run);
    } else {
      if (run?.state === "done") sayNext(t("js.runs.finished"));
      same = false;
    }
  }
  return same;
}

function poll(items: HTMLElement[], address: string, pause: number): void {
  setTimeout(async () => {
    let next = PAUSE;
    try {
      if (document.visibilityState === "visible" && !(await update(items, address))) return location.reload();
    } catch {
      next = Math.min(LONGEST, 2 * pause);
    }
    poll(items, address, next);
  }, pause);
}

const box = document.getElementById("runs");
const items = [...(box?.querySelectorAll<HTMLElement>("[data-run]") ?? [])].filter((each) => isOpen(each.dataset["state"]));
if (box && items.length) poll(items, box.dataset["runs"]!.slice("/api".length), PAUSE);
