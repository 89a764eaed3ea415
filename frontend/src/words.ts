// The interface's words in the reader's language, which the server wrote into the page.
import { embedded, page } from "./page";

const words = embedded("words") as Record<string, string>;

/** The words of a key, with `{name}` filled in; a key that has none is shown as it is, so that it is noticed. */
export function t(key: string, values: Record<string, string | number> = {}): string {
  return (words[key] ?? key).replace(/\{(\w+)\}/g, (whole, name: string) =>
    name in values ? say(values[name]!) : whole,
  );
}

function say(value: string | number): string {
  return typeof value === "number" ? number(value) : value;
}

/** A number with its thousands set apart. */
export function number(value: number): string {
  return new Intl.NumberFormat(page.lang).format(value);
}

/** A time of the server (ISO 8601, UTC) as people here say it: the hour for today, else the day as well. */
export function time(iso: string): string {
  const date = new Date(iso);
  if (Number.isNaN(date.valueOf())) return iso;
  const today = new Date().toDateString() === date.toDateString();
  const options: Intl.DateTimeFormatOptions = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  return new Intl.DateTimeFormat(page.lang === "zh" ? "zh-CN" : "en-GB", options).format(date);
}
