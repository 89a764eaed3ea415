// The parts of an alternative as rows, with the line that prints them and the head that others agree with.
import { useRef } from "preact/hooks";
import { useOnce, whenLeft } from "../once";
import { NamedKeys } from "../paradigm/keys";
import { NameRefused, refusal } from "../paradigm/messages";
import { movingGently, useKeptFocus } from "../paradigm/watching";
import { focusEditor } from "../rule_field";
import type { SlotRow } from "../shapes";
import { t } from "../words";
import { type Place, rowKeys, ruleId, RuleRow } from "./rule_row";
import { alternativeOf, pathOf } from "./targets";

export function Parts({ model, samples, phrase, number, heading }: Place & { heading: string }) {
  useKeptFocus();
  const one = phrase.alternatives[number]!;
  const keys = useRef<NamedKeys | null>(null);
  const named = (keys.current ??= new NamedKeys());
  const rename = (part: string, name: string): Promise<boolean> => {
    const now = alternativeOf(model.rows, phrase.name, number)?.parts.map((row) => row.name) ?? [];
    if (!now.includes(part)) return Promise.resolve(false); // it is gone
    const done = model.do({ do: "rename_part", phrase: phrase.name, number, part, name });
    return now.includes(name) ? done : named.rename(part, name, done);
  };
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
        <tbody ref={movingGently}>
          {one.parts.map((part, place) => (
            <Part key={named.of(part.name)} {...{ model, samples, phrase, number, part, place, rename }} />
          ))}
          {model.mayEdit ? <NewPart {...{ model, samples, phrase, number }} /> : null}
        </tbody>
      </table>
      <div class="alternative-keys">
        <div class="field grow">
          <span aria-hidden="true">{t("phrases.line")}</span>
          <RuleRow
            {...{ model, samples, phrase, number }}
            id={`line:${phrase.name}:${number}`}
            kind="line"
            label={t("phrases.line_of", { n: number + 1 })}
            value={one.line}
            path={[...pathOf(phrase, number), "line"]}
            slot=""
            change={(value) => model.write({ of: "key", phrase: phrase.name, number, key: "line" }, value)}
          />
        </div>
        <Head {...{ model, samples, phrase, number }} />
      </div>
    </>
  );
}

interface PartProps extends Place {
  part: SlotRow;
  place: number;
  rename: (part: string, name: string) => Promise<boolean>;
}

function Part({ model, samples, phrase, number, part, place, rename }: PartProps) {
  const parts = phrase.alternatives[number]!.parts;
  const id = ruleId(phrase.name, number, part.name);
  const move = (step: number): void => {
    const to = place + step;
    if (to < 0 || to >= parts.length) return;
    void model.do({ do: "move_part", phrase: phrase.name, number, part: part.name, to });
    focusEditor(id, "keep");
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
        <PartName {...{ model, samples, phrase, number, part, rename }} />
      </td>
      <td class="cell">
        <RuleRow
          {...{ model, samples, phrase, number, id }}
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

function PartName({ model, phrase, number, part, rename }: Omit<PartProps, "place">) {
  const step = { do: "rename_part", phrase: phrase.name, number, part: part.name };
  const wrong = `${ruleId(phrase.name, number, part.name)}-refused`;
  const { input, refused, listens } = useOnce(
    model.edits,
    {
      value: part.name,
      step: (name) => (name && name !== part.name ? { ...step, name } : null),
      take: ({ name }) => rename(part.name, String(name)),
    },
    (event) => {
      if (event.key !== "Enter") return;
      focusEditor(ruleId(phrase.name, number, part.name)); // what is left is taken
      event.preventDefault();
    },
  );
  return (
    <>
      <input
        ref={input}
        class="mono bare"
        defaultValue={part.name}
        readOnly={!model.mayEdit}
        autocomplete="off"
        spellcheck={false}
        aria-label={t("phrases.part_name", { part: part.name })}
        {...refusal(wrong, refused)}
        {...listens}
      />
      <NameRefused id={wrong} reason={refused} />
    </>
  );
}

/** The last row, which becomes a part when it has a name. */
function NewPart({ model, phrase, number }: Place) {
  const taken = new Set(phrase.alternatives[number]!.parts.map(({ name }) => name));
  const wrong = `new-part-${number}-refused`;
  const { input, take, refused, listens } = useOnce(
    model.edits,
    {
      value: "",
      step: (part) => (part && !taken.has(part) ? { do: "add_part", phrase: phrase.name, number, part, rule: "" } : null),
      take: (step) => {
        if (input.current) input.current.value = "";
        return model.do(step);
      },
    },
    (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      add();
    },
  );
  const add = (): void => {
    const part = input.current!.value.trim();
    if (take()) focusEditor(ruleId(phrase.name, number, part));
    else input.current!.select();
  };
  return (
    <tr class="new" {...whenLeft(take)}>
      <td class="name">
        <input
          ref={input}
          class="mono bare"
          autocomplete="off"
          spellcheck={false}
          placeholder={t("phrases.part_new")}
          aria-label={t("phrases.part_new_of", { n: number + 1 })}
          {...refusal(wrong, refused)}
          {...listens}
          onBlur={undefined}
        />
        <NameRefused id={wrong} reason={refused} />
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
