// What every page has: forms, dialogs, single-letter keys, local times, and the choice of language.
import { call } from "../api";
import { listenToDialogs, openDialog } from "../dialogs";
import { listenToForms } from "../forms";
import { showKept } from "../notices";
import { inField } from "../shortcuts";

listenToForms();
listenToDialogs();
showKept();

// Times are written in UTC; here they become those of the reader's clock.
for (const each of document.querySelectorAll("time")) {
  const time = new Date(each.dateTime);
  if (Number.isNaN(time.valueOf())) continue;
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  each.textContent = `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
}

// The link alone would lose what else stands in the address.
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

// A key that an element names for itself (`aria-keyshortcuts="n"`) presses it, or puts the cursor into it.
addEventListener("keydown", (event) => {
  if (event.isComposing || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key.length !== 1 || inField(event.target) || document.querySelector("dialog[open]")) return;
  if (event.key === "?") {
    event.preventDefault();
    return openDialog("help");
  }
  const found = document.querySelector<HTMLElement>(`[aria-keyshortcuts="${CSS.escape(event.key)}"]`);
  if (!found) return;
  event.preventDefault();
  if (inField(found)) found.focus();
  else found.click();
});
