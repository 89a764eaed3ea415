// The dialogs of the lexicon: what a large paste would change, rows in conflict, and a new column.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import { useDialog } from "../drawing";
import { focusStays } from "../keyboard";
import { page, t } from "../page";
import { tab } from "../tabs";
import type { MergeAnswer, Problem, RowConflict } from "../wire";
import type { TableConflict } from "./outbox";
import type { PastePlan } from "./paste";
import type { Row } from "./sheets";
import { shortName } from "./view";
import { ownText, type Workspace } from "./workspace";

const SHOWN = 30;
const MOST_ODD = 20; // cells to list

export function PasteDialog(props: { space: Workspace; plan: PastePlan; close: (agreed: boolean) => void }) {
  const { plan, space } = props;
  const dialog = useDialog();
  const tooMany = space.tooMany(plan);
  const nothing = plan.odd.length > 0 || (plan.changes.length === 0 && plan.added.length === 0);
  return (
    <dialog ref={dialog} class="wide" aria-labelledby="paste-title" onClose={() => props.close(dialog.current?.returnValue === "yes")}>
      <form method="dialog">
        <header>
          <h2 id="paste-title">{t("lexicon.paste_title")}</h2>
        </header>
        <div class="body" tabIndex={0} role="region" aria-labelledby="paste-title">
          <p>{t("lexicon.paste_summary", { changed: plan.changes.length, added: plan.added.length })}</p>
          {plan.header ? <p class="notice">{t("lexicon.paste_header", { columns: plan.header.columns.filter(Boolean).join(" · ") })}</p> : null}
          {plan.header?.unknown.length ? <p class="notice warn">{ownText("paste_unknown", { columns: plan.header.unknown.join(" · ") })}</p> : null}
          {plan.existing.length > 0 ? <p class="notice warn">{t("lexicon.paste_existing", { n: plan.existing.length, words: firstOf(plan.existing) })}</p> : null}
          {plan.refused > 0 ? <p class="notice warn">{t("lexicon.paste_refused", { n: plan.refused })}</p> : null}
          {plan.unseen > 0 ? <p class="notice">{t(plan.unseen === 1 ? "lexicon.paste_unseen_one" : "lexicon.paste_unseen", { n: plan.unseen })}</p> : null}
          {plan.odd.length > 0 ? <Odd plan={plan} /> : null}
          {tooMany ? <p class="notice bad">{t("lexicon.paste_apart")}</p> : null}
          {plan.changes.length > 0 ? <Changes plan={plan} space={space} /> : null}
          {plan.added.length > 0 ? <Added plan={plan} /> : null}
        </div>
        <footer>
          <button type="button" onClick={() => dialog.current?.close("no")}>
            {t("shell.cancel")}
          </button>
          <button class="primary" value="yes" autofocus disabled={tooMany || nothing}>
            {t("lexicon.paste_apply")}
          </button>
        </footer>
      </form>
    </dialog>
  );
}

/** The cells that no table can hold, each with the first offending character. */
function Odd({ plan }: { plan: PastePlan }) {
  return (
    <div class="notice bad">
      <p>{ownText("paste_odd")}</p>
      <ul>
        {plan.odd.slice(0, MOST_ODD).map(({ row, column, value, character }) => (
          <li key={`${row} ${column}`}>{t("lexicon.paste_odd_cell", { row, column, value, code: codeOf(character) })}</li>
        ))}
        {plan.odd.length > MOST_ODD ? <li>{t("lexicon.more", { n: plan.odd.length - MOST_ODD })}</li> : null}
      </ul>
    </div>
  );
}

const firstOf = (words: readonly string[]): string => words.slice(0, SHOWN).join(" · ") + (words.length > SHOWN ? " …" : "");

const codeOf = (character: string): string => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;

