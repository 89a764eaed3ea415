// The list of tables: those that match what is typed.
import { t } from "../page";

const form = document.querySelector<HTMLFormElement>("#filters");
const rows = [...document.querySelectorAll<HTMLTableRowElement>("#tables tbody tr")];
const texts = rows.map((row) => row.textContent.toLowerCase());

function filter(): void {
  const parts = document.querySelector<HTMLInputElement>("#filter-text")!.value.toLowerCase().split(/\s+/);
  let shown = 0;
  rows.forEach((row, n) => {
    row.hidden = !parts.every((part) => texts[n]!.includes(part));
    shown += Number(!row.hidden);
  });
  document.querySelector("#shown")!.textContent = t(shown === rows.length ? "tables.shown_all" : "tables.shown", { shown, all: rows.length });
}

if (form) {
  form.hidden = false;
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    rows.find((row) => !row.hidden)?.querySelector("a")?.focus();
  });
  addEventListener("pageshow", filter); // a browser that goes back restores what was in the field
}
