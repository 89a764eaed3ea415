// The page of a study: consent, background, practice, trials, thanks. She may close it at any time and continue later.
import { fittingLayout, keyAnswer, type Layout, make, paragraphs, trialScreen } from "./screens";
import { call, type Joined, keep, Outbox, recall, Refusal, type Seat } from "./sending";

interface Data {
  link: string; // the token of the study
  state: "open" | "paused" | "closed";
  texts: Record<string, string>;
  version: string;
  background: string[];
  written: string;
  lang: "en" | "zh";
  trial: string; // the call that a trial run asks; empty for participants
}

const AGES = ["", "18–24", "25–34", "35–44", "45–54", "55–64", "65+"]; // every question may be skipped
const HASTE = 200; // milliseconds in which a second tap of the last answer is not one to the next trial
const element = (id: string): HTMLElement => document.getElementById(id)!;
const data = JSON.parse(element("data").textContent!) as Data;
const words = JSON.parse(element("words").textContent!) as Record<string, string>;
const main = element("main");
const query = new URLSearchParams(location.search);
const holder = `bidui-study-${data.link}`; // where the browser keeps her token
const done = `bidui-done-${data.link}`; // and, once she has finished, what she may be asked for

let token = "";
let seat: Seat | null = null;
let outbox: Outbox | null = null;
let press: ((key: string) => void) | null = null;

function t(key: string, values: Record<string, string | number> = {}): string {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ""));
}

const text = (key: string): string => data.texts[key] ?? "";
const say = (message: string): void => void (element("status").textContent = message);

/** Show a screen, and let readers of screens know. */
function show(...parts: (Node | string)[]): void {
  press = null;
  main.textContent = "";
  main.append(...parts);
  window.scrollTo(0, 0);
  (main.querySelector("h1") as HTMLElement | null)?.focus();
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
const title = (words: string): HTMLElement => make("h1", { tabindex: "-1" }, words);
const button = (words: string, onclick: () => void): HTMLElement => make("button", { type: "button", class: "primary", onclick }, words);

// Coming in ----------------------------------------------------------------------------------------------------------

async function start(): Promise<void> {
  takeLink();
  if (data.trial) say(t("answer.trial_run"));
  else token = recall(holder, "");
  if (token) return comeBack();
  if (data.state !== "open") return showState();
  showConsent();
}

/** Take the token out of a personal link, and out of the address. */
function takeLink(): void {
  const found = /^#t=([\w-]+)$/.exec(location.hash)?.[1];
  if (!found || data.trial) return;
  keep(holder, found);
  history.replaceState(null, "", location.pathname + location.search);
}

async function comeBack(): Promise<void> {
  try {
    seat = await call<Seat>("GET", `/api/s/seat?lang=${data.lang}`, token);
  } catch (error) {
    const refusal = error as Refusal;
    const end = recall<[string, string] | null>(done, null);
    if (end && refusal.kind.startsWith("study-")) return showThanks(...end), showMore(); // closed or paused since
    if (refusal.kind !== "participant-unknown") return showRefusal(refusal, () => void comeBack());
    keep(done, null);
    keep(holder, null); // she has withdrawn, or was deleted
    token = "";
    return data.state === "open" ? showConsent() : showState();
  }
  openOutbox();
  void outbox!.send();
  showNext();
}

function openOutbox(): void {
  outbox = new Outbox(token, data.lang, showSending);
  outbox.code = seat!.code;
  showMore();
}

function showState(): void {
  show(title(t("answer.title")), ...paragraphs(words[`answer.${data.state}`] ?? ""));
  if (token) showMore();
}

/** Say why something does not work, with a way to try again; her answers can be deleted whatever the state is. */
function showRefusal(refusal: Refusal, again: () => void): void {
  const parts: Node[] = [title(t("answer.title")), make("p", { class: "problem" }, sentence(refusal.message || t("answer.no_connection")))];
  if (refusal.passes) parts.push(button(t("answer.again"), again));
  show(...parts);
  if (token) showMore();
}

function showConsent(): void {
  const next = data.background.length ? showBackground : (): void => void join({});
  show(title(t("answer.title")), ...paragraphs(text("consent")), button(t("answer.agree"), next));
}

/** A field for a question about herself. Ages are bands that can be counted, and no more exact than they need to be. */
function questionField(name: string): HTMLInputElement | HTMLSelectElement {
  if (name === "age") return make("select", { id: name, name }, ...AGES.map((band) => make("option", { value: band }, band)));
  return make("input", { id: name, name, maxlength: "200", autocomplete: "off" });
}

function showBackground(): void {
  const fields = data.background.map(questionField);
  const rows = fields.map((field) => make("div", { class: "field" }, make("label", { for: field.id }, text(`background-${field.id}`)), field));
  const form = make("form", {}, ...rows, make("button", { class: "primary" }, t("answer.next")));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given: Record<string, string> = {};
    for (const field of fields) if (field.value.trim()) given[field.id] = field.value.trim();
    void join(given);
  });
  show(title(t("answer.about")), make("p", {}, t("answer.about_hint")), form);
}

/** Take part: nothing was stored before. */
async function join(background: Record<string, string>): Promise<void> {
  show(title(t("answer.title")));
  try {
    if (data.trial) {
      seat = await call<Seat>("GET", `${data.trial}${location.search}`, "");
    } else {
      const external = (query.get("PROLIFIC_PID") ?? query.get("id") ?? "").slice(0, 100);
      const body = { version: data.version, language: data.lang, background, external };
      const joined = await call<Joined>("POST", `/api/s/${data.link}/join?lang=${data.lang}`, "", body);
      ({ token, seat } = joined);
      keep(holder, token);
      openOutbox();
    }
  } catch (error) {
    return showRefusal(error as Refusal, () => void join(background));
  }
  showInstructions();
}

