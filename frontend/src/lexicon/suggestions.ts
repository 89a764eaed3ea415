// Suggestions while a cell or a search is typed: the values that words have, and the list under the input.
import { number } from "../page";
import type { Feature } from "../wire";
import type { Row, Sheet } from "./sheets";

export interface Suggestion {
  readonly text: string;
  readonly count: number | null;
}

const MOST = 50;

/** The values of each column, counted when first needed and again after each edit. */
export class Values {
  private counted = new Map<string, Map<string, number>>();

  constructor(
    private sheets: () => readonly Sheet[],
    private features: () => readonly Feature[],
  ) {}

  clear(): void {
    this.counted.clear();
  }

  /** The values for the last of those joined by `/`: first those that begin like it, then the most frequent. */
  suggest(column: string, typed: string): Suggestion[] {
    if (column === "expression") return [];
    const before = typed.split("/");
    const wanted = (before.pop() ?? "").trim().toLowerCase();
    const suggestions = [...this.counts(column)]
      .filter(([value]) => value.toLowerCase().includes(wanted) && !before.includes(value))
      .map(([text, count]) => ({ text, count, late: text.toLowerCase().startsWith(wanted) ? 0 : 1 }));
    suggestions.sort((a, b) => a.late - b.late || b.count - a.count || a.text.localeCompare(b.text));
    return suggestions.slice(0, MOST);
  }

  private counts(column: string): Map<string, number> {
    const counts = this.counted.get(column) ?? this.count(column);
    this.counted.set(column, counts);
    return counts;
  }

  private count(column: string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const sheet of this.sheets()) {
      const at = sheet.columns.indexOf(column);
      if (at < 0) continue;
      for (const row of sheet.rows) for (const value of valuesOf(row, at)) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    // the kinds that values belong to are in no cell, but may be searched for and written
    const listed = this.features().find((feature) => feature.name === column)?.values ?? [];
    for (const [value, count] of listed) if (!counts.has(value)) counts.set(value, count);
    return counts;
  }
}

function valuesOf(row: Row, at: number): string[] {
  const cell = row.cells[at];
  return cell ? cell.split("/").map((value) => value.trim()).filter(Boolean) : [];
}

let lists = 0;

/** A list of suggestions under an input. The input keeps the focus; the list shows which one is chosen. */
export class Popup {
  private readonly list = document.createElement("ul");
  private options: readonly Suggestion[] = [];
  private chosen = -1;
  private field: HTMLInputElement | null = null;

  constructor(
    label: string,
    private readonly pick: (text: string) => void,
  ) {
    this.list.id = `suggestions-${++lists}`;
    this.list.className = "suggestions";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", label);
    this.list.hidden = true;
    this.list.addEventListener("pointerdown", (event) => {
      event.preventDefault(); // the input keeps the focus
      const at = [...this.list.children].indexOf((event.target as Element).closest("li") as Element);
      if (at >= 0) this.pick(this.options[at]!.text);
    });
    document.body.append(this.list);
  }

  /** Mark an input as one with suggestions, as screen readers expect it. */
  serve(field: HTMLInputElement): void {
    field.setAttribute("role", "combobox");
    field.setAttribute("aria-autocomplete", "list");
    field.setAttribute("aria-expanded", "false");
    field.setAttribute("aria-controls", this.list.id);
  }

  get open(): boolean {
    return !this.list.hidden;
  }

  get current(): string | null {
    return this.options[this.chosen]?.text ?? null;
  }

  show(field: HTMLInputElement, options: readonly Suggestion[], beside: Element = field): void {
    if (options.length === 0) return this.hide();
    this.field = field;
    this.options = options;
    this.list.replaceChildren(...options.map((option, n) => item(option, `${this.list.id}-${n}`)));
    this.list.hidden = false;
    field.setAttribute("aria-expanded", "true");
    this.choose(-1);
    this.place(beside);
  }

  hide(): void {
    if (!this.open) return;
    this.list.hidden = true;
    this.options = [];
    this.choose(-1);
    this.field?.setAttribute("aria-expanded", "false");
  }

  /** Choose the next suggestion or the one before; before the first none is chosen. */
  move(by: number): void {
    const count = this.options.length;
    this.choose(this.chosen + by < -1 ? count - 1 : this.chosen + by >= count ? -1 : this.chosen + by);
  }

  private choose(at: number): void {
    this.list.children[this.chosen]?.setAttribute("aria-selected", "false");
    this.chosen = at;
    const chosen = this.list.children[at];
    chosen?.setAttribute("aria-selected", "true");
    chosen?.scrollIntoView({ block: "nearest" });
    if (chosen) this.field?.setAttribute("aria-activedescendant", chosen.id);
    else this.field?.removeAttribute("aria-activedescendant");
  }

  private place(beside: Element): void {
    const box = beside.getBoundingClientRect();
    const { style } = this.list;
    style.minWidth = `${Math.max(box.width, 140)}px`;
    style.left = `${Math.max(4, Math.min(box.left, innerWidth - this.list.offsetWidth - 8))}px`;
    const below = innerHeight - box.bottom - 8;
    const above = box.top - 8;
    const up = below < Math.min(this.list.scrollHeight, 240) && above > below;
    style.maxHeight = `${Math.min(up ? above : below, 320)}px`;
    style.top = up ? "auto" : `${box.bottom + 1}px`;
    style.bottom = up ? `${innerHeight - box.top + 1}px` : "auto";
  }
}

function item(option: Suggestion, id: string): HTMLLIElement {
  const line = document.createElement("li");
  line.id = id;
  line.setAttribute("role", "option");
  line.setAttribute("aria-selected", "false");
  const text = document.createElement("span");
  text.textContent = option.text;
  line.append(text);
  if (option.count !== null) {
    const count = document.createElement("span");
    count.className = "count";
    count.textContent = number(option.count);
    line.append(count);
  }
  return line;
}
