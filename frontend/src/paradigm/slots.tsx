// Slots as rows: a name, a rule, and the words that fit it.
import { useRef, useState } from "preact/hooks";
import { focusAfter, focusEditor, RuleField } from "../rule_field";
import type { ParadigmRows, SlotRow, SlotWords } from "../shapes";
import { number, t } from "../words";
import { useDrag } from "./drag";
import type { Live } from "./live";
import { at, Messages, underlined } from "./messages";
import type { ParadigmModel } from "./model";
import { slotsOf } from "./targets";
import { movingGently, useKeptFocus } from "./watching";

interface SlotsProps {
  model: ParadigmModel;
  live: Live;
  rows: ParadigmRows;
  variant: number | null; // whose slots these are; none: the paradigm's own
  wording: number; // whose words are shown
  title: string;
}

export const ruleId = (variant: number | null, slot: string): string => `rule:${variant}:${slot}`;
const nameId = (variant: number | null, slot: string): string => `name-${variant ?? "p"}-${slot}`;

export function Slots({ model, live, rows, variant, wording, title }: SlotsProps) {
  useKeptFocus();
  const slots = slotsOf(rows, variant);
  const shared = rows.slots.length > 0 || variant !== null ? rows.slots : [];
  const scope = Object.fromEntries([...shared, ...(rows.wordings[wording]?.slots ?? []), ...slots].map((row) => [row.name, row.rule]));
  const move = (from: number, to: number): void => {
    const slot = slots[from]?.name;
    if (slot === undefined || to < 0 || to >= slots.length) return;
    void focusAfter(model.do({ do: "move_slot", slot, to, variant }), ruleId(variant, slot));
  };
  const drag = useDrag(move);
  const heading = `slots-${variant ?? "p"}`;
  return (
    <section class="slots" aria-labelledby={heading}>
      <h2 id={heading}>{title}</h2>
      <table class="row-table">
        <thead>
          <tr>
            <th scope="col" class="narrow"><span class="unseen">{t("paradigm.move")}</span></th>
            <th scope="col" class="name">{t("paradigm.slot")}</th>
            <th scope="col">{t("paradigm.rule")}</th>
            <th scope="col" class="narrow"><span class="unseen">{t("paradigm.actions")}</span></th>
          </tr>
        </thead>
        <tbody ref={movingGently}>
          {slots.map((slot, row) => (
            <Slot key={slot.name} {...{ model, live, slot, variant, wording, scope, slots }} place={row} move={move}
              drag={{ handle: drag.handle(row), row: drag.row(row) }} />
          ))}
          {model.mayEdit && <NewSlot model={model} variant={variant} last={slots.at(-1)?.name} />}
        </tbody>
      </table>
    </section>
  );
}

interface SlotProps {
  model: ParadigmModel;
  live: Live;
  slot: SlotRow;
  slots: SlotRow[];
  variant: number | null;
  wording: number;
  scope: Record<string, string>;
  place: number;
  move: (from: number, to: number) => void;
  drag: { handle: object; row: object };
}

function Slot({ model, live, slot, slots, variant, wording, scope, place, move, drag }: SlotProps) {
  const [focused, focus] = useState(false);
  const path = [...(variant === null ? [] : ["variants", variant]), "slots", slot.name];
  const here = at(live.diagnostics, path);
  const shown = focused && !live.settled ? [] : here;
  const messages = `messages-${variant ?? "p"}-${slot.name}`;
  const words = live.words.find((each) => each.slot === slot.name && each.wording === wording);
  const go = (row: number): void => {
    const other = slots[row];
    if (other) focusEditor(ruleId(variant, other.name));
    else if (row >= slots.length) document.getElementById(nameId(variant, ""))?.focus();
  };
  const remove = (): void => {
    const next = (slots[place + 1] ?? slots[place - 1])?.name;
    const done = model.do({ do: "delete_slot", slot: slot.name, variant });
    if (next !== undefined) void focusAfter(done, ruleId(variant, next));
  };
  const keys = (event: KeyboardEvent): boolean => {
    const step = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
    if (event.altKey && event.key === "Delete") remove();
    else if (step === undefined || event.shiftKey || event.ctrlKey) return false;
    else if (event.altKey) move(place, place + step);
    else go(place + step);
    return true;
  };
  return (
    <tr {...drag.row}>
      <td class="narrow">
        {model.mayEdit && <span class="handle" {...drag.handle} title={t("paradigm.handle.title")} aria-hidden="true">⠿</span>}
      </td>
      <td class="name"><SlotName model={model} slot={slot} variant={variant} keys={keys} /></td>
      <td class="cell">
        <RuleField id={ruleId(variant, slot.name)} kind="rule" label={t("paradigm.rule.of", { slot: slot.name })} value={slot.rule}
          readOnly={!model.mayEdit} empty={t("paradigm.rule.empty")} scope={() => ({ slots: scope, slot: slot.name })}
          change={(rule) => model.write({ of: "rule", slot: slot.name, variant }, rule)}
          {...{ underlines: underlined(shown), messages, focus }} onKey={keys} />
        <Messages id={messages} diagnostics={shown} />
        <Words words={words} quiet={here.length > 0 || (focused && !live.settled)} />
      </td>
      <td class="narrow">
        <button type="button" class="plain icon" disabled={!model.mayEdit} onClick={remove}
          aria-label={t("paradigm.slot.delete", { slot: slot.name })} title={`${t("paradigm.slot.delete", { slot: slot.name })} (Alt+Delete)`}>×</button>
      </td>
    </tr>
  );
}

