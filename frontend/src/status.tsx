// What the page says about saving: the state of the open file, who else has it open, drafts, and conflicts.
import { useEffect, useRef, useState } from "preact/hooks";
import { Refused } from "./api";
import { useDialog, useObserved } from "./drawing";
import { nameOf, othersHere, t, time } from "./page";
import type { Choices, Disagreement, FileDocument } from "./saving";
import type { Problem, RowConflict } from "./wire";

const SIGNS = { saved: "✓", saving: "…", unsaved: "●", draft: "✎", conflict: "⇄", offline: "⚡", refused: "✕" } as const;

/** The state in one word, for the head of the page. */
export function SavingState({ file }: { file: FileDocument }) {
  useObserved(file);
  const { state } = file;
  const kind = state === "saved" ? "good" : ["conflict", "offline", "refused"].includes(state) ? "bad" : state === "draft" ? "warn" : "";
  return (
    <span class="saving-state">
      <span role="status" class={`state ${kind}`} title={t(`js.state.${state}.why`)}>
        <span aria-hidden="true">{SIGNS[state]}</span> {t(`js.state.${state}`)}
        {state === "draft" && <span class="small">{draftReason(file.problems)}</span>}
      </span>
      {state === "saved" && file.time && <span class="muted small"> {time(file.time)}</span>}
      {file.others.length > 0 && (
        <span class="others" title={t("js.others.why")}>
          <span aria-hidden="true">◔</span> {othersHere(file.others)}
        </span>
      )}
    </span>
  );
}

/** Why the text is only a draft: the file keeps its old text while this one has errors. */
function draftReason(problems: readonly Problem[]): string {
  const n = problems.filter(({ severity }) => severity === "error").length;
  return n === 1 ? t("js.state.draft.one") : n ? t("js.state.draft.many", { n }) : t("js.state.draft.why");
}

/** Problems of the last save, a conflict to resolve, and drafts to bring back. */
export function SavingNotices({ file, quiet = false }: { file: FileDocument; quiet?: boolean }) {
  useObserved(file);
  const [resolving, setResolving] = useState(false);
  useEffect(() => {
    if (!file.conflict) setResolving(false); // the next conflict must not open the dialog by itself
  }, [file.conflict]);
  const errors = file.state === "refused" || (file.state === "unsaved" && !quiet) ? file.problems : [];
  return (
    <div class="saving-notices">
      {!file.mayEdit && <p class="notice">{t("js.may_not_edit")}</p>}
      {file.notice && <p class="notice good" role="status">{t(`js.notice.${file.notice}`, { author: nameOf(file.author) })}</p>}
      {file.state === "offline" && <p class="notice warn" role="status">{t("js.state.offline.why")}</p>}
      {errors.length > 0 && <Problems problems={errors} />}
      {file.conflict && (
        <p class="notice bad" role="alert">
          <span>{conflictNotice(file.conflict)}</span>{" "}
          {file.conflict.deleted === null
            ? <button type="button" class="primary" onClick={() => setResolving(true)}>{t("js.conflict.open")}</button>
            : <button type="button" class="primary" onClick={() => void file.resolve({})}>{t("js.conflict.keep_mine")}</button>}
        </p>
      )}
      <Offers file={file} />
      {resolving && file.conflict && <ConflictDialog file={file} close={() => setResolving(false)} />}
    </div>
  );
}

function conflictNotice({ deleted, draft, author }: Disagreement): string {
  if (draft) return t("js.conflict.draft");
  return t(deleted === null ? "js.conflict.happened" : "js.conflict.deleted", { author: nameOf(author) });
}

/** Unsaved texts, newest first; folded where there are several. */
function Offers({ file }: { file: FileDocument }) {
  const { offers } = file;
  if (!offers.length) return null;
  const newest = [...offers].sort((a, b) => b.time.localeCompare(a.time));
  return (
    <details class="notice warn offers" open={offers.length === 1}>
      <summary>{offers.length === 1 ? t("js.draft.one") : t("js.draft.many", { n: offers.length })}</summary>
      <ul>
        {newest.map((draft) => (
          <li key={draft.tab + draft.time}>
            <span>{t(draft.why === "local" ? "js.draft.local" : "js.draft.server", { time: time(draft.time) })}</span>{" "}
            <button type="button" onClick={() => void file.bringBack(draft)}>{t("js.draft.take")}</button>{" "}
            <button type="button" class="plain" onClick={() => file.forget(draft)}>{t("js.draft.drop")}</button>
            <details>
              <summary>{t("js.draft.show")}</summary>
              <pre tabIndex={0}>{draft.text}</pre>
            </details>
          </li>
        ))}
      </ul>
    </details>
  );
}

