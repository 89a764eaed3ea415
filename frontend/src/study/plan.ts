// A study that is being designed: what was chosen so far, kept in this tab until it is saved on the server.
import { Observable } from "../drawing";
import { page } from "../page";
import type { Design, Rules, StudyForm, StudyPlan } from "../wire";

export type FullDesign = Required<Omit<Design, "rules">> & { rules: Required<Rules> };
export type Lang = "en" | "zh";
export type Texts = Record<string, Record<Lang, string>>;

/** What a designer may choose, and has chosen. */
interface Choices {
  name: string;
  design: FullDesign;
  uids: string[];
  texts: Texts;
  earlier: number | null;
}

export class Plan extends Observable {
  chosen: Choices;
  /** Whether something was changed that is not saved. */
  changed = false;
  private readonly key: string;

  constructor(readonly form: StudyForm) {
    super();
    this.key = `bidui:study:${page.project}:${form.id ?? `new${form.earlier ?? ""}`}`;
    this.chosen = {
      name: form.name,
      design: form.design as FullDesign,
      uids: form.uids,
      texts: form.texts as Texts,
      earlier: form.earlier,
    };
    const kept = this.kept();
    if (kept) [this.chosen, this.changed] = [kept, true];
  }

  get presets(): FullDesign[] {
    return this.form.presets as FullDesign[];
  }

  set(values: Partial<Choices>): void {
    this.chosen = { ...this.chosen, ...values };
    this.changed = true;
    try {
      sessionStorage.setItem(this.key, JSON.stringify(this.chosen));
    } catch {
      // without session storage, a page that is reloaded starts anew
    }
    this.notify();
  }

  setDesign(values: Partial<FullDesign>): void {
    this.set({ design: { ...this.chosen.design, ...values, name: values.name ?? "custom" } });
  }

  setRules(values: Partial<Required<Rules>>): void {
    this.setDesign({ rules: { ...this.chosen.design.rules, ...values } });
  }

  setText(key: string, lang: Lang, text: string): void {
    const { texts } = this.chosen;
    this.set({ texts: { ...texts, [key]: { ...texts[key]!, [lang]: text } } });
  }

  /** Take over a preset; the language of the sentences and the seed stay. */
  usePreset(name: string): void {
    const preset = this.presets.find((each) => each.name === name)!;
    const { language, layout, seed } = this.chosen.design;
    this.setDesign({ ...preset, language, layout, seed });
  }

  /** What the server draws. */
  get request(): StudyPlan {
    return { ...this.chosen, name: this.chosen.name.trim(), base: this.form.base };
  }

  /** Forget what was kept in this tab: the server has it, or it is not wanted. */
  forget(): void {
    this.changed = false;
    try {
      sessionStorage.removeItem(this.key);
    } catch {
      // nothing was kept
    }
  }

  private kept(): Choices | null {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.key) ?? "null") as Choices | null;
      if (!kept) return null;
      const known = new Set(this.form.paradigms.map(({ uid }) => uid));
      const texts = { ...this.chosen.texts, ...kept.texts };
      return { ...kept, uids: kept.uids.filter((uid) => known.has(uid)), texts };
    } catch {
      return null;
    }
  }
}
