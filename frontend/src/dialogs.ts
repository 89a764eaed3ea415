// Dialogs of a page: opened by `data-open="id"`, filled in from `data-set-name="value"`, closed by `data-close`.

/** Opens a dialog with values in its fields and in its `[data-value]` texts; the first field gets the cursor. */
export function openDialog(id: string, values: Record<string, string> = {}): void {
  const dialog = document.getElementById(id);
  if (!(dialog instanceof HTMLDialogElement) || dialog.open) return;
  for (const box of dialog.querySelectorAll(".outcome")) box.replaceChildren();
  for (const [name, value] of Object.entries(values)) fill(dialog, name, value);
  dialog.showModal();
  const field = dialog.querySelector<HTMLElement>(".body :is(input:not([type=hidden]), select, button)");
  (field ?? dialog.querySelector<HTMLElement>("footer [data-close]"))?.focus();
  if (field instanceof HTMLInputElement && field.type === "text") field.select();
}

function fill(dialog: HTMLElement, name: string, value: string): void {
  const field = dialog.querySelector<HTMLInputElement>(`[name="${name}"]`);
  if (field) field.value = value;
  if (field?.type === "hidden") field.disabled = !value; // what is empty does not travel
  for (const text of dialog.querySelectorAll(`[data-value="${name}"]`)) text.textContent = value;
  for (const part of dialog.querySelectorAll<HTMLElement>(`[data-when="${name}"]`)) part.hidden = !value;
}

/** Makes the buttons of the page open and close its dialogs; a click beside a dialog closes it, too. */
export function listenToDialogs(): void {
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const opener = event.target.closest<HTMLElement>("[data-open]");
    if (event.target.closest("[data-close]") || event.target instanceof HTMLDialogElement) {
      event.target.closest("dialog")?.close(); // first: it gives the cursor back to where it was
    }
    if (opener) openDialog(opener.dataset["open"]!, presets(opener));
  });
}

function presets(opener: HTMLElement): Record<string, string> {
  const found = [...opener.attributes].filter((each) => each.name.startsWith("data-set-"));
  return Object.fromEntries(found.map((each) => [each.name.slice("data-set-".length), each.value]));
}
