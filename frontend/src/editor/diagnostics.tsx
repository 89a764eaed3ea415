// What the server says about a row, shown beneath it: its problems, and the words that fit its rule.
import { useState } from "preact/hooks";
import type { Path } from "../api";
import { number, t } from "../page";
import type { Diagnostic, SlotWords } from "../wire";
import type { Live } from "./live";
import { RuleField, type RuleFieldProps } from "./rule_editor";

const samePath = (a: Path, b: Path): boolean => a.length === b.length && a.every((step, n) => step === b[n]);

/** The diagnostics of the rule or line at a path. */
export const at = (diagnostics: Diagnostic[], path: Path): Diagnostic[] => diagnostics.filter(({ row }) => samePath(row, path));

const underlined = (diagnostics: Diagnostic[]) =>
  diagnostics.flatMap(({ inner, severity }) => (inner ? [{ ...inner, severity }] : []));

const hasError = (diagnostics: Diagnostic[]): boolean => diagnostics.some(({ severity }) => severity === "error");

const SIGNS = { error: "✕", warning: "▲" } as const;

export function Messages({ id, diagnostics }: { id: string; diagnostics: Diagnostic[] }) {
  return (
    <div id={id} class="messages" role="status">
      {diagnostics.map(({ severity, text }, n) => (
        <p key={n} class={severity}><span aria-hidden="true">{SIGNS[severity]}</span> {text}</p>
      ))}
    </div>
  );
}

interface WordsProps {
  words: SlotWords | undefined;
  wrong: boolean; // the rule has an error, so that the words mean nothing
  quiet: boolean; // a problem is shown already, or the rule is being typed
}

/** How many words fit, and some of them; if none does, how many words each condition leaves, or which link is to blame. */
function Words({ words, wrong, quiet }: WordsProps) {
  if (!words || wrong) return null;
  const count = words.joint ?? words.alone;
  if (count === 0) return quiet ? <p class="words">{t("js.words", { n: 0 })}</p> : <Narrowings words={words} />;
  const linked = words.joint !== null && words.joint !== words.alone;
  const text = linked
    ? t("js.words.joint", { joint: words.joint!, alone: words.alone })
    : t(count === 1 ? "js.words.one" : "js.words", { n: count });
  const examples = words.examples.join(" · ") + (words.examples.length < count ? " …" : "");
  return (
    <p class="words">
      <span class="count">{text}</span>
      <span class="examples" title={examples}>{examples}</span>
    </p>
  );
}

function Narrowings({ words }: { words: SlotWords }) {
  const blamed = words.narrowings.filter(({ without }) => without > 0);
  if (words.alone > 0) {
    return (
      <div class="words none">
        <p><strong>{t("js.words.apart", { n: words.alone })}</strong></p>
        {words.narrowings.map(({ text, without }) => (
          <p key={text}>{t(without > 0 ? "js.words.without" : "js.words.impossible", { condition: text, n: without })}</p>
        ))}
      </div>
    );
  }
  return (
    <div class="words none">
      <p><strong>{t("js.words.none")}</strong></p>
      {words.narrowings.length > 1 && (
        <p>{t("js.words.alone")} {words.narrowings.map(({ text, alone }) => (
          <span class="condition" key={text}><code>{text}</code> {number(alone)}</span>
        ))}</p>
      )}
      {blamed.map(({ text, without }) => <p key={text}>{t("js.words.without", { condition: text, n: without })}</p>)}
    </div>
  );
}

interface RuleRowProps extends RuleFieldProps {
  live: Live; // whose diagnostics are shown
  path: Path;
  messages: string;
  words: SlotWords | undefined;
}

/** A one-line editor with its problems and words beneath; while it is being typed in, problems appear after a moment. */
export function RuleRow({ live, path, words, ...field }: RuleRowProps) {
  const [focused, setFocused] = useState(false);
  const typing = focused && !live.settled;
  const here = at(live.diagnostics, path);
  const shown = typing ? [] : here;
  return (
    <>
      <RuleField {...field} underlines={underlined(shown)} wrong={hasError(shown)} focus={setFocused} />
      <Messages id={field.messages} diagnostics={shown} />
      <Words words={words} wrong={hasError(here)} quiet={here.length > 0 || typing} />
    </>
  );
}
