// The preview: pairs of the current text with their differences marked, how many there are, and why not more.
import type { VNode } from "preact";
import { useObserved } from "../drawing";
import type { Live } from "../editor/live";
import { languageOf, number, t } from "../page";
import { Problems } from "../status";
import type { Counts, Diagnostic, PreviewPair, Span } from "../wire";

interface PreviewProps {
  live: Live;
  quiet: boolean; // the errors are shown elsewhere on the page
  jump: (diagnostic: Diagnostic) => void;
  /** A button that repairs a problem, where one click can. */
  repair: (diagnostic: Diagnostic) => VNode | null;
  /** The diagnostics that no row shows. */
  loose: (diagnostics: Diagnostic[]) => Diagnostic[];
}

export function PreviewPanel({ live, quiet, jump, repair, loose }: PreviewProps) {
  useObserved(live);
  const { pairs, diagnostics, broken } = live;
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const dim = broken && pairs !== null;
  return (
    <section class="preview" aria-labelledby="preview-title" aria-busy={live.waiting}>
      <header>
        <h2 id="preview-title">{t("paradigm.preview")}</h2>
        <Count live={live} />
        <button type="button" onClick={() => live.sample()} aria-keyshortcuts="Alt+N" title="Alt+N">{t("paradigm.sample")}</button>
      </header>
      {live.waiting && !pairs && <p class="muted">{t("paradigm.waiting")}</p>}
      {live.problems.length > 0 && <Problems problems={live.problems} />}
      {dim && <p class="hint">{t(live.away ? "paradigm.stale_away" : "paradigm.stale")}</p>}
      {pairs && pairs.pairs.length > 0 ? (
        <ol class={dim ? "pairs dim" : "pairs"} lang={languageOf(pairs.pairs[0]!.good)}>
          {pairs.pairs.map((pair, at) => <Pair key={at} pair={pair} />)}
        </ol>
      ) : (
        !broken && pairs && <p class="notice warn">{t("paradigm.no_pairs")}</p>
      )}
      {pairs?.complete && !broken && pairs.pairs.length > 0 && <p class="hint">{t("paradigm.complete")}</p>}
      {live.settled && !quiet && <ProblemList title={errorCount(errors.length)} diagnostics={errors} jump={jump} repair={repair} kind="bad" />}
      <Reasons live={live} jump={jump} />
      {live.settled && <ProblemList title={t("paradigm.hints")} kind="" jump={jump}
        diagnostics={loose(diagnostics).filter(({ severity }) => severity !== "error")} />}
      <p class="unseen" role="status">{live.settled ? summary(live) : ""}</p>
    </section>
  );
}

function Count({ live }: { live: Live }) {
  const { counted, counting, broken } = live;
  const errors = live.diagnostics.filter(({ severity }) => severity === "error").length;
  if (broken) return <span class="count bad-text">{errors > 0 && live.settled && <>✕ {errorCount(errors)}</>}</span>;
  if (!counted) return <span class="count muted">{counting ? t("paradigm.counting") : ""}</span>;
  return <span class={counting ? "count muted" : "count"}>{countText(counted)}</span>;
}

function countText({ value, exact, least }: Counts): string {
  if (least && !exact) return t("paradigm.count.more", { n: least - 1 });
  if (value === null) return t("paradigm.count.unknown");
  return t(exact ? (value === 1 ? "paradigm.count_one" : "paradigm.count") : "paradigm.count.most", { n: value });
}

const errorCount = (n: number): string => (n === 1 ? t("paradigm.errors.one") : t("paradigm.errors", { n }));

function Reasons({ live, jump }: { live: Live; jump: (diagnostic: Diagnostic) => void }) {
  const reasons = live.broken ? [] : (live.counted?.reasons ?? []);
  return <ProblemList title={t("paradigm.reasons")} diagnostics={reasons} jump={jump} kind="warn" />;
}

interface ProblemListProps {
  repair?: (diagnostic: Diagnostic) => VNode | null;
  title: string;
  diagnostics: Diagnostic[];
  kind: string;
  jump: (diagnostic: Diagnostic) => void;
}

function ProblemList({ title, diagnostics, kind, jump, repair }: ProblemListProps) {
  if (!diagnostics.length) return null;
  return (
    <div class={`notice ${kind}`}>
      <h3>{title}</h3>
      <ul>
        {diagnostics.map((diagnostic, n) => (
          <li key={n}>
            <Where diagnostic={diagnostic} jump={jump} />
            {diagnostic.text.split("\n")[0]}
            {repair && repair(diagnostic)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** What a problem is about, in words; in this file, a button that goes there. */
function Where({ diagnostic, jump }: Pick<ProblemListProps, "jump"> & { diagnostic: Diagnostic }) {
  const { row, where, kind } = diagnostic;
  const text = where || row.at(-1);
  if (text === undefined || row[0] === "format" || kind === "pairs-no" || kind === "pairs-few") return null;
  if (!row.length) return <><span class="place">{text}</span>{" "}</>;
  return <><button type="button" class="plain jump mono" onClick={() => jump(diagnostic)}>{text}</button>{" "}</>;
}

function Pair({ pair }: { pair: PreviewPair }) {
  return (
    <li>
      {(["good", "bad"] as const).map((side) => (
        <p class={side} key={side}>
          <span class="unseen">{t(`paradigm.${side}`)}: </span><span class="sign" aria-hidden="true">{side === "good" ? "✓" : "✗"}</span>
          <Marked text={pair[side]} regions={pair[`${side}_regions`]} />
        </p>
      ))}
    </li>
  );
}

/** A sentence with the differing regions marked. */
export function Marked({ text, regions }: { text: string; regions: Span[] }) {
  const parts = [];
  let last = 0;
  for (const { start, end } of [...regions].sort((a, b) => a.start - b.start)) {
    if (start < last || end <= start) continue;
    parts.push(text.slice(last, start), <mark>{text.slice(start, end)}</mark>);
    last = end;
  }
  return <span>{parts}{text.slice(last)}</span>;
}

/** What a screen reader announces about a new preview. */
function summary(live: Live): string {
  const errors = live.diagnostics.filter(({ severity }) => severity === "error");
  if (errors.length) return `${errorCount(errors.length)}: ${errors[0]!.text}`;
  const first = live.pairs?.pairs[0];
  return first ? t("paradigm.summary", { n: number(live.pairs!.pairs.length), good: first.good, bad: first.bad }) : t("paradigm.no_pairs");
}
