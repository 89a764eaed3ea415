// The lexicon's page: the whole vocabulary as a grid, with search, problems, and who uses a word.
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { ColumnDialog } from "../lexicon/column_dialog";
import { DraftsElsewhere } from "../lexicon/drafts";
import { Lexicon } from "../lexicon/lexicon";
import { MergeDialog } from "../lexicon/merge_dialog";
import { Panel } from "../lexicon/panel";
import { PasteDialog } from "../lexicon/paste_dialog";
import { Search } from "../lexicon/search";
import { SaveState } from "../lexicon/state";
import { shortName } from "../lexicon/view";
import { Workspace } from "../lexicon/workspace";
import { openInto } from "../opening";
import { page } from "../page";
import { number, t } from "../words";

function Page({ lexicon }: { lexicon: Lexicon }) {
  const [version, redraw] = useReducer<number, void>((n) => n + 1, 0);
  const [adding, setAdding] = useState(false);
  const [putOff, setPutOff] = useState(false); // a disagreement that the reader will settle later
  const box = useRef<HTMLDivElement>(null);
  const asked = useRef(false);
  const { space, grid } = lexicon;
  useLayoutEffect(() => {
    lexicon.onChange = () => redraw();
    box.current!.append(grid.element);
    lexicon.show();
  }, []);
  const { outbox } = space;
  const choosing = outbox.disagreement !== null && !putOff;
  useEffect(() => {
    if (asked.current && !choosing) grid.focus(); // the dialog is closed
    asked.current = choosing;
  }, [choosing]);
  const several = space.sheets.size > 1;
  const shown = space.view.rows.reduce((sum, row) => sum + (row.ghost ? 0 : 1), 0);
  return (
    <>
      <div class="heading">
        <h1>{t("lexicon.title")}</h1>
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
      {outbox.disagreement && putOff ? (
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
      <div class="lexicon-bar">
        <div class="lexicon-tools" role="search" aria-label={t("lexicon.search_title")}>
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
            {space.view.hits ? t("lexicon.found", { n: shown, all: space.view.words }) : t("lexicon.words", { n: space.view.words })}
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
            <button type="button" onClick={() => setAdding(true)} aria-haspopup="dialog">
              {t("lexicon.add_column")}
            </button>
            <button type="button" disabled={!outbox.canUndo} onClick={() => outbox.undo()} aria-keyshortcuts="Control+Z">
              {t("lexicon.undo")}
            </button>
            <button type="button" disabled={!outbox.canRedo} onClick={() => outbox.redo()} aria-keyshortcuts="Control+Y">
              {t("lexicon.redo")}
            </button>
          </div>
        ) : (
          <p class="muted">{t("lexicon.read_only")}</p>
        )}
      </div>
      <div class="lexicon-body">
        <div class="grid-box" ref={box}>
          {shown === 0 ? <p class="nothing muted">{t(space.view.hits ? "lexicon.none_found" : "lexicon.empty")}</p> : null}
        </div>
        <Panel space={space} row={lexicon.row} version={version} go={(problem) => lexicon.goTo(problem)} />
      </div>
      {lexicon.plan ? <PasteDialog space={space} plan={lexicon.plan} close={(yes) => lexicon.agreed(yes)} /> : null}
      {adding ? <ColumnDialog space={space} row={lexicon.row} add={(name, file) => lexicon.addColumn(name, file)} close={() => setAdding(false)} /> : null}
      {outbox.disagreement && choosing ? (
        <MergeDialog found={outbox.disagreement} done={() => outbox.settled()} later={() => setPutOff(true)} />
      ) : null}
    </>
  );
}

const root = document.getElementById("lexicon")!;
const lexicon = new Lexicon(new Workspace(page.project));
void openInto(root, async () => {
  await lexicon.start();
  return <Page lexicon={lexicon} />;
});
