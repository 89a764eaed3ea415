// The page of a paradigm: rows or plain text on the left, its pairs on the right.
import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { openInto, useKeptFocus, useObserved } from "../drawing";
import { focusEditor } from "../editor/rule_editor";
import { makeTextEditor, showDiagnostics } from "../editor/text_editor";
import { listenToShortcuts } from "../keyboard";
import { historyAddress, page, t } from "../page";
import { Download, Fields, RenameDialog } from "../paradigm/fields";
import { Cells } from "../paradigm/lines";
import { ParadigmModel } from "../paradigm/model";
import { PreviewPanel } from "../paradigm/preview";
import { fieldOf, hasVariants } from "../paradigm/rows";
import { ruleId, Slots } from "../paradigm/slots";
import { type ChooseWording, VariantTabs, WordingOptions } from "../paradigm/variants";
import { FileDocument } from "../saving";
import { Problems, SavingNotices, SavingState } from "../status";
import type { Diagnostic, ParadigmRows } from "../wire";

function ParadigmPage({ model }: { model: ParadigmModel }) {
  useKeptFocus();
  useObserved(model);
  const [plain, setPlain] = useState(false);
  const [wording, setWording] = useState(0);
  const [renaming, setRenaming] = useState(false);
  const text = useRef<HTMLDivElement>(null);
  const { live, rows } = model;
  const toggle = (): void => setPlain((now) => !now);

  useLayoutEffect(() => start(model, text.current!, toggle), []);
  useEffect(() => {
    if (plain) model.view.focus();
    model.view.requestMeasure();
  }, [plain]);
  useEffect(() => {
    if (plain) showDiagnostics(model.view, live.diagnostics);
  }, [plain, live.diagnostics]);

  useEffect(() => {
    if (rows) enterNew();
  }, [rows !== null]);
  const chosen = Math.min(wording, (rows?.wordings.length ?? 1) - 1);
  const jump = (diagnostic: Diagnostic): void => {
    if (plain && diagnostic.range) {
      model.view.dispatch({ selection: { anchor: diagnostic.range.start, head: diagnostic.range.end }, scrollIntoView: true });
      return model.view.focus();
    }
    if (diagnostic.variant !== null) setWording(diagnostic.variant);
    setTimeout(() => {
      if (diagnostic.slot) focusEditor(ruleId(diagnostic.variant, diagnostic.slot), diagnostic.inner?.start ?? "end");
      else document.querySelector<HTMLElement>(`[id="field-${diagnostic.row.join(".")}"]`)?.focus();
    });
  };
  return (
    <>
      <Head model={model} rows={rows} plain={plain} toggle={toggle} rename={() => setRenaming(true)} />
      <SavingNotices file={model.file} quiet />
      <div class="workplace">
        <div class="writing">
          {model.refused.length > 0 && <div class="refused"><Problems problems={model.refused} /></div>}
          {!plain && model.unreadable.length > 0 && (
            <div class="unreadable"><Problems problems={model.unreadable} />
              <p>{t("paradigm.unreadable")} <button type="button" onClick={toggle}>{t("paradigm.plain")}</button></p></div>
          )}
          {!plain && !rows && model.away && <p class="notice warn" role="status">{t("js.shell.away")}</p>}
          <div class="plain-text" ref={text} hidden={!plain} />
          {!plain && rows && model.unreadable.length === 0 && (
            <Rows model={model} rows={rows} chosen={chosen} choose={setWording} />
          )}
        </div>
        <aside class="beside-writing">
          <PreviewPanel live={live} quiet={!plain && model.unreadable.length > 0} jump={jump}
            repair={(diagnostic) => <Repair model={model} diagnostic={diagnostic} />} loose={(diagnostics) => diagnostics.filter(({ slot }) => plain || !slot)} />
          <Download model={model} />
        </aside>
      </div>
      {renaming && rows && <RenameDialog model={model} rows={rows} close={() => setRenaming(false)} />}
    </>
  );
}

/** Put the focus into the first field to fill in, if the address says that the paradigm was just created. */
function enterNew(): void {
  if (location.hash !== "#new") return;
  history.replaceState(null, "", location.pathname + location.search);
  if (document.activeElement === document.body) document.getElementById(`field-about.${page.lang}`)?.focus();
}

