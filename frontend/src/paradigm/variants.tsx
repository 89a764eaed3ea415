// The wordings of a paradigm as tabs, and what is said of each beside its lines.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ParadigmRows, Wording } from "../shapes";
import { t } from "../words";
import { TextInput } from "./fields";
import { Menu } from "./menu";
import type { ParadigmModel } from "./model";
import { hasVariants } from "./targets";

interface TabsProps {
  model: ParadigmModel;
  rows: ParadigmRows;
  chosen: number;
  choose: (wording: number) => void;
}

export function VariantTabs({ model, rows, chosen, choose }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const many = hasVariants(rows);
  const add = (copy: number | null): void => {
    const names = new Set(rows.wordings.map(({ name }) => name));
    let n = many ? rows.wordings.length + 1 : 2;
    while (names.has(`wording ${n}`)) n++;
    const name = `wording ${n}`;
    void model.do({ do: "add_variant", name, copy_of: copy, at: null }).then((done) => done && choose((model.rows?.wordings.length ?? 1) - 1));
  };
  const step = (name: string, more: object, to: number): void =>
    void model.do({ do: name, variant: chosen, ...more }).then((done) => done && choose(Math.max(0, to)));
  const keys = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (by === undefined) return;
    const to = (chosen + by + rows.wordings.length) % rows.wordings.length;
    if (event.altKey) step("move_variant", { to }, to);
    else choose(to);
    setTimeout(() => list.current?.querySelector<HTMLElement>("[aria-selected=true]")?.focus());
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
          ...(chosen > 0 ? [{ label: t("paradigm.wording.left"), run: () => step("move_variant", { to: chosen - 1 }, chosen - 1) }] : []),
          ...(chosen < rows.wordings.length - 1 ? [{ label: t("paradigm.wording.right"), run: () => step("move_variant", { to: chosen + 1 }, chosen + 1) }] : []),
          { label: t("paradigm.wording.delete"), run: () => step("delete_variant", {}, chosen - 1), danger: true },
        ]} />
      )}
    </div>
  );
}

/** Name, weight, links and repetitions of a wording. */
export function WordingOptions({ model, wording, variant }: { model: ParadigmModel; wording: Wording; variant: number | null }) {
  const set = Object.keys(wording.groups).length + Object.keys(wording.options).length;
  const key = variant ?? "p";
  return (
    <details class="options" open={Object.keys(wording.groups).length > 0 || wording.options["crossed"] === "true"}>
      <summary>{t("paradigm.options")}{set > 0 && <span class="muted"> · {set}</span>}</summary>
      <div class="option-row">
        {variant !== null && <Once label={t("paradigm.option.name")} value={wording.name} readOnly={!model.mayEdit}
          write={(value) => void model.do({ do: "set_option", key: "name", value, variant })} />}
        <div class="field">
          <label for={`weight-${key}`}>{t("paradigm.option.weight")}</label>
          <TextInput id={`weight-${key}`} model={model} target={{ of: "option", key: "weight", variant }} size={5} />
        </div>
        {(["link", "repeat"] as const).map((name) => (
          <Once key={name} label={t(`paradigm.option.${name}`)} value={shown(wording.groups[name] ?? [])} readOnly={!model.mayEdit}
            write={(value) => void model.do({ do: "set_group", key: name, groups: groups(value), variant })} />
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

const shown = (found: string[][]): string => found.map((group) => group.join(", ")).join("; ");
const groups = (text: string): string[][] =>
  text.split(/[;；]/).map((group) => group.split(/[,，\s]+/).filter(Boolean)).filter((group) => group.length > 0);

/** An input that takes effect when it is left, or on Enter. */
function Once({ label, value, readOnly, write }: { label: string; value: string; readOnly: boolean; write: (value: string) => void }) {
  const [text, type] = useState(value);
  useEffect(() => type(value), [value]);
  const done = (): void => {
    if (text.trim() !== value) write(text.trim());
  };
  return (
    <label class="field"><span>{label}</span>
      <input type="text" value={text} readOnly={readOnly} autocomplete="off" spellcheck={false}
        onInput={(event) => type(event.currentTarget.value)} onBlur={done}
        onKeyDown={(event) => event.key === "Enter" && !event.isComposing && done()} />
    </label>
  );
}
