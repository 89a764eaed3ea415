// Slots as rows: the name, the rule, and the words that fit it.
import { useRef } from "preact/hooks";
import { keepCursor, useKeptFocus } from "../drawing";
import { RuleRow } from "../editor/diagnostics";
import { useCommit } from "../editor/inputs";
import { NamedKeys, useDrag } from "../editor/row_tools";
import { focusAfter, focusEditor } from "../editor/rule_editor";
import { t } from "../page";
import type { ParadigmRows, SlotRow } from "../wire";
import type { ParadigmModel } from "./model";
import { slotsOf } from "./rows";

interface SlotsProps {
  model: ParadigmModel;
  rows: ParadigmRows;
  variant: number | null; // null: the slots of the paradigm itself
  wording: number; // whose words are shown
  title: string;
}

export const ruleId = (variant: number | null, slot: string): string => `rule:${variant}:${slot}`;
const nameId = (variant: number | null, slot: string): string => `name-${variant ?? "p"}-${slot}`;

export function Slots({ model, rows, variant, wording, title }: SlotsProps) {
  useKeptFocus();
  const slots = slotsOf(rows, variant);
  const shared = rows.slots.length > 0 || variant !== null ? rows.slots : [];
  const scope = Object.fromEntries([...shared, ...(rows.wordings[wording]?.slots ?? []), ...slots].map((row) => [row.name, row.rule]));
  const move = (from: number, to: number): void => {
    const slot = slots[from]?.name;
    if (slot === undefined || to < 0 || to >= slots.length) return;
    void focusAfter(model.do({ do: "move_slot", slot, to, variant }), ruleId(variant, slot));
  };
  const keys = useRef<NamedKeys | null>(null);
  const named = (keys.current ??= new NamedKeys());
  const rename = (slot: string, name: string): Promise<boolean> => {
    const names = model.rows ? slotsOf(model.rows, variant).map((row) => row.name) : [];
    if (!names.includes(slot)) return Promise.resolve(false); // it has been deleted
    const edit = model.do({ do: "rename_slot", slot, name, variant });
    return names.includes(name) ? edit : named.rename(slot, name, edit);
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
        <tbody ref={keepCursor}>
          {slots.map((slot, row) => (
            <Slot key={named.of(slot.name)} {...{ model, slot, variant, wording, scope, slots, move, rename }} place={row}
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
  slot: SlotRow;
  slots: SlotRow[];
  variant: number | null;
  wording: number;
  scope: Record<string, string>;
  place: number;
  move: (from: number, to: number) => void;
  rename: (slot: string, name: string) => Promise<boolean>;
  drag: { handle: object; row: object };
}

function Slot({ model, slot, slots, variant, wording, scope, place, move, rename, drag }: SlotProps) {
  const path = [...(variant === null ? [] : ["variants", variant]), "slots", slot.name];
  const words = model.live.words.find((fitting) => fitting.slot === slot.name && fitting.wording === wording);
  const go = (row: number): void => {
    const other = slots[row];
    if (other) focusEditor(ruleId(variant, other.name));
    else if (row >= slots.length) document.getElementById(nameId(variant, ""))?.focus();
  };
  const remove = (): void => {
    const next = (slots[place + 1] ?? slots[place - 1])?.name;
    const edit = model.do({ do: "delete_slot", slot: slot.name, variant });
    if (next !== undefined) void focusAfter(edit, ruleId(variant, next));
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
      <td class="name"><SlotName {...{ model, slot, variant, rename, keys }} /></td>
      <td class="cell">
        <RuleRow live={model.live} path={path} words={words} messages={`messages-${variant ?? "p"}-${slot.name}`}
          id={ruleId(variant, slot.name)} kind="rule" label={t("paradigm.rule.of", { slot: slot.name })} value={slot.rule}
          readOnly={!model.mayEdit} empty={t("paradigm.rule.empty")} scope={() => ({ slots: scope, slot: slot.name })}
          change={(rule) => model.write({ of: "rule", slot: slot.name, variant }, rule)} onKey={keys} />
      </td>
      <td class="narrow">
        <button type="button" class="plain icon" disabled={!model.mayEdit} onClick={remove}
          aria-label={t("paradigm.slot.delete", { slot: slot.name })} title={`${t("paradigm.slot.delete", { slot: slot.name })} (Alt+Delete)`}>×</button>
      </td>
    </tr>
  );
}

interface SlotNameProps extends Pick<SlotProps, "model" | "slot" | "variant" | "rename"> {
  keys: (event: KeyboardEvent) => boolean;
}

function SlotName({ model, slot, variant, rename, keys }: SlotNameProps) {
  const id = nameId(variant, slot.name);
  const { commit, attributes, refusal } = useCommit(
    model.edits,
    {
      value: slot.name,
      step: (name) => (name ? { do: "rename_slot", slot: slot.name, name, variant } : null),
      apply: ({ name }) => rename(slot.name, String(name)),
      reason: `${id}-refused`,
    },
    (event) => {
      const row = event.key === "ArrowUp" || event.key === "ArrowDown" || event.altKey;
      if (event.key === "Enter") {
        commit();
        focusEditor(ruleId(variant, slot.name));
      } else if (!row || !keys(event)) return;
      event.preventDefault();
    },
  );
  return (
    <>
      <input {...attributes} class="mono bare" id={id} readOnly={!model.mayEdit} aria-label={t("paradigm.slot.name", { slot: slot.name })} />
      {refusal}
    </>
  );
}

/** The last row, which becomes a slot when it gets a name. */
function NewSlot({ model, variant, last }: { model: ParadigmModel; variant: number | null; last: string | undefined }) {
  const id = nameId(variant, "");
  const { input, commit, attributes, refusal } = useCommit(
    model.edits,
    {
      value: null,
      step: (name) => ({ do: "add_slot", slot: name, rule: "", variant }),
      apply: ({ slot }) => model.addSlot(variant, String(slot)),
      reason: `${id}-refused`,
    },
    (event) => {
      const name = input.current!.value.trim();
      const ends = event.key === "Enter" || event.key === ":" || (event.key === "Tab" && !event.shiftKey);
      if (ends && commit()) {
        focusEditor(ruleId(variant, name));
        event.preventDefault();
      } else if (event.key === "ArrowUp" && last !== undefined) focusEditor(ruleId(variant, last));
    },
  );
  return (
    <tr class="new">
      <td class="narrow" />
      <td class="name">
        <input {...attributes} class="mono bare" id={id} placeholder={t("paradigm.slot.new")} aria-label={t("paradigm.slot.new.label")} />
        {refusal}
      </td>
      <td colSpan={2}>
        <button type="button" class="plain" onClick={() => input.current?.focus()}>{t("paradigm.slot.add")}</button>
      </td>
    </tr>
  );
}
