// Rows ahead of the server: what an edit makes of them is shown at once, so that one can go on typing in what it adds,
// and what is typed after it goes where the reader sees it.
import type { Path, PhraseAlternative, PhraseRow, SlotRow, Step } from "../shapes";
import { NEW, pathOf } from "./targets";

type Parts = Record<string, string>;

/** Something that waits for its turn, and what it will make of the rows. */
export interface Waiting {
  show: (rows: PhraseRow[]) => PhraseRow[];
  once: boolean; // not any more when the server has made it
}

export const same = (rows: PhraseRow[]): PhraseRow[] => rows;

/** The rows after an edit, as far as they can be told before the server has made it. */
export function ahead(rows: PhraseRow[], step: Step): PhraseRow[] {
  const { phrase, name, part } = step as { phrase?: string; name?: string; part?: string };
  const { number = -1, to = -1, at } = step as { number?: number; to?: number; at?: number };
  const alternatives = (change: (now: PhraseAlternative[]) => PhraseAlternative[]): PhraseRow[] =>
    rows.map((row) => (row.name === phrase ? { ...row, alternatives: change(row.alternatives) } : row));
  const parts = (change: (now: SlotRow[]) => SlotRow[]): PhraseRow[] =>
    alternatives((now) => now.map((one, n) => (n === number ? { ...one, parts: change(one.parts) } : one)));
  switch (step.do) {
    case "add_phrase": {
      const fresh = { name: name!, span: NEW, depth: "", alternatives: [freshAlternative(["phrases", name!, 0], "")] };
      return rows.toSpliced(at ?? rows.length, 0, fresh);
    }
    case "rename_phrase": {
      const free = !rows.some((row) => row.name === step["to"]);
      return rows.map((row) => (free && row.name === name ? { ...row, name: String(step["to"]) } : row));
    }
    case "delete_phrase":
      return rows.filter((row) => row.name !== name);
    case "move_phrase":
      return shifted(rows, rows.findIndex((row) => row.name === name), to);
    case "add_alternative": {
      const value = step["value"] as string | { parts: Parts; head: string };
      return alternatives((now) => {
        const place = at ?? now.length;
        return now.toSpliced(place, 0, freshAlternative(["phrases", phrase!, place], value));
      });
    }
    case "delete_alternative":
      return alternatives((now) => now.filter((_, n) => n !== number));
    case "move_alternative":
      return alternatives((now) => shifted(now, number, to));
    case "add_part": {
      const row = rows.find((one) => one.name === phrase);
      const fresh = freshPart([...(row ? pathOf(row, number) : []), "parts", part!], part!);
      return parts((now) => now.toSpliced(at ?? now.length, 0, fresh));
    }
    case "delete_part":
      return parts((now) => now.filter((row) => row.name !== part));
    case "move_part":
      return parts((now) => shifted(now, now.findIndex((row) => row.name === part), to));
    case "rename_part":
      return parts((now) => now.map((row) => (row.name === part ? { ...row, name: name! } : row)));
    default:
      return rows;
  }
}

function shifted<Item>(items: Item[], from: number, to: number): Item[] {
  const item = items[from];
  return item === undefined ? items : items.toSpliced(from, 1).toSpliced(to, 0, item);
}

function freshAlternative(path: Path, value: string | { parts: Parts; head: string }): PhraseAlternative {
  if (typeof value === "string") return { span: NEW, rule: value, parts: [], line: "", head: "", weight: "" };
  const parts = Object.entries(value.parts).map(([name, rule]) => freshPart([...path, "parts", name], name, rule));
  return { span: NEW, rule: null, parts, line: "", head: value.head, weight: "" };
}

function freshPart(path: Path, name: string, rule = ""): SlotRow {
  return { name, rule, path, name_span: NEW, rule_span: NEW };
}
