// What was typed where the text has no place for it yet: shown in the rows until the server has made one.
import type { ParadigmRows, Step } from "../shapes";
import { find, inWording, keyOf, replaced, stepOf, type Target, wordingOf } from "./targets";

interface Typed {
  target: Target;
  value: string;
}

export class Wanted {
  private typed = new Map<string, Typed>();

  has(target: Target): boolean {
    return this.typed.has(keyOf(target));
  }

  get(target: Target): Typed | undefined {
    return this.typed.get(keyOf(target));
  }

  set(target: Target, value: string): void {
    this.typed.set(keyOf(target), { target, value });
  }

  delete(target: Target): void {
    this.typed.delete(keyOf(target));
  }

  all(): Typed[] {
    return [...this.typed.values()];
  }

  /** The edit that puts the value into the text; none where it is there by now. */
  step(target: Target): Step | null {
    const found = this.get(target);
    return found ? stepOf(target, found.value.trim()) : null;
  }

  /** The server's rows with what was typed in them; `before` are the rows it was typed into. */
  within(rows: ParadigmRows, before: ParadigmRows | null): ParadigmRows {
    for (const { target, value } of this.all()) {
      const { value: written, span } = find(rows, target);
      rows = replaced(rows, target, span ? written : value, span);
      const items = before && target.of === "line" ? wordingOf(before, target.variant)?.rows : undefined;
      if (items && target.of === "line") rows = inWording(rows, target.variant, (now) => ({ ...now, rows: items }));
    }
    return rows;
  }
}
