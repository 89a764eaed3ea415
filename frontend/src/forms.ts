// Forms and dialogs of the pages that the server renders.
//
// A form calls the API: `<form data-api="/api/…" data-method="PUT" data-then="/p/{name}">`. Its fields are sent as JSON,
// or as a multipart form. `{name}` in an address is filled in from the fields and, in `data-then` and in the message
// `data-said`, from the answer.
// Problems are shown in the form's `.outcome`. A dialog is opened by `data-open="id"`, filled in from
// `data-set-name="value"`, and closed by `data-close`.
import { ask, call } from "./api";
import { focusStays } from "./keyboard";
import { element, failure, listed, problemList, saveAs, say, sayNext } from "./notices";
import { encodePath, t } from "./page";
import { tab } from "./tabs";
import type { Problem } from "./wire";

type Values = Record<string, unknown>;

/** Handle the forms of the page that call the API, and those that download a file. */
export function listenToForms(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement)) return;
    const run = form.dataset["api"] !== undefined ? send : form.dataset["download"] !== undefined ? download : null;
    if (!run) return;
    event.preventDefault();
    if (form.ariaBusy !== "true") void whileBusy(form, () => run(form));
  });
}

async function send(form: HTMLFormElement): Promise<void> {
  const values = read(form);
  const stays = focusStays();
  const address = filled(form.dataset["api"]!, values);
  const method = form.dataset["method"] ?? "POST";
  const fields = form.enctype === "multipart/form-data" ? new FormData(form) : values;
  const body = method === "DELETE" ? undefined : fields;
  const answer = (await call<Values | undefined>(method, address.slice("/api".length), body)) ?? {};
  if (answer["saved"] === false) return show(form, problemList(answer["problems"] as Problem[]));
  showAnswer(form, answer, stays);
  const then = form.dataset["then"];
  if (then === undefined) return;
  const next = filled(then, { ...values, ...answer });
  if (form.dataset["report"] !== undefined && report(form, answer, next, stays)) return;
  if (form.dataset["said"]) sayNext(inserted(form.dataset["said"], { ...values, ...answer }));
  if (next === "" || next === location.pathname) location.reload();
  else location.assign(next);
}

/** The values of the fields: numbers as numbers, boxes of a list as a list, and empty ones as null where the form says so. */
function read(form: HTMLFormElement): Values {
  const values: Values = form.dataset["tab"] === undefined ? {} : { tab };
  for (const box of form.querySelectorAll<HTMLInputElement>("[data-list]")) values[box.name] = [];
  for (const [name, value] of new FormData(form)) {
    const list = values[name];
    if (Array.isArray(list)) {
      list.push(value);
      continue;
    }
    const field = form.elements.namedItem(name);
    const marks = field instanceof HTMLElement ? field.dataset : {};
    if (value === "" && marks["empty"] === "null") values[name] = null;
    else values[name] = marks["number"] === undefined ? value : Number(value);
  }
  return values;
}

/** An address with `{name}` filled in; the slashes in a file's path stay. */
function filled(address: string, values: Values): string {
  return inserted(address, values, encodePath);
}

function inserted(text: string, values: Values, write = (value: string): string => value): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => write(String(values[name] ?? "")));
}

/** Show values of the answer in the form, such as an address that is shown only once. */
function showAnswer(form: HTMLFormElement, answer: Values, stays: () => boolean): void {
  for (const field of form.querySelectorAll<HTMLInputElement>("[data-answer]")) {
    const value = answer[field.dataset["answer"]!];
    if (typeof value !== "string") continue;
    field.value = value;
    const box = field.closest<HTMLElement>(".handed");
    if (box) box.hidden = false;
    if (!stays()) continue;
    field.focus();
    field.select();
  }
}

/** Show what was skipped or changed, with a link to continue; return false where there is nothing to show. */
function report(form: HTMLFormElement, answer: Values, next: string, stays: () => boolean): boolean {
  const skipped = (answer["skipped"] ?? []) as string[];
  const problems = (answer["problems"] ?? []) as Problem[];
  if (!skipped.length && !problems.length) return false;
  const parts: Node[] = problems.length
    ? [element("p", {}, t("js.shell.imported", { n: problems.length })), problemList(problems)]
    : [];
  if (skipped.length) {
    const names = element("ul", {}, ...skipped.map((name) => element("li", { class: "place" }, name)));
    parts.push(element("p", {}, t("js.shell.skipped", { n: skipped.length })), names);
  }
  const link = element("a", { class: "button primary", href: next }, t("js.shell.go_on"));
  show(form, ...parts, element("p", {}, link));
  form.querySelector(".outcome")?.classList.replace("bad", "warn");
  if (stays()) link.focus();
  return true;
}

/** Download a file by script, so that the page can show problems and progress. */
async function download(form: HTMLFormElement): Promise<void> {
  const query = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  const response = await ask("GET", `${new URL(form.action).pathname.slice("/api".length)}?${query}`);
  const file = await saveAs(response);
  const [short, drafts] = [listed(response, "Bidui-Short"), listed(response, "Bidui-Drafts")];
  const list = short.map((entry) => element("li", { class: "place" }, entry.replace("=", ": ")));
  const parts = short.length ? [element("p", {}, t("js.shell.short")), element("ul", {}, ...list)] : [];
  if (drafts.length) parts.push(element("p", {}, t("js.shell.without_drafts", { files: drafts.join(", ") })));
  show(form, element("p", {}, t("js.shell.downloaded", { file })), ...parts);
  form.querySelector(".outcome")?.classList.replace("bad", parts.length ? "warn" : "good");
}

function show(form: HTMLFormElement, ...parts: Node[]): void {
  form.querySelector(".outcome")?.replaceChildren(...parts);
}

/** Run a call while the form is marked as busy, and show its failure in the form. */
async function whileBusy(form: HTMLFormElement, run: () => Promise<void>): Promise<void> {
  const box = form.querySelector(".outcome");
  box?.classList.remove("warn", "good");
  box?.classList.add("bad");
  box?.replaceChildren();
  const wait = setTimeout(() => {
    form.classList.add("waiting");
    say(t("js.shell.busy"));
  }, 300);
  form.ariaBusy = "true";
  try {
    await run();
  } catch (error) {
    show(form, failure(error));
  } finally {
    clearTimeout(wait);
    form.classList.remove("waiting");
    form.ariaBusy = null;
  }
}

// Dialogs -----------------------------------------------------------------------------------------------------------

/** Open a dialog with values in its fields and in its `[data-value]` texts, and focus the first field. */
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
  if (field?.type === "hidden") field.disabled = !value; // empty values are not sent
  for (const text of dialog.querySelectorAll(`[data-value="${name}"]`)) text.textContent = value;
  for (const part of dialog.querySelectorAll<HTMLElement>(`[data-when="${name}"]`)) part.hidden = !value;
}

/** Let the buttons of the page open and close its dialogs; a click beside a dialog closes it as well. */
export function listenToDialogs(): void {
  document.addEventListener("click", (event) => {
    if (!(event.target instanceof Element)) return;
    const opener = event.target.closest<HTMLElement>("[data-open]");
    if (event.target.closest("[data-close]") || event.target instanceof HTMLDialogElement) {
      event.target.closest("dialog")?.close(); // first, since it returns the focus to where it was
    }
    if (opener) openDialog(opener.dataset["open"]!, presets(opener));
  });
}

function presets(opener: HTMLElement): Record<string, string> {
  const attributes = [...opener.attributes].filter(({ name }) => name.startsWith("data-set-"));
  return Object.fromEntries(attributes.map(({ name, value }) => [name.slice("data-set-".length), value]));
}
