// The page on which a paradigm is written: rows or plain text on the left, its pairs on the right.
import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { within } from "../api";
import { openInto } from "../opening";
import { page } from "../page";
import { Cells } from "../paradigm/cells";
import { Download, Fields, RenameDialog } from "../paradigm/fields";
import { Live } from "../paradigm/live";
import { ParadigmModel } from "../paradigm/model";
import { PreviewPanel } from "../paradigm/preview";
import { ruleId, Slots } from "../paradigm/slots";
import { find, hasVariants } from "../paradigm/targets";
import { type ChooseWording, VariantTabs, WordingOptions } from "../paradigm/variants";
import { useKeptFocus, useWatching } from "../paradigm/watching";
import { focusEditor } from "../rule_field";
import { FileDocument } from "../saving";
import type { Diagnostic, ParadigmRows } from "../shapes";
import { listen } from "../shortcuts";
import { Problems, SavingNotices, SavingState } from "../status";
import { makeTextEditor, showDiagnostics } from "../text_editor";
import { t } from "../words";

function ParadigmPage({ model, live }: { model: ParadigmModel; live: Live }) {
  useKeptFocus();
  useWatching(model, live);
  const [plain, setPlain] = useState(false);
  const [wording, choose] = useState(0);
  const [renaming, rename] = useState(false);
  const text = useRef<HTMLDivElement>(null);
  const toggle = (): void => setPlain((now) => !now);

  useLayoutEffect(() => start(model, live, text.current!, toggle), []);
  useEffect(() => {
    if (plain) model.view.focus();
    model.view.requestMeasure();
  }, [plain]);
  useEffect(() => {
    if (plain) showDiagnostics(model.view, live.diagnostics);
  }, [plain, live.diagnostics]);

  const rows = model.rows;
  useEffect(() => {
    if (rows) enter();
  }, [rows !== null]);
  const chosen = Math.min(wording, (rows?.wordings.length ?? 1) - 1);
  const jump = (found: Diagnostic): void => {
    if (plain && found.range) {
      model.view.dispatch({ selection: { anchor: found.range.start, head: found.range.end }, scrollIntoView: true });
      return model.view.focus();
    }
    if (found.variant !== null) choose(found.variant);
    setTimeout(() => {
      if (found.slot) focusEditor(ruleId(found.variant, found.slot), found.inner?.start ?? "end");
      else document.querySelector<HTMLElement>(`[id="field-${found.row.join(".")}"]`)?.focus();
    });
  };
  return (
    <>
      <Head model={model} rows={rows} plain={plain} toggle={toggle} rename={() => rename(true)} />
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
            <Rows model={model} live={live} rows={rows} chosen={chosen} choose={choose} />
          )}
        </div>
        <aside class="beside-writing">
          <PreviewPanel live={live} told={!plain && model.unreadable.length > 0} jump={jump} repair={(found) => <Repair model={model} found={found} />} loose={(found) => found.filter(({ slot }) => plain || !slot)} />
          {rows && <Download model={model} uid={find(rows, { of: "field", name: "uid" }).value} />}
        </aside>
      </div>
      {renaming && rows && <RenameDialog model={model} rows={rows} close={() => rename(false)} />}
    </>
  );
}

/** A paradigm that was just made, as the address says: the cursor goes to the first thing to write. */
function enter(): void {
  if (location.hash !== "#new") return;
  history.replaceState(null, "", location.pathname + location.search);
  if (document.activeElement === document.body) document.getElementById(`field-about.${page.lang}`)?.focus();
}

/** What the lines do, taken over as what is declared. */
function Repair({ model, found }: { model: ParadigmModel; found: Diagnostic }) {
  if (found.kind !== "edit-differs" || !model.mayEdit) return null;
  const edit = String(found.values["derived"]);
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
  const value = (name: string): string => (rows ? find(rows, { of: "field", name }).value : "");
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
        <a class="button plain" href={within(model.file.project, "history", model.file.file).replace("/projects/", "/p/")}>{t("paradigm.history")}</a>
        <button type="button" aria-pressed={plain} onClick={toggle} aria-keyshortcuts="Control+E" title="Ctrl+E">{t("paradigm.plain")}</button>
      </div>
    </div>
  );
}

interface RowsProps {
  model: ParadigmModel;
  live: Live;
  rows: ParadigmRows;
  chosen: number;
  choose: ChooseWording;
}

function Rows({ model, live, rows, chosen, choose }: RowsProps) {
  const wording = rows.wordings[chosen];
  const many = hasVariants(rows);
  const variant = many ? chosen : null;
  return (
    <>
      <Fields model={model} rows={rows} />
      <Slots {...{ model, live, rows }} variant={null} wording={chosen} title={t(many ? "paradigm.slots.shared" : "paradigm.slots")} />
      <VariantTabs {...{ model, rows, chosen, choose }} />
      {wording && (
        <div id="wording" class={many ? "wording many" : "wording"} {...(many ? { role: "tabpanel", "aria-labelledby": `tab-${chosen}` } : {})}>
          {many && <Slots key={`slots ${chosen}`} {...{ model, live, rows }} variant={variant} wording={chosen} title={t("paradigm.slots.own")} />}
          <section class="sides" aria-labelledby="sides-title">
            <h2 id="sides-title">{t("paradigm.lines")}</h2>
            <Cells key={`cells ${chosen}`} {...{ model, live, rows, wording, variant }} />
            <WordingOptions key={`options ${chosen}`} {...{ model, wording, variant }} />
          </section>
        </div>
      )}
    </>
  );
}

/** Makes the text's editor, which holds the truth also while rows are shown, and listens to keys. */
function start(model: ParadigmModel, live: Live, parent: HTMLElement, toggle: () => void): void {
  model.view = makeTextEditor({
    parent,
    text: model.file.text,
    label: t("paradigm.plain.label"),
    readOnly: !model.mayEdit,
    kind: "text",
    updated: (update) => model.updated(update),
    extensions: model.extensions,
  });
  model.onChange = () => live.changed();
  const says = (key: string): string => t(`paradigm.key.${key}`);
  listen([
    { keys: "Ctrl+E", says: says("plain"), run: toggle, typing: true },
    { keys: "Alt+N", says: says("sample"), run: () => live.sample(), typing: true },
    { keys: "Ctrl+Z", says: says("undo"), run: () => undo(model.view), typing: true },
    { keys: "Ctrl+Shift+Z", says: says("redo"), run: () => redo(model.view), typing: true },
    { keys: "Ctrl+Y", says: says("redo"), run: () => redo(model.view), typing: true },
    { keys: "Ctrl+S", says: says("save"), run: () => void model.file.flush(), typing: true },
  ]);
  void model.read();
  void live.ask();
}

const root = document.getElementById("editor");
if (root) {
  void openInto(root, async () => {
    const model = new ParadigmModel(await FileDocument.open(page.project, page.file));
    return <ParadigmPage model={model} live={new Live(page.project, page.file, () => model.text)} />;
  });
}