/** A button that declares the edit which the lines make. */
function Repair({ model, diagnostic }: { model: ParadigmModel; diagnostic: Diagnostic }) {
  if (diagnostic.kind !== "edit-differs" || !model.mayEdit) return null;
  const edit = String(diagnostic.values["derived"]);
  return <> <button type="button" class="plain jump" onClick={() => model.write({ of: "field", name: "edit" }, edit)}>{t("paradigm.repair", { edit })}</button></>;
}

interface HeadProps {
  model: ParadigmModel;
  rows: ParadigmRows | null;
  plain: boolean;
  toggle: () => void;
  rename: () => void;
}

function Head({ model, rows, plain, toggle, rename }: HeadProps) {
  const value = (name: string): string => (rows ? fieldOf(rows, name) : "");
  const parts = model.file.file.split("/");
  return (
    <div class="file-head">
      <div class="file-title">
        <p class="muted small">{value("phenomenon") || parts.at(-2)}</p>
        <h1 class="mono">{value("uid") || parts.at(-1)}</h1>
        {model.mayEdit && <button type="button" class="plain" onClick={rename}>{t("paradigm.rename")}</button>}
      </div>
      <SavingState file={model.file} />
      <div class="file-tools" role="group" aria-label={t("paradigm.tools")}>
        <button type="button" class="plain" onClick={() => undo(model.view)} disabled={!model.view || undoDepth(model.view.state) === 0} aria-keyshortcuts="Control+Z" title="Ctrl+Z">{t("paradigm.undo")}</button>
        <button type="button" class="plain" onClick={() => redo(model.view)} disabled={!model.view || redoDepth(model.view.state) === 0} aria-keyshortcuts="Control+Shift+Z" title="Ctrl+Shift+Z">{t("paradigm.redo")}</button>
        <a class="button plain" href={historyAddress(model.file.file)}>{t("paradigm.history")}</a>
        <button type="button" aria-pressed={plain} onClick={toggle} aria-keyshortcuts="Control+E" title="Ctrl+E">{t("paradigm.plain")}</button>
      </div>
    </div>
  );
}

interface RowsProps {
  model: ParadigmModel;
  rows: ParadigmRows;
  chosen: number;
  choose: ChooseWording;
}

function Rows({ model, rows, chosen, choose }: RowsProps) {
  const wording = rows.wordings[chosen];
  const many = hasVariants(rows);
  const variant = many ? chosen : null;
  return (
    <>
      <Fields model={model} rows={rows} />
      <Slots {...{ model, rows }} variant={null} wording={chosen} title={t(many ? "paradigm.slots.shared" : "paradigm.slots")} />
      <VariantTabs {...{ model, rows, chosen, choose }} />
      {wording && (
        <div id="wording" class={many ? "wording many" : "wording"} {...(many ? { role: "tabpanel", "aria-labelledby": `tab-${chosen}` } : {})}>
          {many && <Slots key={`slots ${chosen}`} {...{ model, rows }} variant={variant} wording={chosen} title={t("paradigm.slots.own")} />}
          <section class="sides" aria-labelledby="sides-title">
            <h2 id="sides-title">{t("paradigm.lines")}</h2>
            <Cells key={`cells ${chosen}`} {...{ model, rows, wording, variant }} />
            <WordingOptions key={`options ${chosen}`} {...{ model, wording, variant }} />
          </section>
        </div>
      )}
    </>
  );
}

/** Make the text editor, which holds the text also while rows are shown, and listen to shortcuts. */
function start(model: ParadigmModel, parent: HTMLElement, toggle: () => void): void {
  model.view = makeTextEditor({
    parent,
    text: model.file.text,
    label: t("paradigm.plain.label"),
    readOnly: !model.mayEdit,
    kind: "text",
    updated: (update) => model.updated(update),
    extensions: model.extensions,
  });
  listenToShortcuts([
    { keys: "Ctrl+E", run: toggle, typing: true },
    { keys: "Alt+N", run: () => model.live.sample(), typing: true },
    { keys: "Ctrl+Z", run: () => undo(model.view), typing: true },
    { keys: "Ctrl+Shift+Z", run: () => redo(model.view), typing: true },
    { keys: "Ctrl+Y", run: () => redo(model.view), typing: true },
    { keys: "Ctrl+S", run: () => void model.file.flush(), typing: true },
  ]);
  void model.live.ask();
}

const root = document.getElementById("editor");
if (root) {
  void openInto(root, async () => <ParadigmPage model={new ParadigmModel(await FileDocument.open())} />);
}
