// The history of a file: what differs inside a changed row is marked, and two revisions are compared, not one.
import { element } from "../notices";

for (const row of document.querySelectorAll<HTMLTableRowElement>("table.rows tr.changed")) {
  const before = [...row.querySelectorAll<HTMLElement>(".old .cell")];
  const after = [...row.querySelectorAll<HTMLElement>(".new .cell")];
  for (let at = 0; at < Math.max(before.length, after.length); at++) mark(before[at], after[at]);
}

/** Marks the part of two cells that is not the same, between what they share at both ends. */
function mark(old: HTMLElement | undefined, young: HTMLElement | undefined): void {
  const before = [...(old?.textContent ?? "")];
  const after = [...(young?.textContent ?? "")];
  const least = Math.min(before.length, after.length);
  let head = 0;
  while (head < least && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < least - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++;
  split(old, before, head, tail, "del");
  split(young, after, head, tail, "ins");
}

function split(cell: HTMLElement | undefined, text: string[], head: number, tail: number, name: "ins" | "del"): void {
  const part = (from: number, to: number): string => text.slice(from, to).join("");
  const end = text.length - tail;
  if (cell && head < end) cell.replaceChildren(part(0, head), element(name, {}, part(head, end)), part(end, text.length));
}

const compare = document.querySelector<HTMLFormElement>("#compare");
const button = compare?.querySelector<HTMLButtonElement>("button");
if (compare && button) {
  const update = (): void => {
    const chosen = new FormData(compare);
    button.disabled = !chosen.get("old") || chosen.get("old") === chosen.get("new");
  };
  document.addEventListener("change", update);
  update();
}
