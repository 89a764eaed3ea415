// What a phrase prints, as the server says of a paradigm that is made of it: each alternative is a wording whose slots
// are the parts.
import { page } from "../page";
import { Live } from "../paradigm/live";
import type { PhraseAlternative, PhraseRow, SlotWords } from "../shapes";

const FILE = "paradigms/phrase/sample.yaml"; // which is never written

export class Samples {
  readonly live = new Live(page.project, FILE, () => this.text);
  private text = "";
  private numbers: number[] = []; // of the alternatives, by wording

  /** The phrase as it is now; the server is asked where it is another one, or another text. */
  of(phrase: PhraseRow): void {
    const whole = phrase.alternatives.map((one, number) => ({ one, number })).filter(({ one }) => isWhole(one));
    const text = paradigmOf(whole.map(({ one }) => one));
    if (text === this.text) return;
    this.text = text;
    this.numbers = whole.map(({ number }) => number);
    if (whole.length) this.live.changed();
  }

  /** The words that fit the rule of an alternative, or of a part of it. */
  words(number: number, part: string): SlotWords | undefined {
    const wording = this.numbers.indexOf(number);
    return this.live.words.find((each) => each.wording === wording && each.slot === (part || "word"));
  }

  /** Some of what the phrase prints, each once. */
  get printed(): string[] {
    if (this.live.broken || !this.numbers.length) return [];
    return [...new Set(this.live.pairs?.pairs.map(({ good }) => good) ?? [])];
  }
}

const isWhole = ({ rule, parts }: PhraseAlternative): boolean =>
  parts.length ? parts.every((part) => part.rule.trim()) : Boolean(rule?.trim());

function paradigmOf(alternatives: PhraseAlternative[]): string {
  const wordings = alternatives.map(({ rule, parts, line, weight }, number) => {
    const slots = parts.length ? parts : [{ name: "word", rule: rule ?? "" }];
    const good = line.trim() || slots.map(({ name }) => name).join(" ");
    const rules = slots.map((slot) => `      ${slot.name}: ${JSON.stringify(slot.rule)}\n`).join("");
    const share = /^\d+(\.\d+)?$/.test(weight) ? `    weight: ${weight}\n` : "";
    return `  - name: "${number}"\n${share}    slots:\n${rules}    good: ${JSON.stringify(good)}\n    bad: ${JSON.stringify(`${good} "×"`)}\n`;
  });
  return `format: 1\nuid: sample\nphenomenon: phrase\nvariants:\n${wordings.join("")}`;
}
