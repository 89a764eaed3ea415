// The parts of an alternative as rows, with the line that prints them and the head that others agree with.
import { useRef } from "preact/hooks";
import { focusEditor } from "../rule_field";
import type { SlotRow } from "../shapes";
import { t } from "../words";
import { type Place, rowKeys, ruleId, RuleRow } from "./rule_row";
import { pathOf } from "./targets";

export function Parts({ model, phrase, number, heading }: Place & { heading: string }) {
  const one = phrase.alternatives[number]!;
  return (
    <>
      <table class="parts" aria-labelledby={heading}>
        <thead>
          <tr>
            <th scope="col" class="name">
              {t("phrases.part")}
            </th>
            <th scope="col">{t("phrases.rule")}</th>
            {model.mayEdit ? (
              <th scope="col" class="narrow">
                <span class="unseen">{t("phrases.actions")}</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {one.parts.map((part, place) => (
            <Part key={place} {...{ model, phrase, number, part, place }} />
          ))}
          {model.mayEdit ? <NewPart {...{ model, phrase, number }} /> : null}
        </tbody>
      </table>
      <div class="alternative-keys">
        <div class="field grow">
          <span aria-hidden="true">{t("phrases.line")}</span>
          <RuleRow
            {...{ model, phrase, number }}
            id={`line:${phrase.name}:${number}`}
            kind="line"
            label={t("phrases.line_of", { n: number + 1 })}
            value={one.line}
            path={[...pathOf(phrase, number), "line"]}
            slot=""
            change={(value) => model.write({ of: "key", phrase: phrase.name, number, key: "line" }, value)}
          />
        </div>
        <Head {...{ model, phrase, number }} />
      </div>
    </>
  );
}

function Part({ model, phrase, number, part, place }: Place & { part: SlotRow; place: number }) {
  const parts = phrase.alternatives[number]!.parts;
  const id = ruleId(phrase.name, number, part.name);
  const move = (step: number): void => {
    const to = place + step;
    if (to < 0 || to >= parts.length) return;
    void model.do({ do: "move_part", phrase: phrase.name, number, part: part.name, to });
    focusEditor(id);
  };
  const remove = (): void => {
    if (parts.length === 1) return;
    const next = parts[place + 1] ?? parts[place - 1];
    void model.do({ do: "delete_part", phrase: phrase.name, number, part: part.name });
    if (next) focusEditor(ruleId(phrase.name, number, next.name));
  };
  return (
    <tr>
      <td class="name">
        <PartName key={part.name} {...{ model, phrase, number, part }} />
      </td>
      <td class="cell">
        <RuleRow
          {...{ model, phrase, number, id }}
          label={t("phrases.rule_of", { what: part.name })}
          value={part.rule}
          path={part.path}
          slot={part.name}
          change={(rule) => model.write({ of: "part", phrase: phrase.name, number, part: part.name }, rule)}
          keys={rowKeys(phrase, id, { move, remove })}
        />
      </td>
      {model.mayEdit ? (
        <td class="narrow">
          <button type="button" class="plain danger" disabled={parts.length === 1} onClick={remove} aria-label={t("phrases.delete_what", { what: part.name })} title={`${t("phrases.delete_what", { what: part.name })} (Alt+Delete)`}>
            ×
          </button>
        </td>
      ) : null}
    </tr>
  );
}

function PartName({ model, phrase, number, part }: Place & { part: SlotRow }) {
  const field = useRef<HTMLInputElement>(null);
  const rename = (): void => {
    if (!field.current) return; // the row is gone
    const name = field.current.value.trim();
    if (!name) field.current.value = part.name;
    if (!name || name === part.name) return;
    void model.do({ do: "rename_part", phrase: phrase.name, number, part: part.name, name });
  };
  return (
    <input
      ref={field}
      class="mono bare"
      defaultValue={part.name}
      readOnly={!model.mayEdit}
      autocomplete="off"
      spellcheck={false}
      aria-label={t("phrases.part_name", { part: part.name })}
      onBlur={rename}
      onKeyDown={(event) => {
        if (event.isComposing) return;
        if (event.key === "Enter") focusEditor(ruleId(phrase.name, number, part.name));
        else if (event.key === "Escape") field.current!.value = part.name;
        else return;
        event.preventDefault();
      }}
    />
  );
}

/** The last row, which becomes a part when it has a name. */
function NewPart({ model, phrase, number }: Place) {
  const field = useRef<HTMLInputElement>(null);
  const add = (): void => {
    const part = field.current!.value.trim();
    const taken = phrase.alternatives[number]!.parts.some(({ name }) => name === part);
    if (!part || taken) return field.current!.select();
    field.current!.value = "";
    void model.do({ do: "add_part", phrase: phrase.name, number, part, rule: "" });
    focusEditor(ruleId(phrase.name, number, part));
  };
  return (
    <tr class="new">
      <td class="name">
        <input
          ref={field}
          class="mono bare"
          autocomplete="off"
          spellcheck={false}
          placeholder={t("phrases.part_new")}
          aria-label={t("phrases.part_new_of", { n: number + 1 })}
          onKeyDown={(event) => {
            if (event.isComposing || event.key !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
      </td>
      <td colSpan={2}>
        <button type="button" class="plain" onClick={add}>
          {t("phrases.part_add")}
        </button>
      </td>
    </tr>
  );
}

function Head({ model, phrase, number }: Place) {
  const one = phrase.alternatives[number]!;
  const id = `head-${number}`;
  const names = [...new Set(["", ...one.parts.map(({ name }) => name), one.head])];
  return (
    <div class="field">
      <label for={id}>{t("phrases.head")}</label>
      <select
        id={id}
        value={one.head}
        disabled={!model.mayEdit}
        onChange={(event) => model.write({ of: "key", phrase: phrase.name, number, key: "head" }, event.currentTarget.value)}
      >
        {names.map((name) => (
          <option key={name} value={name}>
            {name || t("phrases.no_head")}
          </option>
        ))}
      </select>
    </div>
  );
}
