// The page of a text file that has no rows: project.yaml, features.tsv, relations, and tables as they are.
import { useEffect, useRef } from "preact/hooks";
import * as api from "../api";
import { isComposing, unlessComposing } from "../composing";
import { replaceText } from "../differences";
import { openInto } from "../opening";
import { page } from "../page";
import { FileDocument } from "../saving";
import { SavingNotices, SavingState } from "../status";
import { makeTextEditor, showDiagnostics } from "../text_editor";
import { t } from "../words";

const PAUSE = 300;

function TextPage({ file }: { file: FileDocument }) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => startEditor(file, parent.current!), []);
  return (
    <>
      <div class="file-head">
        <h1 class="mono">{file.file}</h1>
        <SavingState file={file} />
        <span class="file-tools">
          <a class="button plain" href={historyAddress(file)}>{t("text.history")}</a>
        </span>
      </div>
      <SavingNotices file={file} />
      <div class="plain-text" ref={parent} />
    </>
  );
}

const historyAddress = (file: FileDocument): string => api.within(file.project, "history", file.file).replace("/projects/", "/p/");

function startEditor(file: FileDocument, parent: HTMLElement): void {
  let breaks = file.text.includes("\r\n") ? "\r\n" : "\n";
  let timer = 0;
  const diagnose = async (): Promise<void> => {
    const text = view.state.doc.toString();
    const kind = file.file === "phrases.yaml" ? "phrases" : "text";
    const found = await api.diagnose(file.project, { kind, file: file.file, text }).catch(() => null);
    if (found && text === view.state.doc.toString()) showDiagnostics(view, found.diagnostics);
  };
  const changed = (): void => {
    file.change(view.state.doc.toString().replaceAll("\n", breaks));
    clearTimeout(timer);
    timer = window.setTimeout(() => unlessComposing(() => void diagnose()), PAUSE);
  };
  const view = makeTextEditor({
    parent,
    text: file.text,
    label: file.file,
    readOnly: !file.mayEdit,
    kind: file.file === "phrases.yaml" ? "phrases" : file.file.endsWith(".yaml") ? "yaml" : "plain",
    updated: (update) => update.docChanged && (isComposing() ? unlessComposing(changed) : changed()),
  });
  file.onText = (text, mine) => {
    breaks = text.includes("\r\n") ? "\r\n" : "\n";
    replaceText(view, text, mine);
  };
  void diagnose();
}

const root = document.getElementById("editor");
if (root) {
  void openInto(root, async () => <TextPage file={await FileDocument.open(page.project, page.file)} />);
}
