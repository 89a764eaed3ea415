// One project: its paradigms filtered, sorted and walked through by keys; counts fill in as they are known.
import { openDialog } from "../dialogs";
import { element } from "../notices";
import { page } from "../page";
import { countAll, total } from "../project/counting";
import { type Line, readLine } from "../project/line";
import { t } from "../words";

type Column = "phenomenon" | "uid" | "count" | "problems" | "time" | "author";

const FEW = 300; // pairs that a paradigm of a benchmark should have

const table = document.querySelector<HTMLTableElement>("#paradigms");
if (table) start(table);

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

/** Sorts by a column, then by phenomenon and name; what has no number stands last. */
function sort(lines: Line[], column: Column, sign: 1 | -1): void {
  const order = new Intl.Collator(page.lang, { numeric: true });
  const compared = (a: Line, b: Line, by: Column): number => {
    const [one, other] = [a[by], b[by]];
    if (typeof one === "string" && typeof other === "string") return sign * order.compare(one, other);
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (Number(one) - Number(other));
  };
  const named = (line: Line): string => `${line.phenomenon} ${line.uid}`;
  lines.sort((a, b) => compared(a, b, column) || order.compare(named(a), named(b)));
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
  addEventListener("pageshow", filter); // a browser that comes back has kept what stood in the fields
}

function inState(line: Line, state: string): boolean {
  if (state === "problems") return line.problems > 0;
  if (state === "few") return line.count !== null && line.count < FEW;
  return state === "" || line.status === state;
}

// Rows --------------------------------------------------------------------------------------------------------------

/** Puts the cursor on the next paradigm that is shown, from the one at a place. */
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
    const found = event.target instanceof Element ? event.target.closest("td button, a[href*='/pairs?']") : null;
    const line = found && lines.find((each) => each.row.contains(found));
    if (!line) return;
    if (found instanceof HTMLAnchorElement) {
      event.preventDefault(); // the dialog also asks how many, and can tell what went wrong
      return openDialog("pairs", { uid: line.uid });
    }
    const { file = "", revision = "" } = line.row.dataset;
    preset("#more-copy", { copy_of: file, uid: `${line.uid}_2`, phenomenon: line.phenomenon });
    preset("#more-delete", { file, revision });
    openDialog("more", { file });
  });
}

/** What a button will fill into the dialog that it opens. */
function preset(button: string, values: Record<string, string>): void {
  const found = document.querySelector(button)!;
  for (const [name, value] of Object.entries(values)) found.setAttribute(`data-set-${name}`, value);
}
