// Beside the grid: the paradigms that can use the word of the active row, or the table; and the problems.
import { useEffect, useState } from "preact/hooks";
import { wordUses } from "../api";
import { editAddress, languageOf, number, page, t } from "../page";
import type { OpenTable, ParadigmUse, TableProblem } from "../wire";
import type { Row } from "./sheets";
import { shortName } from "./view";
import { ownText, type Workspace } from "./workspace";

const PAUSE = 200; // milliseconds on a row until its uses are requested
const MOST = 200; // problems to list

export function Panel(props: { space: Workspace; row: Row | null; version: number; go: (problem: TableProblem) => void }) {
  const { space, row } = props;
  return (
    <aside class="lexicon-side" aria-label={ownText("side")} tabIndex={-1} id="lexicon-side">
      {space.table ? <WholeRow space={space} row={row} /> : <Uses space={space} row={row} version={props.version} />}
      {space.table ? <TableUses table={space.table} /> : null}
      <Problems problems={space.problems} several={space.sheets.size > 1} go={props.go} />
    </aside>
  );
}

/** The cells of the active row in full: a column is too narrow for a sentence, or for a hundred words. */
function WholeRow({ space, row }: { space: Workspace; row: Row | null }) {
  const cells = row ? space.view.columns().map((name) => ({ name, text: space.text(row, name) })) : [];
  const filled = cells.filter(({ text }) => text !== "");
  return (
    <section aria-labelledby="row-title">
      <h2 id="row-title">{row && filled.length > 0 ? t("table.row", { n: space.marks.line(row) ?? "+" }) : t("table.row_none")}</h2>
      {filled.length > 0 ? (
        <dl class="whole-row">
          {filled.map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd lang={languageOf(text)}>{text.replaceAll("/", " / ")}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p class="muted small">{t("table.row_hint")}</p>
      )}
    </section>
  );
}

/** The paradigms whose rules name the table, or that take words from it. */
function TableUses({ table }: { table: OpenTable }) {
  if (table.source === "features") return null;
  return (
    <section aria-labelledby="uses-title">
      <h2 id="uses-title">
        {t("table.used_by")}
        <span class="badge">{number(table.paradigms.length)}</span>
      </h2>
      <ul class="uses">
        {table.paradigms.length === 0 ? <li class="muted">{t("table.unused")}</li> : null}
        {table.paradigms.map(({ uid, file }) => (
          <li key={file}>
            <a href={editAddress(file)}>{uid}</a>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Uses(props: { space: Workspace; row: Row | null; version: number }) {
  const { space, row } = props;
  const [uses, setUses] = useState<{ key: string; paradigms: ParadigmUse[]; total: number } | null>(null);
  const line = row ? space.marks.line(row) : null;
  const word = row ? space.text(row, "expression") : "";
  const key = row && line !== null && word ? `${row.key} ${row.cells.join("\t")}` : "";

  useEffect(() => {
    if (!row || line === null || !key) return setUses(null);
    const stop = new AbortController();
    const timer = setTimeout(() => {
      wordUses(page.project, row.file, line, { signal: stop.signal }).then(
        ({ paradigms, total }) => setUses({ key, paradigms, total }),
        () => undefined, // aborted, or the server is away: keep what is shown
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key, line, props.version]);

  return (
    <section aria-labelledby="uses-title">
      <h2 id="uses-title">
        {word ? t("lexicon.used_by", { word }) : t("lexicon.used_by_none_chosen")}
        {uses?.key === key && key ? <span class="badge">{number(uses.total)}</span> : null}
      </h2>
      {uses && key ? (
        <ul class={uses.key === key ? "uses" : "uses stale"}>
          {uses.total === 0 ? <li class="muted">{t("lexicon.unused")}</li> : null}
          {uses.paradigms.map((use) => (
            <li key={use.file}>
              <a href={editAddress(use.file)}>
                {use.uid}
              </a>
              <span class="muted small mono"> {use.slots.join(", ")}</span>
            </li>
          ))}
          {uses.total > uses.paradigms.length ? (
            <li class="muted">{t("lexicon.more", { n: uses.total - uses.paradigms.length })}</li>
          ) : null}
        </ul>
      ) : (
        <p class="muted small">{t(key ? "lexicon.used_by_wait" : "lexicon.used_by_hint")}</p>
      )}
    </section>
  );
}

function Problems(props: { problems: readonly TableProblem[]; several: boolean; go: (problem: TableProblem) => void }) {
  const { problems } = props;
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return (
    <section aria-labelledby="problems-title">
      <h2 id="problems-title">
        {t("lexicon.problems")}
        {errors ? <span class="badge bad">{number(errors)}</span> : null}
        {problems.length > errors ? <span class="badge warn">{number(problems.length - errors)}</span> : null}
        {problems.length === 0 ? <span class="badge good">{t("shell.no_problem")}</span> : null}
      </h2>
      <ul class="problems">
        {problems.slice(0, MOST).map((problem, n) => (
          <li key={n} class={problem.severity}>
            <button type="button" class="plain" onClick={() => props.go(problem)}>
              {t(problem.severity === "error" ? "lexicon.error_at" : "lexicon.warning_at", {
                place: [props.several ? shortName(problem.file) : "", `${problem.line}`, problem.column].filter(Boolean).join(" · "),
              })}
            </button>
            <span>{problem.text}</span>
          </li>
        ))}
        {problems.length > MOST ? <li class="muted">{t("lexicon.more", { n: problems.length - MOST })}</li> : null}
      </ul>
    </section>
  );
}