function Changes({ plan, space }: { plan: PastePlan; space: Workspace }) {
  return (
    <table>
      <caption>{t("lexicon.paste_changes")}</caption>
      <thead>
        <tr>
          <th scope="col">{ownText("word")}</th>
          <th scope="col">{t("lexicon.column")}</th>
          <th scope="col">{t("lexicon.before")}</th>
          <th scope="col">{t("lexicon.after")}</th>
        </tr>
      </thead>
      <tbody>
        {plan.changes.slice(0, SHOWN).map(({ row, column, old, value }, n) => (
          <tr key={n}>
            <th scope="row">{space.nameOf(row)}</th>
            <td>{column}</td>
            <td>{old ? <del>{old}</del> : <span class="muted">{t("lexicon.blank")}</span>}</td>
            <td>{value ? <ins>{value}</ins> : <span class="muted">{t("lexicon.blank")}</span>}</td>
          </tr>
        ))}
      </tbody>
      <Rest n={plan.changes.length - SHOWN} columns={4} />
    </table>
  );
}

function Added({ plan }: { plan: PastePlan }) {
  const used = plan.sheet.columns.map((name, at) => ({ name, at })).filter(({ at }) => plan.added.some((row) => row[at]));
  return (
    <table>
      <caption>{t("lexicon.paste_added", { file: plan.sheet.file })}</caption>
      <thead>
        <tr>
          {used.map(({ name }) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {plan.added.slice(0, SHOWN).map((row, n) => (
          <tr key={n}>
            {used.map(({ name, at }) => (
              <td key={name}>{row[at]}</td>
            ))}
          </tr>
        ))}
      </tbody>
      <Rest n={plan.added.length - SHOWN} columns={used.length} />
    </table>
  );
}

function Rest({ n, columns }: { n: number; columns: number }) {
  if (n <= 0) return null;
  return (
    <tfoot>
      <tr>
        <td colSpan={columns} class="muted">
          {t("lexicon.more", { n })}
        </td>
      </tr>
    </tfoot>
  );
}

// Rows in conflict ---------------------------------------------------------------------------------------------------

type Choice = "mine" | "theirs";

export function MergeDialog(props: { conflict: TableConflict; done: () => void; later: () => void }) {
  const { file, base, conflict } = props.conflict;
  const dialog = useDialog();
  const [merged, setMerged] = useState<MergeAnswer | null>(null);
  const [choose, setChoose] = useState<Record<string, Choice>>({});
  const [problems, setProblems] = useState<Problem[]>([]);
  const mine = conflict.yours ?? "";

  const stays = useRef(focusStays());

  useEffect(() => {
    stays.current = focusStays();
    api.merge(page.project, file, { base, mine, choose: {} }).then(setMerged, fail);
  }, []);
  useEffect(() => {
    if (stays.current()) dialog.current?.querySelector<HTMLElement>("input")?.focus();
  }, [merged]);

  const fail = (error: unknown): void => {
    if (error instanceof api.Refused) setProblems(error.problems);
    else setProblems([api.problemOf(t("js.shell.unreachable"))]);
  };

  const save = async (): Promise<void> => {
    try {
      const result = await api.merge(page.project, file, { base, mine, choose });
      if (result.conflicts.length > 0) return setMerged(result); // somebody changed the file in between
      const saved = await api.saveFile(page.project, file, { text: result.text, base: result.revision, tab });
      if (!saved.saved) return setProblems(saved.problems);
      props.done();
    } catch (error) {
      fail(error);
    }
  };

  const rows = merged?.conflicts ?? [];
  const ready = merged !== null && rows.every(({ row }) => choose[row] !== undefined);
  return (
    <dialog ref={dialog} class="wide" aria-labelledby="merge-title" onClose={props.later}>
      <header>
        <h2 id="merge-title">{t("lexicon.merge_title")}</h2>
      </header>
      <div class="body" tabIndex={0} role="region" aria-labelledby="merge-title">
        <p>{t("lexicon.merge_hint", { file })}</p>
        {rows.map((row) => (
          <MergeRow key={row.row} row={row} chosen={choose[row.row]} choose={(side) => setChoose({ ...choose, [row.row]: side })} />
        ))}
        {problems.length > 0 ? (
          <div class="notice bad" role="alert">
            {problems.map(({ text }) => (
              <p>{text}</p>
            ))}
          </div>
        ) : null}
      </div>
      <footer>
        <button type="button" onClick={() => dialog.current?.close()}>
          {t("lexicon.merge_later")}
        </button>
        <button type="button" class="primary" disabled={!ready} onClick={() => void save()}>
          {t("lexicon.merge_save")}
        </button>
      </footer>
    </dialog>
  );
}

function MergeRow(props: { row: RowConflict; chosen: Choice | undefined; choose: (side: Choice) => void }) {
  const { row } = props;
  return (
    <fieldset class="merge-row">
      <legend>{row.text.replace(/\bline (\d+)/, (_, n: string) => t("lexicon.merge_line", { n }))}</legend>
      {(["mine", "theirs"] as const).map((side) => (
        <label key={side} class="merge-side">
          <input type="radio" name={`row-${row.row}`} checked={props.chosen === side} onChange={() => props.choose(side)} />
          <span>{t(`lexicon.merge_${side}`)}</span>
          <Cells text={row[side]} other={row[side === "mine" ? "theirs" : "mine"]} />
        </label>
      ))}
    </fieldset>
  );
}

/** The cells of a row, with those marked that differ from the other side. */
function Cells({ text, other }: { text: string | null; other: string | null }) {
  if (text === null) return <em>{t("lexicon.merge_deleted")}</em>;
  const others = (other ?? "").replace(/\r?\n$/, "").split("\t");
  const cells = text.replace(/\r?\n$/, "").split("\t");
  return (
    <span class="merge-cells">
      {cells.map((cell, n) => {
        const differs = cell !== (others[n] ?? "");
        if (!cell && !differs) return null;
        return differs ? <mark key={n}>{cell || t("lexicon.blank")}</mark> : <span key={n}>{cell}</span>;
      })}
    </span>
  );
}

// A new column ------------------------------------------------------------------------------------------------------

interface ColumnProps {
  space: Workspace;
  row: Row | null;
  add: (name: string, file: string) => void;
  close: () => void;
}

export function ColumnDialog(props: ColumnProps) {
  const { space } = props;
  const dialog = useDialog();
  const files = [...space.sheets.keys()];
  const [file, setFile] = useState(space.view.file || props.row?.file || files[0] || "");
  const [name, setName] = useState("");
  const clean = name.trim();
  const taken = space.sheets.get(file)?.columns.includes(clean) ?? false;
  const wrong = (space.table?.source === "relation" ? /[\s,()]/ : /[\s\\|:/"<>()=#@,*]/).test(clean);
  const problem = taken ? t("lexicon.column_taken", { name: clean }) : wrong ? ownText("column_characters") : "";
  const closed = (): void => {
    if (dialog.current?.returnValue === "yes" && clean && !problem) props.add(clean, file);
    props.close();
  };
  return (
    <dialog ref={dialog} aria-labelledby="column-title" onClose={closed}>
      <form method="dialog">
        <header>
          <h2 id="column-title">{t("lexicon.add_column")}</h2>
        </header>
        <div class="body">
          <div class="field">
            <label for="column-name">{ownText("column_name")}</label>
            <input
              id="column-name"
              value={name}
              autocomplete="off"
              spellcheck={false}
              required
              aria-invalid={problem !== ""}
              aria-describedby="column-problem"
              onInput={(event) => setName(event.currentTarget.value)}
            />
            <p class="hint" id="column-problem" role="status">
              {problem || ownText("column_hint")}
            </p>
          </div>
          {files.length > 1 ? (
            <div class="field">
              <label for="column-file">{t("lexicon.file")}</label>
              <select id="column-file" value={file} onChange={(event) => setFile(event.currentTarget.value)}>
                {files.map((name) => (
                  <option key={name} value={name}>
                    {shortName(name)}
                  </option>
                ))}
              </select>
            </div>
          ) : null}
        </div>
        <footer>
          <button type="button" onClick={() => dialog.current?.close("no")}>
            {t("shell.cancel")}
          </button>
          <button class="primary" value="yes" disabled={!clean || problem !== ""}>
            {t("lexicon.add_column")}
          </button>
        </footer>
      </form>
    </dialog>
  );
}