export function Problems({ problems }: { problems: Problem[] }) {
  return (
    <div class="notice bad" role="alert">
      <ul>
        {problems.map((problem) => (
          <li key={problem.text}>
            {problem.place?.line ? <span class="place">{problem.place.line}:{problem.place.column} </span> : null}
            {problem.text}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The rows that two people changed, side by side, with a choice for each. */
function ConflictDialog({ file, close }: { file: FileDocument; close: () => void }) {
  const dialog = useDialog();
  const [choices, setChoices] = useState<Choices>({});
  const [failure, setFailure] = useState("");
  const update = useRef(Promise.resolve()); // of the rows, with what was typed since
  const { conflict } = file;
  useEffect(() => {
    update.current = file.resolve({}).catch(() => undefined);
  }, []);
  useObserved(file);
  if (!conflict) return null;
  const open = conflict.rows.filter(({ row }) => !choices[row]).length;
  const all = (side: "mine" | "theirs") => setChoices(Object.fromEntries(conflict.rows.map(({ row }) => [row, side])));
  const merge = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await update.current; // an answer that came later would reopen the conflict
      await file.resolve(choices);
      if (!file.conflict) close();
    } catch (error) {
      setFailure(error instanceof Refused ? error.message : t("js.state.offline.why"));
    }
  };
  return (
    <dialog class="conflict" ref={dialog} onClose={close} aria-labelledby="conflict-title">
      <form onSubmit={(event) => void merge(event)}>
        <header>
          <h2 id="conflict-title">{t("js.conflict.title")}</h2>
        </header>
        <div class="body">
          <p>{conflict.draft ? t("js.conflict.draft.explained") : t("js.conflict.explained", { author: nameOf(conflict.author), time: time(conflict.time) })}</p>
          {conflict.rows.length > 1 && !conflict.draft && (
            <p class="actions">
              <button type="button" onClick={() => all("mine")}>{t("js.conflict.all_mine")}</button>{" "}
              <button type="button" onClick={() => all("theirs")}>{t("js.conflict.all_theirs")}</button>
            </p>
          )}
          {conflict.rows.map((row) => (
            <Row key={row.row} row={row} draft={conflict.draft !== null} chosen={choices[row.row]} choose={(side) => setChoices({ ...choices, [row.row]: side })} />
          ))}
          {failure && <p class="notice bad" role="alert">{failure}</p>}
        </div>
        <footer>
          <span class="muted" role="status">{open ? t("js.conflict.left", { n: open }) : ""}</span>
          <button type="button" onClick={() => dialog.current?.close()}>{t("js.conflict.later")}</button>
          <button class="primary" disabled={open > 0}>{t("js.conflict.merge")}</button>
        </footer>
      </form>
    </dialog>
  );
}

interface RowProps {
  row: RowConflict;
  draft: boolean; // my side is a draft
  chosen: "mine" | "theirs" | undefined;
  choose: (side: "mine" | "theirs") => void;
}

function Row({ row, draft, chosen, choose }: RowProps) {
  return (
    <fieldset class="conflict-row">
      <legend>{row.text}</legend>
      {(["mine", "theirs"] as const).map((side) => (
        <label key={side} class={chosen === side ? "side chosen" : "side"}>
          <span>
            <input type="radio" name={`row ${row.row}`} checked={chosen === side} onChange={() => choose(side)} />{" "}
            {t(draft ? `js.conflict.draft.${side}` : `js.conflict.${side}`)}
          </span>
          <pre>{row[side] ?? t("js.conflict.none")}</pre>
        </label>
      ))}
      <p class="hint">{t("js.conflict.before")} <code>{row.base?.trim() ?? t("js.conflict.none")}</code></p>
    </fieldset>
  );
}
