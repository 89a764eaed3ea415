// The input of the active cell. It has the focus whenever the grid has it, with the cell's text selected, so that an
// input method always composes into a real input: the first key replaces the text, F2 or a click goes into it.
import { Popup, type Suggestion } from "./suggestions";

export interface CellHost {
  suggest(typed: string): readonly Suggestion[];
  /** The cell has a new text; called before the active cell changes. */
  edited(value: string): void;
  /** The text typed so far; null when it has become the cell's text. */
  typing(value: string | null): void;
  /** Nothing is being typed any more. */
  ended(): void;
  move(rows: number, columns: number): void;
  /** Keys while nothing is being typed; return whether the key was used. */
  ready(event: KeyboardEvent): boolean;
}

export class CellEditor {
  readonly field = document.createElement("input");
  editing = false;
  composing = false;
  private value = "";
  private readonly popup: Popup;

  constructor(
    private readonly host: CellHost,
    suggestions: string, // the label of the list
  ) {
    this.popup = new Popup(suggestions, (text) => this.take(text));
    const { field } = this;
    field.className = "cell-field";
    field.autocomplete = "off";
    field.spellcheck = false;
    field.setAttribute("autocapitalize", "off");
    this.popup.serve(field);
    field.addEventListener("keydown", (event) => this.key(event));
    field.addEventListener("compositionstart", () => {
      this.composing = true;
      this.begin();
    });
    field.addEventListener("compositionend", () => {
      this.composing = false;
      this.typed();
    });
    field.addEventListener("input", () => {
      this.begin();
      if (!this.composing) this.typed();
    });
    field.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      if (document.activeElement === field) return this.begin();
      event.preventDefault(); // the first click is for the cell, the second for its text
      this.focus();
    });
    field.addEventListener("blur", () => this.commit());
  }

  /** Show a cell's text, all of it selected. */
  load(value: string, options: { label: string; problem: string; invalid: boolean; readonly: boolean }): void {
    this.value = value;
    const { field } = this;
    field.value = value;
    field.readOnly = options.readonly;
    field.setAttribute("aria-label", options.label);
    if (options.problem) field.setAttribute("aria-description", options.problem);
    else field.removeAttribute("aria-description");
    field.setAttribute("aria-invalid", String(options.invalid));
    this.end();
    if (document.activeElement === field) field.select();
  }

  focus(): void {
    this.field.focus({ preventScroll: true });
    if (!this.editing) this.field.select();
  }

  /** Go into the text, with the cursor at its end. */
  open(): void {
    if (this.field.readOnly) return;
    this.begin();
    this.field.setSelectionRange(this.field.value.length, this.field.value.length);
  }

  /** Insert a text at the cursor, as if it were typed. */
  insert(text: string): void {
    const { field } = this;
    field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
    this.typed();
  }

  /** Make what was typed the cell's text. */
  commit(): void {
    if (!this.editing) return;
    const value = this.field.value.trim();
    const changed = value !== this.value;
    this.value = value;
    this.field.value = value;
    this.host.typing(null);
    this.end();
    if (changed) this.host.edited(value);
  }

  private cancel(): void {
    this.field.value = this.value;
    this.host.typing(null);
    this.end();
    this.field.select();
  }

  private begin(): void {
    if (this.editing || this.field.readOnly) return;
    this.editing = true;
    this.field.classList.add("editing");
  }

  private end(): void {
    const was = this.editing;
    this.editing = false;
    this.field.classList.remove("editing");
    this.popup.hide();
    if (was) this.host.ended();
  }

  private typed(): void {
    this.host.typing(this.field.value);
    this.suggest();
  }

  private suggest(): void {
    const options = this.host.suggest(this.field.value);
    const last = this.field.value.split("/").at(-1) ?? "";
    const complete = options.length === 1 && options[0]!.text === last;
    this.popup.show(this.field, complete ? [] : options, this.field.parentElement ?? this.field);
  }

  /** Replace the last of the values joined by `/` by a suggestion. */
  private take(text: string): void {
    this.begin();
    this.field.value = [...this.field.value.split("/").slice(0, -1), text].join("/");
    this.host.typing(this.field.value);
    this.popup.hide();
  }

  private key(event: KeyboardEvent): void {
    if (event.isComposing || event.keyCode === 229) return; // the input method's
    if (!this.editing) {
      if (this.host.ready(event)) event.preventDefault();
      else if (event.altKey && event.key === "ArrowDown" && !this.field.readOnly) {
        event.preventDefault();
        this.open();
        this.suggest();
      }
      return;
    }
    if (this.editingKey(event)) event.preventDefault();
  }

  private editingKey(event: KeyboardEvent): boolean {
    const chosen = this.popup.current;
    switch (event.key) {
      case "Escape":
        if (this.popup.open) this.popup.hide();
        else this.cancel();
        return true;
      case "ArrowDown":
      case "ArrowUp":
        if (!this.popup.open) this.suggest();
        else this.popup.move(event.key === "ArrowDown" ? 1 : -1);
        return true;
      case "Enter":
        if (chosen !== null) {
          this.take(chosen);
          return true;
        }
        this.commit();
        this.host.move(event.shiftKey ? -1 : 1, 0);
        return true;
      case "Tab":
        if (chosen !== null) this.take(chosen);
        this.commit();
        this.host.move(0, event.shiftKey ? -1 : 1);
        return true;
      case "F2":
        this.commit();
        this.field.select();
        return true;
      default:
        return false;
    }
  }
}
