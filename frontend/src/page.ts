// What the server wrote into the page for its script: the project and file, the reader, and the words of their language.

export interface Page {
  project: string;
  file: string;
  kind: string;
  may_edit: boolean;
  lang: "en" | "zh";
  name?: string; // of the reader
  alone?: boolean;
  [key: string]: unknown;
}

export const page: Page = { project: "", file: "", kind: "", may_edit: false, lang: "en", ...embedded("page") };

/** The reader's account; blank on a laptop, which has no accounts, and where nobody is signed in. */
export const account: string = page.name === undefined || page.name === "local" ? "" : page.name;

/** The nonce that the Content-Security-Policy requires of styles made by scripts. */
export const nonce: string = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content ?? "";

/** The JSON in `<script type="application/json" id=…>`; an empty object where there is none. */
function embedded(id: string): Record<string, unknown> {
  const text = document.getElementById(id)?.textContent;
  return text ? (JSON.parse(text) as Record<string, unknown>) : {};
}

/** A path inside the workbench, such as a file's, with every part encoded. */
export const encodePath = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** The page of the open project on which a file is edited: a paradigm in rows, any other as a text. */
export const editAddress = (file: string): string => `/p/${encodeURIComponent(page.project)}/edit/${encodePath(file)}`;

/** The page of the open project on which people edit a file: words, phrases and tables have pages of their own. */
export function pageOf(file: string): string {
  const home = `/p/${encodeURIComponent(page.project)}`;
  if (file === "lexicon.tsv" || file.startsWith("lexicon/")) return `${home}/lexicon`;
  if (file === "phrases.yaml") return `${home}/phrases`;
  return file.endsWith(".tsv") ? `${home}/tables/${encodePath(file)}` : editAddress(file);
}

/** The page of the open project that shows the history of a file. */
export const historyAddress = (file: string): string => `/p/${encodeURIComponent(page.project)}/history/${encodePath(file)}`;

// Words -------------------------------------------------------------------------------------------------------------

const words = embedded("words") as Record<string, string>;

/** The text of a key, with `{name}` filled in; a key without a text is shown as it is, so that it is noticed. */
export function t(key: string, values: Record<string, string | number> = {}): string {
  return (words[key] ?? key).replace(/\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}/g, (placeholder, name: string, singular?: string, plural?: string) => {
    const value = values[name];
    if (value === undefined) return placeholder;
    if (plural !== undefined) return String(value) === "1" ? singular! : plural;
    return typeof value === "number" ? number(value) : value;
  });
}

/** The language of a sentence, for the `lang` attribute: Chinese if it has Chinese characters, otherwise the page's. */
export const languageOf = (sentence: string): string => (/\p{Script=Han}/u.test(sentence) ? "zh-Hans" : page.lang);

/** A number with separated thousands. */
export function number(value: number): string {
  return new Intl.NumberFormat(page.lang).format(value);
}

/** A time of the server (ISO 8601, UTC) in the reader's format: only the hour if it is today. */
export function time(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.valueOf())) return iso;
  const today = new Date().toDateString() === date.toDateString();
  const options: Intl.DateTimeFormatOptions = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(page.lang === "zh" ? "zh-CN" : "en-GB", options).format(date);
}

/** Show the times that the server wrote in UTC in the reader's time zone. */
export function localTimes(within: ParentNode): void {
  for (const element of within.querySelectorAll("time")) {
    const time = new Date(element.dateTime);
    if (Number.isNaN(time.valueOf())) continue;
    const two = (value: number): string => String(value).padStart(2, "0");
    const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
    element.textContent = `${day} ${two(time.getHours())}:${two(time.getMinutes())}`;
  }
}

/** The author of a change; the reader's own name means another tab of theirs. */
export function nameOf(author: string): string {
  if (!author) return t("js.somebody");
  return isReader(author) ? t("js.yourself") : author;
}

/** Who else has a file open. */
export function othersHere(names: readonly string[]): string {
  const others = names.filter((name) => !isReader(name));
  return others.length ? t("js.others", { names: others.join(", ") }) : t("js.other_tab");
}

const isReader = (name: string): boolean => name === page.name || name === "local";