// Trials -------------------------------------------------------------------------------------------------------------

function showInstructions(): void {
  const { task, practice } = seat!;
  const notes = [...paragraphs(text(`instructions-${task}`)), make("p", { class: "hint" }, t(`answer.keys_${task}`))];
  if (practice) notes.push(...paragraphs(text("practice")));
  show(title(t("answer.instructions")), ...notes, button(t("answer.begin"), showNext));
}

/** The first trial that is answered neither on the server nor here. */
function nextTrial(): Seat["trials"][number] | undefined {
  const done = [...seat!.answered, ...(outbox?.waiting ?? []).map(({ position }) => position)];
  return seat!.trials.find(({ position }) => !done.includes(position));
}

function showNext(): void {
  const trial = nextTrial();
  if (!trial) return showEnd();
  const { task, practice, trials } = seat!;
  const layout: Layout = fittingLayout(seat!.layout);
  const inPractice = trial.position <= practice;
  const since = performance.now();
  let answered = false;
  const answer = (value: number): void => {
    const time = Math.round(performance.now() - since);
    if (answered || time < HASTE) return;
    answered = true;
    seat!.answered.push(trial.position);
    outbox?.add({ position: trial.position, answer: value, rt_ms: time, layout, language: data.lang, at: Date.now() });
    if (trial.position === practice && practice < trials.length) showBeginning();
    else showNext();
  };
  const question = text(`question-${task}`);
  const view = { task, sentences: trial.sentences, question, low: text("scale-low"), high: text("scale-high"), layout, written: data.written, answer };
  const place = t("answer.progress", { done: trial.position, all: trials.length }) + (inPractice ? ` · ${t("answer.practice")}` : "");
  const bar = make("progress", { max: String(trials.length), value: String(trial.position - 1), "aria-label": place });
  show(make("p", { class: "place" }, place), bar, trialScreen(view));
  press = (key) => {
    const value = keyAnswer(key, task);
    if (value) answer(value);
  };
}

const showBeginning = (): void => show(title(t("answer.practice_over")), button(t("answer.begin"), showNext));

document.addEventListener("keydown", (event) => {
  if (!press || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
  if ((event.target as HTMLElement).closest("input, details")) return;
  press(event.key);
});

// The end, and the ways out -------------------------------------------------------------------------------------------

function showEnd(): void {
  if (!outbox) return show(title(t("answer.title")), ...paragraphs(t("answer.tried")));
  if (outbox.refusal) return showRefusal(outbox.refusal, () => undefined);
  if (outbox.waiting.length) return show(title(t("answer.saving")), ...paragraphs(t("answer.waiting_end")), button(t("answer.again"), () => void outbox!.send()));
  keep(done, [outbox.code, seat!.pseudonym]);
  showThanks(outbox.code, seat!.pseudonym);
}

function showThanks(code: string, name: string): void {
  const facts = make("dl", {}, make("dt", {}, t("answer.code")), make("dd", {}, code), make("dt", {}, t("answer.name")), make("dd", {}, name));
  show(title(t("answer.title")), ...paragraphs(text("thanks")), facts);
}

/** Say how far the answers have come; the last screen waits for them. */
function showSending(): void {
  const { waiting, busy, refusal, paused } = outbox!;
  if (refusal) showRefusal(refusal, () => undefined);
  if (refusal) say(""); // what waits is not sent any more
  else if (!waiting.length) say(t("answer.saved"));
  else if (busy && waiting.length === 1 && !paused) say(t("answer.saving"));
  else say(t(paused ? "answer.waiting_paused" : "answer.waiting", { count: waiting.length }));
  if (!refusal && !busy && !nextTrial() && !press) showEnd();
}

/** The personal link, and withdrawal; folded, so that it is in nobody's way. */
function showMore(): void {
  const link = make("input", { id: "link", readonly: "", value: `${location.origin}/s/${data.link}#t=${token}` });
  const more = make(
    "details",
    {},
    make("summary", {}, t("answer.more")),
    make("p", {}, t("answer.later")),
    make("div", { class: "field" }, make("label", { for: "link" }, t("answer.link")), link),
    make("button", { type: "button", id: "withdraw", onclick: askWithdrawal }, t("answer.withdraw")),
  );
  link.addEventListener("focus", () => link.select());
  element("more").textContent = "";
  element("more").append(more);
}

function askWithdrawal(): void {
  element("more").textContent = "";
  const back = (): void => (seat ? (showMore(), showNext()) : void start());
  show(title(t("answer.withdraw")), make("p", {}, t("answer.withdraw_sure")), button(t("answer.withdraw_do"), () => void withdraw()), " ", make("button", { type: "button", onclick: back }, t("answer.back")));
}

async function withdraw(): Promise<void> {
  try {
    await call("POST", `/api/s/withdraw?lang=${data.lang}`, token);
  } catch (error) {
    if ((error as Refusal).kind !== "participant-unknown") return showRefusal(error as Refusal, () => void withdraw());
  }
  outbox?.clear();
  for (const key of [`bidui-answers-${token}`, holder, done]) keep(key, null);
  token = "";
  outbox = null;
  say("");
  show(title(t("answer.title")), make("p", {}, t("answer.withdrawn")));
}

window.addEventListener("online", () => void outbox?.send());
// The other language, with everything else in the address as it is.
query.set("lang", data.lang === "zh" ? "en" : "zh");
element("language").setAttribute("href", `?${query}`);
void start();
