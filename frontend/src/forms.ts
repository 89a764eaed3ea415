// Forms that speak to the API: `<form data-api="/api/…" data-method="PUT" data-then="/p/{name}">`.
//
// The fields travel as JSON, or as they are where the form is multipart; `{name}` in an address is filled in from the
// fields and, for `data-then`, from the answer. Problems are shown in the form's `.outcome`.
import { ask, call } from "./api";
import { cursorStays } from "./cursor";
import { element, failure, problemList, say, sayNext } from "./notices";
import type { Problem } from "./shapes";
import { tab } from "./tabs";
import { t } from "./words";

type Values = Record<string, unknown>;

/** Takes over the forms of the page that name a call, and those that lead to a download. */
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
  const stays = cursorStays();
  const address = filled(form.dataset["api"]!, values);
  const method = form.dataset["method"] ?? "POST";
  const whole = form.enctype === "multipart/form-data" ? new FormData(form) : values;
  const body = method === "DELETE" ? undefined : whole;
  const answer = (await call<Values | undefined>(method, address.slice("/api".length), body)) ?? {};
  if (answer["saved"] === false) return show(form, problemList(answer["problems"] as Problem[]));
  hand(form, answer, stays);
  const then = form.dataset["then"];
  if (then === undefined) return;
  const next = filled(then, { ...values, ...answer });
  if (form.dataset["report"] !== undefined && report(form, answer, next, stays)) return;
  if (form.dataset["said"]) sayNext(form.dataset["said"]);
  if (next === "" || next === location.pathname) location.reload();
  else location.assign(next);
}

/** The fields as they travel: numbers as such, and empty ones as null where they say so. */
function read(form: HTMLFormElement): Values {
  const values: Values = form.dataset["tab"] === undefined ? {} : { tab };
  for (const [name, value] of new FormData(form)) {
    const field = form.elements.namedItem(name);
    const marks = field instanceof HTMLElement ? field.dataset : {};
    if (value === "" && marks["empty"] === "null") values[name] = null;
    else values[name] = marks["number"] === undefined ? value : Number(value);
  }
  return values;
}

/** An address with `{name}` filled in; the parts of a file's path stay parts. */
function filled(address: string, values: Values): string {
  return address.replace(/\{(\w+)\}/g, (_, name: string) =>
    String(values[name] ?? "").split("/").map(encodeURIComponent).join("/"),
  );
}

/** Puts what the answer gives where the form shows it, such as an address that is shown once. */
function hand(form: HTMLFormElement, answer: Values, stays: () => boolean): void {
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

/** Shows what was left out or changed on the way, with a link onwards; false where there is nothing to tell. */
function report(form: HTMLFormElement, answer: Values, next: string, stays: () => boolean): boolean {
  const skipped = (answer["skipped"] ?? []) as string[];
  const problems = (answer["problems"] ?? []) as Problem[];
  if (!skipped.length && !problems.length) return false;
  const parts: Node[] = [problemList(problems)];
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

/** Fetches a file, so that a problem can be told in the page and the wait be seen. */
async function download(form: HTMLFormElement): Promise<void> {
  const query = new URLSearchParams([...new FormData(form)].map(([name, value]) => [name, String(value)]));
  const response = await ask("GET", `${new URL(form.action).pathname.slice("/api".length)}?${query}`);
  const named = response.headers.get("Content-Disposition") ?? "";
  const name = /filename\*?=(?:UTF-8'')?"?([^";]+)/.exec(named)?.[1] ?? "pairs.zip";
  const file = decodeURIComponent(name);
  const link = element("a", { href: URL.createObjectURL(await response.blob()), download: file }) as HTMLAnchorElement;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  const short = (response.headers.get("Bidui-Short") ?? "").split(/[,;]\s*/).filter(Boolean);
  const list = short.map((each) => element("li", { class: "place" }, decodeURIComponent(each).replace("=", ": ")));
  const parts = short.length ? [element("p", {}, t("js.shell.short")), element("ul", {}, ...list)] : [];
  show(form, element("p", {}, t("js.shell.downloaded", { file })), ...parts);
  form.querySelector(".outcome")?.classList.replace("bad", short.length ? "warn" : "good");
}

function show(form: HTMLFormElement, ...parts: Node[]): void {
  form.querySelector(".outcome")?.replaceChildren(...parts);
}

/** Runs a call once at a time, with its failure shown in the form. */
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
