// The page of a grid, of the lexicon or of one table: a search, tools, the grid, and beside it uses and problems.
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { DraftElsewhere } from "./company";
import { ColumnDialog, MergeDialog, PasteDialog } from "./dialogs";
import { Lexicon } from "./lexicon";
import { Panel } from "./panel";
import { Search } from "./search";
import { shortName } from "./view";
import { ownText } from "./workspace";
import { editAddress, historyAddress, number, othersHere, page, t, time } from "../page";
import type { State } from "../saving";

const LOOKS: Record<State, string> = {
  saved: "good",
  saving: "",
  unsaved: "",
  draft: "warn",
  conflict: "bad",
  offline: "warn",
  refused: "bad",
};

/** How far the edits have been saved, and who else is here. */
function SaveState({ state, others }: { state: State; others: readonly string[] }) {
  return (
    <div class="save-state">
      {others.length > 0 ? <span class="badge">{othersHere(others)}</span> : null}
      {state === "draft" ? <span class="small">{t("lexicon.state_draft_why")}</span> : null}
      <span class={`badge ${LOOKS[state]}`} role="status" data-state={state}>
        {t(`lexicon.state_${state}`)}
      </span>
    </div>
  );
}

/** Unsaved edits of the reader that are in another tab or browser. */
function DraftsElsewhere({ drafts }: { drafts: readonly DraftElsewhere[] }) {
  return (
    <>
      {drafts.map((draft, at) => (
        <p class="notice warn" role="status" key={at}>
          {t(draft.here ? "lexicon.draft_here" : "lexicon.draft_elsewhere", { file: draft.file, time: time(draft.time) })}{" "}
          {draft.here ? null : <a href={editAddress(draft.file)}>{t("lexicon.draft_open")}</a>}
        </p>
      ))}
    </>
  );
}

/** The table that is open: its name, and ways to its text, its history, and the other tables. */
function TableTitle() {
  const tables = `/p/${encodeURIComponent(page.project)}/tables`;
  return (
    <>
      <h1>
        <a href={tables}>{t("shell.tables")}</a> <span class="mono file">{page.file}</span>
      </h1>
      <div class="actions beside-title">
        <a href={editAddress(page.file)}>{t("table.text")}</a>
        <a href={historyAddress(page.file)}>{t("shell.history")}</a>
      </div>
    </>
  );
}

