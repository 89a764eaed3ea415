// The wordings of a paradigm as tabs, and the options of each.
import { useRef } from "preact/hooks";
import type { Step } from "../api";
import { useCommit } from "../editor/inputs";
import { Menu } from "../editor/row_tools";
import { focusStays } from "../keyboard";
import { t } from "../page";
import type { ParadigmRows, Wording } from "../wire";
import { TextInput } from "./fields";
import type { ParadigmModel } from "./model";
import { hasVariants } from "./rows";

/** Show a wording: by its number, or by a function of the number shown now. */
export type ChooseWording = (wording: number | ((now: number) => number)) => void;

interface TabsProps {
  model: ParadigmModel;
  rows: ParadigmRows;
  chosen: number;
  choose: ChooseWording;
}

export function VariantTabs({ model, rows, chosen, choose }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const many = hasVariants(rows);
  const add = (copy: number | null): void => {
    const names = new Set(rows.wordings.map(({ name }) => name));
    let n = many ? rows.wordings.length + 1 : 2;
    while (names.has(`wording ${n}`)) n++;
    const name = `wording ${n}`;
    const stays = focusStays();
    void model.do({ do: "add_variant", name, copy_of: copy, at: null }).then((applied) => {
      if (applied && stays()) choose((model.rows?.wordings.length ?? 1) - 1); // otherwise it would be in the reader's way
    });
  };
  const move = (to: number): void =>
    void model.do({ do: "move_variant", variant: chosen, to }).then((applied) => {
      if (!applied) return;
      choose((now) => (now === chosen ? to : now + Number(to <= now && now < chosen) - Number(chosen < now && now <= to)));
      follow();
    });
  const remove = (): void =>
    void model.do({ do: "delete_variant", variant: chosen }).then((applied) => {
      if (applied) choose((now) => (now < chosen ? now : Math.max(0, now - 1)));
    });
  /** Move the focus to the chosen tab if it is in the tabs. */
  const follow = (): void =>
    void setTimeout(() => {
      if (list.current?.contains(document.activeElement)) list.current.querySelector<HTMLElement>("[aria-selected=true]")?.focus();
    });
  const keys = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    const to = (chosen + by + rows.wordings.length) % rows.wordings.length;
    if (event.altKey) move(to);
    else choose(to);
    follow();
    event.preventDefault();
  };
  return (
    <div class="tabs">
      {many && (
        <div role="tablist" ref={list} aria-label={t("paradigm.wordings")} onKeyDown={keys}>
          {rows.wordings.map((wording, number) => (
            <button type="button" role="tab" key={number} id={`tab-${number}`} aria-selected={number === chosen} aria-controls="wording"
              tabIndex={number === chosen ? 0 : -1} onClick={() => choose(number)}>{wording.name}</button>
          ))}
        </div>
      )}
      {model.mayEdit && <button type="button" class="plain" onClick={() => add(many ? chosen : 0)}>{t("paradigm.wording.add")}</button>}
      {many && model.mayEdit && (
        <Menu label={t("paradigm.wording.actions")} actions={[
          { label: t("paradigm.wording.empty"), run: () => add(null) },
          ...(chosen > 0 ? [{ label: t("paradigm.wording.left"), run: () => move(chosen - 1) }] : []),
          ...(chosen < rows.wordings.length - 1 ? [{ label: t("paradigm.wording.right"), run: () => move(chosen + 1) }] : []),
          { label: t("paradigm.wording.delete"), run: remove, danger: true },
        ]} />
      )}
    </div>
  );
}

/** The name, weight, links and repetitions of a wording. */
export function WordingOptions({ model, wording, variant }: { model: ParadigmModel; wording: Wording; variant: number | null }) {
  const set = Object.keys(wording.groups).length + Object.keys(wording.options).length;
  const key = variant ?? "p";
  return (
    <details class="options" open={Object.keys(wording.groups).length > 0 || wording.options["crossed"] === "true"}>
      <summary>{t("paradigm.options")}{set > 0 && <span class="muted"> · {set}</span>}</summary>
      <div class="option-row">
        {variant !== null && <ListInput model={model} label={t("paradigm.option.name")} value={wording.name}
          step={(value) => ({ do: "set_option", key: "name", value, variant })} />}
        <div class="field">
          <label for={`weight-${key}`}>{t("paradigm.option.weight")}</label>
          <TextInput id={`weight-${key}`} model={model} target={{ of: "option", key: "weight", variant }} size={5} />
        </div>
        {(["link", "repeat"] as const).map((name) => (
          <ListInput key={name} model={model} label={t(`paradigm.option.${name}`)} value={listed(wording.groups[name] ?? [])}
            step={(value) => ({ do: "set_group", key: name, groups: groups(value), variant })} />
        ))}
        <label class="check">
          <input type="checkbox" checked={wording.options["crossed"] === "true"} disabled={!model.mayEdit}
            onChange={(event) => void model.do({ do: "set_option", key: "crossed", value: event.currentTarget.checked ? "true" : "", variant })} />{" "}
          {t("paradigm.option.crossed")}
        </label>
      </div>
      <p class="hint">{t("paradigm.option.hint")}</p>
    </details>
  );
}

const listed = (lists: string[][]): string => lists.map((group) => group.join(", ")).join("; ");
const groups = (text: string): string[][] =>
  text.split(/[;；]/).map((group) => group.split(/[,，\s]+/).filter(Boolean)).filter((group) => group.length > 0);

interface ListInputProps {
  model: ParadigmModel;
  label: string;
  value: string;
  step: (text: string) => Step;
}

/** An input for a name or a list, which takes effect when it is left or on Enter. */
function ListInput({ model, label, value, step }: ListInputProps) {
  const { commit, attributes } = useCommit(
    model.edits,
    { value, step, apply: (edit) => model.do(edit) },
    (event) => event.key === "Enter" && commit(),
  );
  return (
    <label class="field"><span>{label}</span>
      <input {...attributes} readOnly={!model.mayEdit} />
    </label>
  );
}
