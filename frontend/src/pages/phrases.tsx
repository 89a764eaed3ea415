// The page of the phrases: a list of all, and the open one with its alternatives and parts as rows.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import { openInto, useObserved } from "../drawing";
import { NamedKeys } from "../editor/row_tools";
import { focusEditor } from "../editor/rule_editor";
import { makeTextEditor, showDiagnostics } from "../editor/text_editor";
import { listenToShortcuts } from "../keyboard";
import { historyAddress, page, t } from "../page";
import { editorsOf, ruleId } from "../phrases/alternative";
import { focusLink, PhraseList } from "../phrases/list";
import { PhrasesModel, Samples } from "../phrases/model";
import { type Choose, PhraseEditor } from "../phrases/phrase";
import { FileDocument } from "../saving";
import { Problems, SavingNotices, SavingState } from "../status";
import type { PhraseRow } from "../wire";

const FILE = "phrases.yaml";
const EMPTY = "format: 1\nphrases: {}\n";

/** The phrase that the address names. */
const inAddress = (): string => decodeURIComponent(location.hash.slice(1));

function PhrasesPage({ file, model }: { file: FileDocument; model: PhrasesModel }) {
  useObserved(model, file);
  const [open, setOpen] = useState(inAddress);
  const [plain, setPlain] = useState(false);
  const [deleted, setDeleted] = useState(""); // the phrase that was deleted last
  const text = useRef<HTMLDivElement>(null);
  const phrase = model.phrases.find(({ name }) => name === open) ?? model.phrases[0];
  const samples = useRef<Samples | null>(null);
  const printing = (samples.current ??= new Samples());
  const [ready, setReady] = useState(false);

  useEffect(() => {
    model.view = makeTextEditor({
      parent: text.current!,
      text: file.text.replaceAll("\r\n", "\n"),
      label: t("phrases.text_label"),
      readOnly: !file.mayEdit,
      kind: "phrases",
      extensions: model.extensions,
      updated: (update) => model.updated(update),
    });
    void model.live.ask().then(() => setReady(true));
    addEventListener("hashchange", () => setOpen(inAddress()));
  }, []);
  useEffect(() => {
    if (phrase && ready && !plain) printing.show(phrase);
  });
  useEffect(() => {
    if (plain && model.view) showDiagnostics(model.view, model.live.diagnostics);
  }, [plain, model.live.diagnostics]);

  const choose = (name: string, { enter = false } = {}): void => {
    history.replaceState(null, "", `#${encodeURIComponent(name)}`);
    setOpen(name);
    setDeleted("");
    if (enter) focusEditor(ruleId(name, 0));
  };
  const keys = useRef<NamedKeys | null>(null);
  const named = (keys.current ??= new NamedKeys());
  const follow = (name: string, to: string): void => {
    if (inAddress() === name) history.replaceState(null, "", `#${encodeURIComponent(to)}`);
    setOpen((now) => (now === name ? to : now));
  };
  const rename = async (name: string, to: string): Promise<boolean> => {
    const names = model.phrases.map((row) => row.name);
    if (!names.includes(name)) return false; // it has been deleted
    const edit = model.do({ do: "rename_phrase", name, to });
    if (names.includes(to)) return edit;
    follow(name, to);
    const applied = await named.rename(name, to, edit);
    if (!applied) follow(to, name);
    return applied;
  };
  const toggle = (): void => {
    setPlain(!plain);
    if (!plain) {
      const start = phrase?.span.start ?? 0;
      setTimeout(() => {
        model.view.dispatch({ selection: { anchor: Math.max(0, Math.min(start, model.text.length)) }, scrollIntoView: true });
        model.view.focus();
      });
    }
  };
  useShortcuts(model, toggle, phrase, choose);
  const unreadable = model.unreadable.length > 0;
  return (
    <>
      <div class="file-head">
        <h1>{t("phrases.title")}</h1>
        <SavingState file={file} />
        <span class="file-tools">
          {model.mayEdit && ready ? (
            <>
              <button type="button" class="plain" disabled={!model.canUndo} onClick={() => model.undo()} aria-keyshortcuts="Control+Z">
                {t("phrases.undo")}
              </button>
              <button type="button" class="plain" disabled={!model.canRedo} onClick={() => model.redo()} aria-keyshortcuts="Control+Y">
                {t("phrases.redo")}
              </button>
            </>
          ) : null}
          <button type="button" aria-pressed={plain} onClick={toggle} aria-keyshortcuts="Alt+T">
            {t("phrases.plain")}
          </button>
          <a class="button plain" href={historyAddress(FILE)}>
            {t("phrases.history")}
          </a>
        </span>
      </div>
      <SavingNotices file={file} quiet />
      {model.refused.length > 0 ? <Problems problems={model.refused} /> : null}
      {deleted && <p class="notice" role="status">{t("phrases.deleted", { name: deleted })}</p>}
      {unreadable && !plain ? (
        <div class="notice bad" role="alert">
          <p>{t("phrases.unreadable")}</p>
          <Problems problems={model.unreadable} />
        </div>
      ) : null}
      {!plain && model.away && <p class="notice warn" role="status">{t("js.shell.away")}</p>}
      <div class="plain-text" ref={text} hidden={!plain} />
      {plain || !ready || model.away ? null : (
        <div class="phrases-body">
          <PhraseList model={model} open={phrase?.name ?? ""} choose={choose} />
          {phrase ? <PhraseEditor key={named.of(phrase.name)} {...{ model, phrase, choose, rename }} samples={printing} deleted={setDeleted} /> : <p class="muted">{t("phrases.start")}</p>}
        </div>
      )}
    </>
  );
}

