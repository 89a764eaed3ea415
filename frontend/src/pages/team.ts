// The team: addresses that are shown once are copied with a button.
import { t } from "../words";

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
    // the text is selected, so that a key copies it
  }
}
