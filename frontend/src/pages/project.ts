// The page of a project: its paradigms sorted, filtered and walked through with keys; counts are filled in as they arrive.
import { countSome, mayPass } from "../api";
import { inOrder, meaning, readable, sumOf } from "../counts";
import { openDialog } from "../forms";
import { element, failure, say } from "../notices";
import { page, pageOf, t } from "../page";
import type { ParadigmCount } from "../wire";

/** A paradigm's row, with what it is sorted and filtered by; read once, since reading the page is slow. */
interface Line {
  row: HTMLTableRowElement;
  link: HTMLAnchorElement;
  phenomenon: string;
  uid: string;
  time: string;
  author: string;
  text: string;
  status: string;
  problems: number;
  count: number | null; // null: not known yet, or impossible to know
  exact: boolean;
  least: number; // of a count that is not exact
}

function readLine(row: HTMLTableRowElement): Line {
  const cells = row.cells;
  const textOf = (at: number): string => cells[at]!.textContent.trim();
  const link = cells[1]!.querySelector("a")!;
  const { count, errors, least, warnings, draft, status } = row.dataset;
  const line = {
    ...{ row, link, phenomenon: textOf(0), uid: link.textContent, author: textOf(5), status: status ?? "" },
    time: cells[4]!.querySelector("time")?.dateTime ?? "",
    problems: 1000 * Number(errors) + Number(warnings) + Number(draft !== undefined),
    count: count === undefined || count === "None" ? null : Number(count),
    exact: !("inexact" in row.dataset),
    least: Number(least ?? 0),
  };
  return { ...line, text: `${line.phenomenon} ${line.uid} ${line.author}`.toLowerCase() };
}

// Counts ------------------------------------------------------------------------------------------------------------

const PAUSE = 1_000; // milliseconds after an answer without a new count: another page counts the same, or all is busy
const LONGEST_PAUSE = 60_000; // after many such answers
const SOME = 50; // counts per request; the server answers with fewer when they take long

/** Request the missing counts, some at a time, those on the screen first; a busy server is asked again until it answers. */
async function countAll(lines: Line[]): Promise<void> {
  const status = document.querySelector("#counting")!;
  const uncounted = lines.filter((line) => !("count" in line.row.dataset));
  const open = new Map(uncounted.map((line) => [line.row.dataset["file"]!, line]));
  if (!open.size) return;
  for (const line of uncounted) {
    line.row.cells[2]!.replaceChildren(element("span", { class: "muted", title: t("project.uncounted") }, "…"));
  }
  try {
    for (let left = 1, pause = PAUSE; left > 0 && open.size; ) {
      status.textContent = t("project.counting", { done: lines.length - open.size, all: lines.length });
      const before = open.size;
      const answer = await countSome(page.project, SOME, screenOrder(lines, open)).catch((error: unknown) => {
        if (mayPass(error)) return { counts: {}, left };
        throw error;
      });
      for (const [file, count] of Object.entries(answer.counts)) {
        const line = open.get(file);
        if (line) showCount(line, count);
        open.delete(file);
      }
      total(lines);
      left = answer.left;
      if (open.size < before) pause = PAUSE;
      else if (left) {
        await new Promise((go) => setTimeout(go, pause));
        pause = Math.min(LONGEST_PAUSE, 2 * pause);
      }
    }
    status.textContent = "";
    if (!open.size) confirmNoProblem();
    const pairs = document.querySelector("#total")!.textContent;
    say(t("project.counted", { pairs, paradigms: lines.length - open.size }));
  } catch (error) {
    status.textContent = t("project.counting_failed", { reason: failure(error).textContent ?? "" });
  }
}

/** The files that are not counted yet, in the order in which to count them. */
function screenOrder(lines: Line[], open: ReadonlyMap<string, Line>): string[] {
  const rows = lines.filter(({ row }) => open.has(row.dataset["file"]!));
  const placed = rows.map(({ row }) => ({ file: row.dataset["file"]!, top: row.getBoundingClientRect().top, hidden: row.hidden === true }));
  return inOrder(placed, innerHeight).slice(0, SOME);
}

function showCount(line: Line, count: ParadigmCount): void {
  line.count = count.value;
  line.exact = count.exact;
  line.least = count.least;
  const cells = line.row.cells;
  cells[2]!.textContent = readable(count);
  cells[2]!.title = meaning(count, count.reasons);
  if ("unparsed" in line.row.dataset) return; // its problems are shown already
  if (count.errors) showErrors(line, count);
  const reason = count.reasons[0];
  const look = `reason small${count.errors ? "" : " muted"}`;
  if (reason) cells[3]!.append(" ", element("span", { class: look }, firstLine(reason.text)));
}

/** After all counts: if there is no problem, say so. */
function confirmNoProblem(): void {
  const sum = document.querySelector<HTMLElement>("#problem-count")!;
  if (!sum.querySelector(".badge")) sum.replaceChildren(element("span", { class: "badge good" }, t("shell.no_problem")));
}

