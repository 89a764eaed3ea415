// The script of every page: forms, dialogs, keys, local times, the choice of language, and the small interactions of the
// pages that the server renders (projects, team, history).
import { call } from "../api";
import { commonEnds } from "../editor/text_changes";
import { listenToDialogs, listenToForms, openDialog } from "../forms";
import { inField } from "../keyboard";
import { element, showKept } from "../notices";
import { localTimes, t } from "../page";

listenToForms();
listenToDialogs();
showKept();

localTimes(document);

// The choice of language keeps the rest of the address, which the link alone would lose.
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLElement>("a[data-lang]") : null;
  if (!link) return;
  event.preventDefault();
  const address = new URL(location.href);
  address.searchParams.delete("lang");
  void call("POST", "/language", { lang: link.dataset["lang"] }).then(
    () => location.replace(address),
    () => location.assign((link as HTMLAnchorElement).href),
  );
});

// A single key that an element names as its own (`aria-keyshortcuts="n"`) clicks or focuses it.
addEventListener("keydown", (event) => {
  if (event.isComposing || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key.length !== 1 || inField(event.target) || document.querySelector("dialog[open]")) return;
  if (event.key === "?") {
    event.preventDefault();
    return openDialog("help");
  }
  const target = document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(event.key)}"]`);
  if (!target) return;
  event.preventDefault();
  if (inField(target)) target.focus();
  else target.click();
});

// Projects ----------------------------------------------------------------------------------------------------------
// The name of a new project is proposed from the chosen benchmark or file.

for (const chooser of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-names]")) {
  const name = document.getElementById(chooser.dataset["names"]!) as HTMLInputElement;
  let proposed = name.value;
  chooser.addEventListener("change", () => {
    if (name.value !== "" && name.value !== proposed) return; // keep a name that was typed
    name.value = proposed = proposal(chooser);
  });
}

function proposal(chooser: HTMLInputElement | HTMLSelectElement): string {
  if (chooser instanceof HTMLSelectElement) return `my-${chooser.value}`;
  const files = [...(chooser.files ?? [])];
  if (files.length !== 1) return "";
  return files[0]!.name.replace(/\.\w+$/, "").replace(/[^\p{Letter}\p{Number}_-]+/gu, "-").replace(/^-+|-+$/g, "");
}

// Team --------------------------------------------------------------------------------------------------------------
// A button copies an address that is shown only once.

document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-copy]") : null;
  if (button) void copy(button);
});

async function copy(button: HTMLElement): Promise<void> {
  const field = document.getElementById(button.dataset["copy"]!) as HTMLInputElement;
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    button.textContent = t("js.shell.copied");
  } catch {
    // the text is selected and can be copied with a key
  }
}

// History -----------------------------------------------------------------------------------------------------------
// Differences inside changed rows are marked, and two different revisions must be chosen to be compared.

for (const row of document.querySelectorAll<HTMLTableRowElement>("table.rows tr.changed")) {
  const before = [...row.querySelectorAll<HTMLElement>(".old .cell")];
  const after = [...row.querySelectorAll<HTMLElement>(".new .cell")];
  for (let at = 0; at < Math.max(before.length, after.length); at++) mark(before[at], after[at]);
}

/** Mark the part in which two cells differ, between what they share at both ends. */
function mark(old: HTMLElement | undefined, now: HTMLElement | undefined): void {
  const before = [...(old?.textContent ?? "")];
  const after = [...(now?.textContent ?? "")];
  const { head, tail } = commonEnds(before, after);
  split(old, before, head, tail, "del");
  split(now, after, head, tail, "ins");
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
