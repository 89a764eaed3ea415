// What a participant sees, one screen at a time. Sentences are plain text: nothing marks where they differ.

export type Layout = "rows" | "columns";

type Child = Node | string;

/** Make an element; a property that starts with "on" is a listener, all others are attributes. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Record<string, string | (() => void)> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === "string") element.setAttribute(key, value);
    else element.addEventListener(key.slice(2), value);
  }
  for (const child of children) element.append(child);
  return element;
}

/** The paragraphs of a text. */
export const paragraphs = (text: string): HTMLElement[] =>
  text.split(/\n+/).filter((line) => line.trim()).map((line) => make("p", {}, line));

/** Two sentences stand beside each other only where there is room. */
export const fittingLayout = (wanted: Layout): Layout => (wanted === "columns" && window.innerWidth >= 640 ? "columns" : "rows");

export interface TrialView {
  task: "choice" | "rating";
  sentences: readonly string[];
  question: string;
  low: string;
  high: string;
  layout: Layout; // as it is shown
  written: string; // the language of the sentences
  answer: (value: number) => void;
}

const SCALE = 7;

/** One trial: a question, and as many buttons as there are answers. */
export function trialScreen(view: TrialView): HTMLElement {
  const lang = view.written === "zh" ? "zh-Hans" : view.written;
  const title = make("h1", { id: "question", tabindex: "-1" }, view.question);
  const group = { role: "group", "aria-labelledby": "question" };
  if (view.task === "choice") {
    const buttons = view.sentences.map((sentence, index) =>
      make(
        "button",
        { type: "button", class: "sentence", onclick: () => view.answer(index + 1) },
        make("span", { class: "key", "aria-hidden": "true" }, String(index + 1)),
        make("span", { lang }, sentence),
      ),
    );
    return make("section", {}, title, make("div", { ...group, class: view.layout }, ...buttons));
  }
  const points = Array.from({ length: SCALE }, (_, index) => {
    const value = index + 1;
    const label = value === 1 ? `1: ${view.low}` : value === SCALE ? `${SCALE}: ${view.high}` : String(value);
    return make("button", { type: "button", class: "point", "aria-label": label, onclick: () => view.answer(value) }, String(value));
  });
  const ends = make("p", { class: "ends", "aria-hidden": "true" }, make("span", {}, view.low), make("span", {}, view.high));
  return make("section", {}, title, make("p", { class: "sentence alone", lang }, view.sentences[0] ?? ""), make("div", { ...group, class: "scale" }, ...points), ends);
}

/** The answer that a key stands for, or 0; up and down scroll. */
export function keyAnswer(key: string, task: TrialView["task"]): number {
  if (task === "rating") return /^[1-7]$/.test(key) ? Number(key) : 0;
  if (["1", "f", "F", "ArrowLeft"].includes(key)) return 1;
  return ["2", "j", "J", "ArrowRight"].includes(key) ? 2 : 0;
}
