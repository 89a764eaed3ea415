// A rule, or the line of an alternative, in a one-line editor, with what is wrong in it beneath.
import { useState } from "preact/hooks";
import { Words } from "../fitting";
import { at, hasError, Messages, underlined } from "../paradigm/messages";
import { useWatching } from "../paradigm/watching";
import { focusEditor, RuleField } from "../rule_field";
import type { Diagnostic, Path, PhraseRow } from "../shapes";
import { t } from "../words";
import type { PhrasesModel } from "./model";
import type { Samples } from "./samples";

export interface Place {
  model: PhrasesModel;
  samples: Samples;
  phrase: PhraseRow;
  number: number;
}

export const ruleId = (phrase: string, number: number, part = ""): string => `rule:${phrase}:${number}:${part}`;

/** The editors of a phrase from top to bottom, for the arrow keys. */
export function editorsOf(phrase: PhraseRow): string[] {
  return phrase.alternatives.flatMap((one, number) =>
    one.parts.length > 0 ? one.parts.map((part) => ruleId(phrase.name, number, part.name)) : [ruleId(phrase.name, number)],
  );
}

/** Arrows and Enter leave a row, Alt moves it, Alt+Delete takes it away. */
export function rowKeys(phrase: PhraseRow, id: string, row: { move: (step: number) => void; remove: () => void }) {
  return (event: KeyboardEvent): boolean => {
    const step = { ArrowUp: -1, ArrowDown: 1, Enter: 1 }[event.key];
    if (event.altKey && event.key === "Delete") row.remove();
    else if (step === undefined || event.shiftKey || event.ctrlKey || event.metaKey) return false;
    else if (event.altKey && event.key !== "Enter") row.move(step);
    else {
      const all = editorsOf(phrase);
      const next = all[all.indexOf(id) + step];
      if (next !== undefined) focusEditor(next);
    }
    return true;
  };
}

interface RuleRowProps extends Place {
  id: string;
  label: string;
  value: string;
  path: Path;
  slot: string;
  kind?: "rule" | "line";
  change: (value: string) => void;
  keys?: (event: KeyboardEvent) => boolean;
}

/** A one-line editor with what is wrong in it; what is being typed is left in peace for a moment. */
export function RuleRow({ model, samples, phrase, number, id, label, value, path, slot, kind = "rule", change, keys }: RuleRowProps) {
  const [focused, focus] = useState(false);
  const found = focused && !model.settled ? [] : at(model.diagnostics, path);
  const messages = `messages-${id}`;
  const parts = phrase.alternatives[number]?.parts ?? [];
  const slots = Object.fromEntries(parts.map((part) => [part.name, part.rule]));
  return (
    <div class="rule-row">
      <RuleField
        id={id}
        kind={kind}
        label={label}
        value={value}
        readOnly={!model.mayEdit}
        empty={kind === "rule" ? t("phrases.rule_empty") : t("phrases.line_empty")}
        scope={() => ({ slots, slot })}
        change={change}
        underlines={underlined(found)}
        wrong={hasError(found)}
        messages={messages}
        focus={focus}
        onKey={(event) => keys?.(event) ?? false}
      />
      <Messages id={messages} diagnostics={found} />
      {kind === "rule" && <Fitting samples={samples} {...{ number, slot, found }} typing={focused && !model.settled} />}
    </div>
  );
}

interface FittingProps {
  samples: Samples;
  number: number;
  slot: string;
  found: Diagnostic[];
  typing: boolean;
}

function Fitting({ samples, number, slot, found, typing }: FittingProps) {
  useWatching(samples.live);
  return <Words words={samples.words(number, slot)} wrong={hasError(found)} quiet={found.length > 0 || typing} />;
}
