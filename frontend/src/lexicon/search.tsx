// The search field of the lexicon: text and conditions as in rules, with suggestions for features and values.
import { useEffect, useRef } from "preact/hooks";
import { t } from "../page";
import { Popup, type Suggestion } from "./suggestions";
import { termAt } from "./view";
import { ownText, type Workspace } from "./workspace";

export const SEARCH = "lexicon-search";

export function Search(props: { space: Workspace; find: (query: string) => void; toGrid: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const { space } = props;

  useEffect(() => {
    const input = field.current!;
    const popup = new Popup(t("lexicon.suggestions"), (text) => take(text));
    popup.serve(input);
    const offer = (): void => popup.show(input, options(space, input.value, input.selectionStart ?? 0));
    let composing = false;
    const typed = (): void => {
      if (composing) return;
      offer();
      props.find(input.value);
    };
    input.addEventListener("compositionstart", () => (composing = true));
    input.addEventListener("compositionend", () => {
      composing = false;
      typed();
    });
    input.addEventListener("input", typed);
    input.addEventListener("blur", () => popup.hide());
    input.addEventListener("keydown", (event) => {
      if (event.isComposing || event.keyCode === 229) return;
      const chosen = popup.current;
      if (event.key === "ArrowDown" && (popup.open || event.altKey)) popup.open ? popup.move(1) : offer();
      else if (event.key === "ArrowUp" && popup.open) popup.move(-1);
      else if ((event.key === "Enter" || event.key === "Tab") && chosen !== null) take(chosen);
      else if (event.key === "Enter" || event.key === "ArrowDown") props.toGrid();
      else if (event.key === "Escape" && popup.open) popup.hide();
      else if (event.key === "Escape" && input.value) {
        input.value = "";
        props.find("");
      } else return;
      event.preventDefault();
    });
    const take = (text: string): void => {
      const cursor = input.selectionStart ?? input.value.length;
      input.setRangeText(text, termAt(input.value, cursor).start, cursor, "end");
      if (text.endsWith(":")) offer();
      else popup.hide();
      props.find(input.value);
    };
  }, []);

  return (
    <div class="field grow">
      <label for={SEARCH}>{t("lexicon.search")}</label>
      <input
        id={SEARCH}
        ref={field}
        type="text"
        inputMode="search"
        autocomplete="off"
        spellcheck={false}
        placeholder={ownText("search_hint")}
        aria-keyshortcuts="Control+F"
      />
    </div>
  );
}

/** What may be typed at the cursor: features after a blank, values after a colon. */
function options(space: Workspace, query: string, cursor: number): Suggestion[] {
  const { name, value } = termAt(query, cursor);
  const columns = space.view.columns().filter((column) => column !== "expression");
  if (value !== null) return columns.includes(name) ? space.values.suggest(name, value) : [];
  if (name === "" || name.startsWith('"')) return [];
  const wanted = name.toLowerCase();
  return columns.filter((column) => column.toLowerCase().startsWith(wanted)).map((column) => ({ text: `${column}:`, count: null }));
}
