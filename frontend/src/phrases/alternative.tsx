// One way to build a phrase: a rule alone, or named parts with their line, head and weight.
import { Messages } from "../paradigm/messages";
import { focusEditor } from "../rule_field";
import type { Diagnostic, Path, PhraseAlternative } from "../shapes";
import { t } from "../words";
import type { PhrasesModel } from "./model";
import { Parts } from "./parts";
import { type Place, rowKeys, ruleId, RuleRow } from "./rule_row";
import { type Key, pathOf } from "./targets";

export function Alternative({ model, samples, phrase, number }: Place) {
  const one = phrase.alternatives[number]!;
  const count = phrase.alternatives.length;
  const title = t("phrases.way", { n: number + 1 });
  const focusAt = (n: number): void => {
    const there = model.rows.find(({ name }) => name === phrase.name)?.alternatives[n];
    if (there) focusEditor(ruleId(phrase.name, n, there.parts[0]?.name ?? ""));
  };
  const move = (step: number): void => {
    const to = number + step;
    if (to < 0 || to >= count) return;
    void model.do({ do: "move_alternative", phrase: phrase.name, number, to });
    focusAt(to);
  };
  const remove = (): void => {
    if (count === 1) return;
    void model.do({ do: "delete_alternative", phrase: phrase.name, number });
    focusAt(Math.min(number, count - 2)); // the one that comes into its place, if any
  };
  const heading = `way-${number}`;
  return (
    <li class="alternative">
      <div class="alternative-head">
        <h3 id={heading}>{title}</h3>
        {one.parts.length > 0 ? <KeyField {...{ model, samples, phrase, number }} name="weight" value={one.weight} /> : null}
        {model.mayEdit ? (
          <div class="row-tools">
            <button type="button" class="plain" disabled={number === 0} onClick={() => move(-1)} aria-label={t("phrases.move_up", { what: title })} title={t("phrases.move_up", { what: title })}>
              ↑
            </button>
            <button type="button" class="plain" disabled={number === count - 1} onClick={() => move(1)} aria-label={t("phrases.move_down", { what: title })} title={t("phrases.move_down", { what: title })}>
              ↓
            </button>
            {one.parts.length === 0 ? (
              <button type="button" class="plain" onClick={() => split(model, phrase.name, number, one)}>
                {t("phrases.split")}
              </button>
            ) : null}
            <button type="button" class="plain danger" disabled={count === 1} onClick={remove} aria-label={t("phrases.delete_what", { what: title })}>
              {t("phrases.delete")}
            </button>
          </div>
        ) : null}
      </div>
      {one.parts.length > 0 ? (
        <Parts {...{ model, samples, phrase, number }} heading={heading} />
      ) : (
        <RuleRow
          {...{ model, samples, phrase, number }}
          id={ruleId(phrase.name, number)}
          label={t("phrases.rule_of", { what: title })}
          value={one.rule ?? ""}
          path={pathOf(phrase, number)}
          slot=""
          change={(value) => model.write({ of: "rule", phrase: phrase.name, number }, value)}
          keys={rowKeys(phrase, ruleId(phrase.name, number), { move, remove })}
        />
      )}
      <Others model={model} path={pathOf(phrase, number)} known={one} />
    </li>
  );
}

function KeyField({ model, phrase, number, name, value }: Place & { name: Key; value: string }) {
  const id = `${name}-${number}`;
  return (
    <div class="field inline">
      <label for={id}>{t(`phrases.${name}`)}</label>
      <input
        id={id}
        class="number"
        inputMode="decimal"
        value={value}
        placeholder="1"
        autocomplete="off"
        readOnly={!model.mayEdit}
        onInput={(event) => model.write({ of: "key", phrase: phrase.name, number, key: name }, event.currentTarget.value)}
      />
    </div>
  );
}

/** What is wrong with an alternative as a whole, or with something of it that has no editor here. */
function Others({ model, path, known }: { model: PhrasesModel; path: Path; known: PhraseAlternative }) {
  const shown = new Set([JSON.stringify([...path, "line"]), ...known.parts.map((part) => JSON.stringify(part.path))]);
  const inside = ({ row }: Diagnostic): boolean => path.every((step, n) => row[n] === step) && !shown.has(JSON.stringify(row));
  const rest = model.diagnostics.filter((each) => inside(each) && (known.parts.length > 0 || each.row.length > path.length));
  return rest.length > 0 ? <Messages id={`others-${path.join("-")}`} diagnostics={rest} /> : null;
}

/** A rule becomes the first part of an alternative with parts. */
function split(model: PhrasesModel, phrase: string, number: number, one: PhraseAlternative): void {
  const value = { parts: { word: one.rule ?? "" }, head: "word" };
  void model.do({ do: "add_alternative", phrase, value, at: number + 1 });
  void model.do({ do: "delete_alternative", phrase, number });
  focusEditor(ruleId(phrase, number, "word"));
}
