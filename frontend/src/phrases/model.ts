// The open phrases: their text, the rows that show it, and samples of what a phrase prints.
import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import * as api from "../api";
import type { Step } from "../api";
import { Live } from "../editor/live";
import { RowsModel, same } from "../editor/rows_model";
import { page, t } from "../page";
import type { FileDocument } from "../saving";
import type { AlternativeRow, PhraseRow, Problem, SlotWords } from "../wire";
import { phrasesForm, type Target } from "./rows";

const RETRY = 1_000; // milliseconds, where the server is away or busy
const SAMPLE = "paradigms/phrase/sample.yaml"; // never written

export class PhrasesModel extends RowsModel<PhraseRow[], Target> {
  renamed = { name: "", paradigms: 0 }; // the last new name, and how many paradigms it was written into

  constructor(file: FileDocument) {
    super(file, phrasesForm);
  }

  get phrases(): PhraseRow[] {
    return this.rows ?? [];
  }

  get canUndo(): boolean {
    return undoDepth(this.view.state) > 0;
  }

  get canRedo(): boolean {
    return redoDepth(this.view.state) > 0;
  }

  undo(command = undo): void {
    void this.queue(() => null, { show: same, once: true }, async () => command(this.view));
  }

  redo(): void {
    this.undo(redo);
  }

  /** Apply an edit; a new name of a phrase goes first into the paradigms that use it. */
  protected override async perform(step: Step): Promise<boolean> {
    if (step.do !== "rename_phrase") return this.edits.perform(step);
    const [name, to] = [String(step["name"]), String(step["to"])];
    const { paradigms, problems } = await renameInParadigms(this.file, name, to);
    this.edits.refused = problems;
    if (problems.length > 0) return false;
    this.undoable = paradigms === 0; // other files have changed, and would not be undone here
    const applied = await this.edits.perform(step);
    this.undoable = true;
    this.renamed = { name: to, paradigms };
    return applied;
  }
}

// Renaming ----------------------------------------------------------------------------------------------------------

/** What became of a new name outside the open text. */
interface Renaming {
  paradigms: number; // that have the new name
  problems: Problem[]; // why nothing was changed
}

/** Have the server write a new name into all paradigms that use the phrase, or into none; the open text still lacks it. */
async function renameInParadigms(file: FileDocument, old: string, to: string): Promise<Renaming> {
  for (;;) {
    try {
      const shared = await api.isShared(file.project, old);
      return shared ? await renameEverywhere(file, old, to) : { paradigms: 0, problems: [] };
    } catch (error) {
      if (!api.mayPass(error)) return { paradigms: 0, problems: refusalOf(error) };
      file.unreachable();
      await new Promise((again) => setTimeout(again, RETRY));
    }
  }
}

async function renameEverywhere(file: FileDocument, old: string, to: string): Promise<Renaming> {
  await file.flush();
  const { text } = await api.openFile(file.project, file.file);
  if (text !== file.text) return { paradigms: 0, problems: [api.problemOf(t("phrases.rename_draft"))] };
  const answer = await api.renamePhrase(file.project, { old, new: to });
  file.base = answer.revision;
  return { paradigms: answer.files.filter((changed) => changed !== file.file).length, problems: [] };
}

function refusalOf(error: unknown): Problem[] {
  if (error instanceof api.Refused && error.problems.length) return error.problems;
  return [api.problemOf(t("js.shell.refused", { status: error instanceof api.Refused ? error.status : 0 }))];
}

// Samples -----------------------------------------------------------------------------------------------------------

/** What a phrase prints: the pairs of a paradigm whose wordings are its alternatives, with the parts as slots. */
export class Samples {
  readonly live = new Live(page.project, SAMPLE, "sample", () => this.text);
  private text = "";
  private numbers: number[] = []; // of the alternatives, by wording

  /** Show the phrase as it is now; the server is asked if that is a different text. */
  show(phrase: PhraseRow): void {
    const complete = [...phrase.alternatives.entries()].filter(([, alternative]) => isComplete(alternative));
    const text = paradigmOf(complete.map(([, alternative]) => alternative));
    if (text === this.text) return;
    this.text = text;
    this.numbers = complete.map(([number]) => number);
    if (complete.length) this.live.changed();
  }

  /** The words that fit the rule of an alternative, or of a part of it. */
  words(number: number, part: string): SlotWords | undefined {
    const wording = this.numbers.indexOf(number);
    return this.live.words.find((words) => words.wording === wording && words.slot === (part || "word"));
  }

  /** Some of what the phrase prints, without repetitions. */
  get printed(): string[] {
    if (this.live.broken || !this.numbers.length) return [];
    return [...new Set(this.live.pairs?.pairs.map(({ good }) => good) ?? [])];
  }
}

const isComplete = ({ rule, parts }: AlternativeRow): boolean =>
  parts.length ? parts.every((part) => part.rule.trim()) : Boolean(rule?.trim());

/** The text of a paradigm that prints these alternatives. */
export function paradigmOf(alternatives: AlternativeRow[]): string {
  const wordings = alternatives.map(({ rule, parts, line, weight }, number) => {
    const slots = parts.length ? parts : [{ name: "word", rule: rule ?? "" }];
    const good = line.trim() || slots.map(({ name }) => name).join(" ");
    const rules = slots.map((slot) => `      ${slot.name}: ${JSON.stringify(slot.rule)}\n`).join("");
    const share = /^\d+(\.\d+)?$/.test(weight) ? `    weight: ${weight}\n` : "";
    return `  - name: "${number}"\n${share}    slots:\n${rules}    good: ${JSON.stringify(good)}\n    bad: ${JSON.stringify(`${good} "×"`)}\n`;
  });
  return `format: 1\nuid: sample\nphenomenon: phrase\nvariants:\n${wordings.join("")}`;
}
