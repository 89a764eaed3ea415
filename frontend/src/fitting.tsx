// The words that fit a rule, beneath it: how many, and some of them.
import type { SlotWords } from "./shapes";
import { number, t } from "./words";

interface WordsProps {
  words: SlotWords | undefined;
  wrong: boolean; // the rule has an error, so that what fits it means nothing
  quiet: boolean; // something is said of the rule already, or it is being typed
}

/** How many words fit, and which; where none does, what each condition leaves, unless something is said already. */
export function Words({ words, wrong, quiet }: WordsProps) {
  if (!words || wrong) return null;
  const count = words.joint ?? words.alone;
  if (count === 0) return quiet ? <p class="words">{t("js.words", { n: 0 })}</p> : <Narrowings words={words} />;
  const some = words.joint !== null && words.joint !== words.alone;
  const says = some
    ? t("js.words.joint", { joint: words.joint!, alone: words.alone })
    : t(count === 1 ? "js.words.one" : "js.words", { n: count });
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
      <p><strong>{t("js.words.none")}</strong></p>
      {words.narrowings.length > 1 && (
        <p>{t("js.words.alone")} {words.narrowings.map((each) => (
          <span class="condition" key={each.text}><code>{each.text}</code> {number(each.alone)}</span>
        ))}</p>
      )}
      {blamed.map((each) => <p key={each.text}>{t("js.words.without", { condition: each.text, n: each.without })}</p>)}
    </div>
  );
}
