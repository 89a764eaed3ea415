// The list of projects: a new project's name is proposed from the benchmark or file that was chosen.

for (const chooser of document.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[data-names]")) {
  const name = document.getElementById(chooser.dataset["names"]!) as HTMLInputElement;
  let proposed = name.value;
  chooser.addEventListener("change", () => {
    if (name.value !== "" && name.value !== proposed) return; // what was typed stays
    name.value = proposed = proposal(chooser);
  });
}

function proposal(chooser: HTMLInputElement | HTMLSelectElement): string {
  if (chooser instanceof HTMLSelectElement) return `my-${chooser.value}`;
  const files = [...(chooser.files ?? [])];
  if (files.length !== 1) return "";
  return files[0]!.name.replace(/\.\w+$/, "").replace(/[^\p{Letter}\p{Number}_-]+/gu, "-").replace(/^-+|-+$/g, "");
}