/** Show errors that only counting found: beside the paradigm, in the sum, and in the list of problems. */
function showErrors(line: Line, count: ParadigmCount): void {
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

/** Show the number of errors in an element. */
function badge(parent: HTMLElement, errors: number): void {
  for (const old of parent.querySelectorAll(".badge.bad, .badge.good, .muted[title]")) old.remove();
  const text = errors === 1 ? t("shell.error_one") : t("shell.errors", { n: errors });
  parent.prepend(element("span", { class: "badge bad" }, text), " ");
}

function total(lines: Line[]): void {
  const counted = lines.filter((line) => line.count !== null && line.status !== "excluded");
  const sum = sumOf(counted.map(({ count, exact, least }) => ({ value: count, exact, least })));
  const shown = document.querySelector<HTMLElement>("#total")!;
  shown.textContent = counted.length ? readable(sum) : "–";
  shown.title = meaning(sum);
}

type Column = "phenomenon" | "uid" | "count" | "problems" | "time" | "author";

const FEW = 300; // pairs that a paradigm of a benchmark should have

function start(table: HTMLTableElement): void {
  const lines = [...table.tBodies[0]!.rows].map(readLine);
  listenToHeaders(table, lines);
  listenToFilters(lines);
  listenToRows(table, lines);
  total(lines);
  void countAll(lines);
}

// Sorting -----------------------------------------------------------------------------------------------------------

function listenToHeaders(table: HTMLTableElement, lines: Line[]): void {
  for (const header of table.tHead!.querySelectorAll<HTMLElement>("th[data-sort]")) {
    const button = element("button", { type: "button", class: "sort" }, ...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const down = header.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead!.querySelectorAll("[aria-sort]")) other.removeAttribute("aria-sort");
      header.setAttribute("aria-sort", down ? "descending" : "ascending");
      sort(lines, header.dataset["sort"] as Column, down ? -1 : 1);
      table.tBodies[0]!.append(...lines.map((line) => line.row));
    });
  }
}

/** Sort by a column, then by phenomenon and name; rows without a number come last. */
function sort(lines: Line[], column: Column, sign: 1 | -1): void {
  const order = new Intl.Collator(page.lang, { numeric: true });
  const compare = (a: Line, b: Line, by: Column): number => {
    const [first, second] = [a[by], b[by]];
    if (typeof first === "string" && typeof second === "string") return sign * order.compare(first, second);
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return sign * (Number(first) - Number(second));
  };
  const nameOf = (line: Line): string => `${line.phenomenon} ${line.uid}`;
  lines.sort((a, b) => compare(a, b, column) || order.compare(nameOf(a), nameOf(b)));
}

// Filtering ---------------------------------------------------------------------------------------------------------

function listenToFilters(lines: Line[]): void {
  const form = document.querySelector<HTMLFormElement>("#filters")!;
  const text = document.querySelector<HTMLInputElement>("#filter-text")!;
  const phenomenon = document.querySelector<HTMLSelectElement>("#filter-phenomenon")!;
  const state = document.querySelector<HTMLSelectElement>("#filter-state")!;
  const filter = (): void => {
    const parts = text.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const line of lines) {
      const fits =
        parts.every((part) => line.text.includes(part)) &&
        (!phenomenon.value || line.phenomenon === phenomenon.value) &&
        inState(line, state.value);
      if (line.row.hidden === fits) line.row.hidden = !fits;
      shown += Number(fits);
    }
    const key = shown === lines.length ? "project.shown_all" : "project.shown";
    document.querySelector("#shown")!.textContent = t(key, { shown, all: lines.length });
  };
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    walk(lines, -1, 1);
  });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" || event.isComposing) return;
    event.preventDefault();
    walk(lines, -1, 1);
  });
  addEventListener("pageshow", filter); // a browser that goes back restores what was in the fields
}

function inState(line: Line, state: string): boolean {
  if (state === "problems") return line.problems > 0;
  if (state === "few") return line.count !== null && line.count < FEW;
  return state === "" || line.status === state;
}

// Rows --------------------------------------------------------------------------------------------------------------

/** Focus the next visible paradigm after, or before, the one at an index. */
function walk(lines: Line[], from: number, step: 1 | -1): void {
  let at = from + step;
  while (lines[at]?.row.hidden) at += step;
  lines[at]?.link.focus();
}

function listenToRows(table: HTMLTableElement, lines: Line[]): void {
  table.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const at = lines.findIndex((line) => line.row.contains(event.target as Node));
    if (!step || at < 0) return;
    event.preventDefault();
    walk(lines, at, step);
  });
  table.addEventListener("click", (event) => {
    const control = event.target instanceof Element ? event.target.closest("td button") : null;
    const line = control && lines.find(({ row }) => row.contains(control));
    if (!line) return;
    const { file = "", revision = "" } = line.row.dataset;
    preset("#more-copy", { copy_of: file, uid: `${line.uid}_2`, phenomenon: line.phenomenon });
    preset("#more-delete", { file, revision });
    openDialog("more", { file });
  });
}

/** Set what a button will fill into the dialog that it opens. */
function preset(button: string, values: Record<string, string>): void {
  const opener = document.querySelector(button)!;
  for (const [name, value] of Object.entries(values)) opener.setAttribute(`data-set-${name}`, value);
}

const table = document.querySelector<HTMLTableElement>("#paradigms");
if (table) start(table);