function SlotName({ model, slot, variant, keys }: { model: ParadigmModel; slot: SlotRow; variant: number | null; keys: (event: KeyboardEvent) => boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const rename = (): void => {
    if (!input.current) return;
    const name = input.current.value.trim();
    if (!name) input.current.value = slot.name;
    if (!name || name === slot.name) return;
    void model.do({ do: "rename_slot", slot: slot.name, name, variant }).then((done) => {
      if (!done && input.current) input.current.value = slot.name;
    });
  };
  return (
    <input ref={input} type="text" class="mono bare" defaultValue={slot.name} id={nameId(variant, slot.name)} spellcheck={false} autocomplete="off"
      readOnly={!model.mayEdit} aria-label={t("paradigm.slot.name", { slot: slot.name })} onBlur={rename}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Enter") {
          rename();
          focusEditor(ruleId(variant, input.current!.value.trim()));
          event.preventDefault();
        } else if (event.key === "Escape") input.current!.value = slot.name;
        else if (event.key !== "ArrowUp" && event.key !== "ArrowDown" && !event.altKey) return;
        else if (keys(event)) event.preventDefault();
      }} />
  );
}

/** The last row, which becomes a slot when it has a name. */
function NewSlot({ model, variant, last }: { model: ParadigmModel; variant: number | null; last: string | undefined }) {
  const input = useRef<HTMLInputElement>(null);
  const add = (goOn = true): boolean => {
    const name = input.current?.value.trim();
    if (!name) return false;
    input.current!.value = "";
    if (goOn) focusEditor(ruleId(variant, name));
    model.addSlot(variant, name);
    return true;
  };
  const keys = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if ((event.key === "Enter" || (event.key === "Tab" && !event.shiftKey) || event.key === ":") && add()) event.preventDefault();
    else if (event.key === "ArrowUp" && last !== undefined) focusEditor(ruleId(variant, last));
  };
  return (
    <tr class="new">
      <td class="narrow" />
      <td class="name">
        <input ref={input} type="text" class="mono bare" id={nameId(variant, "")} placeholder={t("paradigm.slot.new")} autocomplete="off"
          spellcheck={false} aria-label={t("paradigm.slot.new.label")} onKeyDown={keys} onBlur={() => add(false)} />
      </td>
      <td colSpan={2}>
        <button type="button" class="plain" onClick={() => input.current?.focus()}>{t("paradigm.slot.add")}</button>
      </td>
    </tr>
  );
}

/** How many words fit, and which; where none does, what each condition leaves, unless an error says so already. */
function Words({ words, quiet }: { words: SlotWords | undefined; quiet: boolean }) {
  if (!words) return null;
  const count = words.joint ?? words.alone;
  if (count === 0) return quiet ? <p class="words">{t("paradigm.words", { n: 0 })}</p> : <Narrowings words={words} />;
  const some = words.joint !== null && words.joint !== words.alone;
  const says = some
    ? t("paradigm.words.joint", { joint: words.joint!, alone: words.alone })
    : t(count === 1 ? "paradigm.words.one" : "paradigm.words", { n: count });
  const examples = words.examples.join(" · ") + (words.examples.length < count ? " …" : "");
  return (
    <p class="words">
      <span class="count">{says}</span>
      <span class="examples" title={examples}>{examples}</span>
    </p>
  );
}

function Narrowings({ words }: { words: SlotWords }) {
  const blamed = words.narrowings.filter(({ without }) => without > 0);
  return (
    <div class="words none">
      <p><strong>{t("paradigm.words.none")}</strong></p>
      {words.narrowings.length > 1 && (
        <p>{t("paradigm.words.alone")} {words.narrowings.map((each) => (
          <span class="condition" key={each.text}><code>{each.text}</code> {number(each.alone)}</span>
        ))}</p>
      )}
      {blamed.map((each) => <p key={each.text}>{t("paradigm.words.without", { condition: each.text, n: each.without })}</p>)}
    </div>
  );
}