export function GridPage({ lexicon }: { lexicon: Lexicon }) {
  const [version, redraw] = useReducer<number, void>((n) => n + 1, 0);
  const [adding, setAdding] = useState(false);
  const [putOff, setPutOff] = useState(false); // the conflict is to be resolved later
  const box = useRef<HTMLDivElement>(null);
  const dialogOpen = useRef(false);
  const { space, grid } = lexicon;
  useLayoutEffect(() => {
    lexicon.onChange = () => redraw();
    box.current!.append(grid.element);
    lexicon.show();
  }, []);
  const { outbox } = space;
  const choosing = outbox.conflict !== null && !putOff;
  useEffect(() => {
    if (dialogOpen.current && !choosing) grid.focus(); // the dialog has been closed
    dialogOpen.current = choosing;
  }, [choosing]);
  const several = space.sheets.size > 1;
  const shown = space.view.rows.reduce((sum, row) => sum + (row.ghost ? 0 : 1), 0);
  return (
    <>
      <div class="heading">
        {space.table ? <TableTitle /> : <h1>{t("lexicon.title")}</h1>}
        <SaveState state={outbox.state} others={lexicon.company.others} />
      </div>
      {outbox.refused.length > 0 ? (
        <div class="notice bad" role="alert">
          <ul>
            {outbox.refused.map((problem) => (
              <li>{problem.text}</li>
            ))}
          </ul>
          <button type="button" class="plain" onClick={() => ((outbox.refused = []), redraw())}>
            {t("shell.close")}
          </button>
        </div>
      ) : null}
      {outbox.conflict && putOff ? (
        <p class="notice bad" role="alert">
          <span>{t("lexicon.merge_title")}</span>{" "}
          <button type="button" class="primary" onClick={() => setPutOff(false)}>
            {t("lexicon.merge_open")}
          </button>
        </p>
      ) : null}
      <DraftsElsewhere drafts={lexicon.company.drafts} />
      {lexicon.notice ? (
        <p class="notice" role="status">
          <span>{lexicon.notice}</span>{" "}
          <button type="button" class="plain" onClick={() => ((lexicon.notice = ""), redraw())}>
            {t("shell.close")}
          </button>
        </p>
      ) : null}
      {outbox.emptied ? (
        <div class="notice bad" role="alert">
          <p>{t("lexicon.emptied", { n: outbox.emptied.uses.length })}</p>
          <ul>
            {outbox.emptied.uses.map(({ file, uid, slots }) => (
              <li key={uid}>
                <a href={editAddress(file)}>{uid}</a> {slots.join(", ")}
              </li>
            ))}
          </ul>
          {outbox.canRefill ? (
            <button type="button" class="primary" onClick={() => outbox.undo()}>
              {t("lexicon.undo")}
            </button>
          ) : null}{" "}
          <button type="button" class="plain" onClick={() => ((outbox.emptied = null), redraw())}>
            {t("shell.close")}
          </button>
        </div>
      ) : null}
      {lexicon.repeated ? (
        <p class="notice warn" role="status">
          {lexicon.repeated}
        </p>
      ) : null}
      <div class="lexicon-bar">
        <div class="lexicon-tools" role="search" aria-label={ownText("search_title")}>
          {several ? (
            <div class="field">
              <label for="lexicon-file">{t("lexicon.file")}</label>
              <select id="lexicon-file" value={space.view.file} onChange={(event) => lexicon.choose(event.currentTarget.value)}>
                <option value="">{t("lexicon.all_files")}</option>
                {[...space.sheets.values()].map((sheet) => (
                  <option key={sheet.file} value={sheet.file}>
                    {`${shortName(sheet.file)} (${number(sheet.rows.length)})`}
                  </option>
                ))}
              </select>
            </div>
          ) : null}
          <Search space={space} find={(query) => lexicon.find(query)} toGrid={() => grid.focus()} />
          <p class="muted small shown" role="status">
            {space.view.hits ? ownText("found", { n: shown, all: space.view.words }) : ownText("words", { n: space.view.words })}
          </p>
        </div>
        {space.mayEdit ? (
          <div class="lexicon-actions" role="toolbar" aria-label={t("lexicon.actions")}>
            <button type="button" onClick={() => lexicon.append()}>
              {t("lexicon.add_row")}
            </button>
            <button type="button" onClick={() => lexicon.deleteRows()} aria-keyshortcuts="Control+Delete">
              {t("lexicon.delete_rows")}
            </button>
            {space.table?.source === "features" ? null : (
              <button type="button" onClick={() => setAdding(true)} aria-haspopup="dialog">
                {t("lexicon.add_column")}
              </button>
            )}
            <button type="button" disabled={!outbox.canUndo} onClick={() => outbox.undo()} aria-keyshortcuts="Control+Z">
              {t("lexicon.undo")}
            </button>
            <button type="button" disabled={!outbox.canRedo} onClick={() => outbox.redo()} aria-keyshortcuts="Control+Y">
              {t("lexicon.redo")}
            </button>
          </div>
        ) : (
          <p class="muted">{ownText("read_only")}</p>
        )}
      </div>
      <div class="lexicon-body">
        <div class="grid-box" ref={box}>
          {shown === 0 ? <p class="nothing muted">{ownText(space.view.hits ? "none_found" : "empty")}</p> : null}
        </div>
        <Panel space={space} row={lexicon.row} version={version} go={(problem) => lexicon.goTo(problem)} />
      </div>
      {lexicon.plan ? <PasteDialog space={space} plan={lexicon.plan} close={(yes) => lexicon.decide(yes)} /> : null}
      {adding ? <ColumnDialog space={space} row={lexicon.row} add={(name, file) => lexicon.addColumn(name, file)} close={() => setAdding(false)} /> : null}
      {outbox.conflict && choosing ? (
        <MergeDialog conflict={outbox.conflict} done={() => outbox.resolved()} later={() => setPutOff(true)} />
      ) : null}
    </>
  );
}