function useShortcuts(model: PhrasesModel, toggle: () => void, phrase: PhraseRow | undefined, choose: Choose): void {
  const latest = useRef({ toggle, phrase, choose });
  latest.current = { toggle, phrase, choose };
  useEffect(() => {
    const step = (by: number): void => {
      const row = model.phrases[model.phrases.findIndex(({ name }) => name === latest.current.phrase?.name) + by];
      if (!row) return;
      latest.current.choose(row.name);
      const first = editorsOf(row)[0];
      if (first !== undefined) focusEditor(first);
    };
    listenToShortcuts([
      { keys: "Alt+T", run: () => latest.current.toggle(), typing: true },
      { keys: "Alt+N", run: () => document.getElementById("new-phrase")?.focus(), typing: true },
      { keys: "Alt+A", run: () => document.getElementById("add-way")?.click(), typing: true },
      { keys: "Alt+L", run: () => focusLink(latest.current.phrase?.name ?? ""), typing: true },
      { keys: "Alt+PageUp", run: () => step(-1), typing: true },
      { keys: "Alt+PageDown", run: () => step(1), typing: true },
      { keys: "Ctrl+Z", run: () => model.undo(), typing: true },
      { keys: "Ctrl+Y", run: () => model.redo(), typing: true },
      { keys: "Ctrl+Shift+Z", run: () => model.redo(), typing: true },
    ]);
  }, []);
}

/** The file, or a new one where it does not exist yet. */
async function openPhrases(): Promise<FileDocument> {
  try {
    return await FileDocument.open(page.project, FILE);
  } catch (error) {
    if (!(error instanceof api.Refused) || error.status !== 404) throw error;
    const state = { revision: null, time: null, author: "", drafts: [], others: [], may_edit: page.may_edit };
    return new FileDocument(page.project, FILE, { file: FILE, kind: "phrases", text: EMPTY, ...state });
  }
}

const root = document.getElementById("phrases")!;
void openInto(root, async () => {
  const file = await openPhrases();
  return <PhrasesPage file={file} model={new PhrasesModel(file)} />;
});
