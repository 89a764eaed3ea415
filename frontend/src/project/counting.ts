// The counts of a project's paradigms, asked for some at a time, and the problems that counting brings to light.
import { call, within } from "../api";
import { element, failure, say } from "../notices";
import { page } from "../page";
import type { Diagnostic } from "../shapes";
import { t } from "../words";
import type { Line } from "./line";

interface Count {
  value: number | null;
  exact: boolean;
  reasons: Diagnostic[];
  errors: number;
}

interface Counts {
  counts: Record<string, Count>; // by file
  left: number;
}

const PAUSE = 1_000; // milliseconds, where another page has taken our question over
const PATIENCE = 10; // answers without a new count
const SOME = 20; // counts asked for at once; the server answers with fewer when they take long

/** Asks for the counts that are not known yet, some at a time, until there are none. */
export async function countAll(lines: Line[]): Promise<void> {
  const status = document.querySelector("#counting")!;
  const uncounted = lines.filter((line) => !("count" in line.row.dataset));
  const open = new Map(uncounted.map((line) => [line.row.dataset["file"]!, line]));
  if (!open.size) return;
  for (const line of uncounted) {
    line.row.cells[2]!.replaceChildren(element("span", { class: "muted", title: t("project.uncounted") }, "…"));
  }
  try {
    for (let left = 1, idle = 0; left > 0 && open.size && idle < PATIENCE; ) {
      status.textContent = t("project.counting", { done: lines.length - open.size, all: lines.length });
      const before = open.size;
      const answer = await call<Counts>("POST", within(page.project, "counts"), { most: SOME });
      for (const [file, count] of Object.entries(answer.counts)) {
        const line = open.get(file);
        if (line) show(line, count);
        open.delete(file);
      }
      total(lines);
      left = answer.left;
      if (open.size < before) idle = 0;
      else if (left && ++idle < PATIENCE) await new Promise((go) => setTimeout(go, PAUSE));
    }
    status.textContent = "";
    if (!open.size) settle();
    const pairs = document.querySelector("#total")!.textContent;
    say(t("project.counted", { pairs, paradigms: lines.length - open.size }));
  } catch (error) {
    status.textContent = t("project.counting_failed", { reason: failure(error).textContent ?? "" });
  }
}

function show(line: Line, count: Count): void {
  line.count = count.value;
  line.exact = count.exact;
  const cells = line.row.cells;
  cells[2]!.textContent = count.value === null ? "–" : readable(count.value, count.exact);
  if (count.value === null || !count.exact) {
    cells[2]!.title = t(count.value === null ? "project.no_count" : "project.at_most");
  }
  if ("unparsed" in line.row.dataset) return; // what is wrong with it was told before
  if (count.errors) complain(line, count);
  const reason = count.reasons[0];
  const look = `reason small${count.errors ? "" : " muted"}`;
  if (reason) cells[3]!.append(" ", element("span", { class: look }, firstLine(reason.text)));
}

/** All is counted: where no problem was found, the page may say so. */
function settle(): void {
  const sum = document.querySelector<HTMLElement>("#problem-count")!;
  if (!sum.querySelector(".badge")) sum.replaceChildren(element("span", { class: "badge good" }, t("shell.no_problem")));
}

/** Errors that only counting brought to light: beside the paradigm, in the sum, and in the list of problems. */
function complain(line: Line, count: Count): void {
  line.problems += 1000 * count.errors;
  const row = line.row.dataset;
  row["errors"] = String(Number(row["errors"]) + count.errors);
  badge(line.row.cells[3]!, Number(row["errors"]));
  const sum = document.querySelector<HTMLElement>("#problem-count")!;
  sum.dataset["errors"] = String(Number(sum.dataset["errors"]) + count.errors);
  badge(sum, Number(sum.dataset["errors"]));
  sum.setAttribute("href", "#problems");
  const list = document.querySelector<HTMLElement>("#problems")!;
  list.hidden = false;
  list.classList.replace("warn", "bad");
  for (const { severity, file, range, text } of count.reasons) {
    if (severity !== "error") continue;
    const where = file || row["file"]!;
    const link = element("a", { class: "place", href: pageOf(where) }, range ? `${where}:${range.line}` : where);
    list.querySelector("ul")!.append(element("li", {}, link, " ", firstLine(text)));
  }
}

const firstLine = (text: string): string => text.split("\n")[0]!;

/** The badge of errors in a place: put first, or with its new number. */
function badge(place: HTMLElement, errors: number): void {
  for (const old of place.querySelectorAll(".badge.bad, .badge.good, .muted[title]")) old.remove();
  const says = errors === 1 ? t("shell.error_one") : t("shell.errors", { n: errors });
  place.prepend(element("span", { class: "badge bad" }, says), " ");
}

/** The page on which a file is edited. */
function pageOf(file: string): string {
  const home = `/p/${encodeURIComponent(page.project)}`;
  if (file === "lexicon.tsv" || file.startsWith("lexicon/")) return `${home}/lexicon`;
  return file === "phrases.yaml" ? `${home}/phrases` : `${home}/edit/${file.split("/").map(encodeURIComponent).join("/")}`;
}

export function total(lines: Line[]): void {
  const known = lines.filter((line) => line.count !== null && line.status !== "excluded");
  const sum = known.reduce((all, line) => all + line.count!, 0);
  const exact = known.every((line) => line.exact);
  document.querySelector("#total")!.textContent = known.length ? readable(sum, exact) : "–";
}

/** A number as the page's own text has it: a very great one in powers of ten, an upper bound marked as such. */
function readable(value: number, exact: boolean): string {
  return (exact ? "" : "≤ ") + (value < 1e15 ? value.toLocaleString("en") : value.toExponential(2));
}
