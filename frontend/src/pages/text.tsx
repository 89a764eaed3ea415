// The page of a file that is edited as text: project.yaml, features.tsv, relations, and tables.
import { useEffect, useRef } from "preact/hooks";
import * as api from "../api";
import { openInto } from "../drawing";
import { makeTextEditor, replaceText, showDiagnostics } from "../editor/text_editor";
import { afterComposing } from "../keyboard";
import { historyAddress, t } from "../page";
import { FileDocument } from "../saving";
import { SavingNotices, SavingState } from "../status";

const PAUSE = 300; // milliseconds without typing until the server is asked

function TextPage({ file }: { file: FileDocument }) {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => startEditor(file, parent.current!), []);
  return (
    <>
      <div class="file-head">
        <h1 class="mono">{file.file}</h1>
        <SavingState file={file} />
        <span class="file-tools">
          <a class="button plain" href={historyAddress(file.file)}>{t("text.history")}</a>
        </span>
      </div>
      <SavingNotices file={file} />
      <div class="plain-text" ref={parent} />
    </>
  );
}

function startEditor(file: FileDocument, parent: HTMLElement): void {
  let breaks = file.text.includes("\r\n") ? "\r\n" : "\n";
  let timer = 0;
  const diagnose = async (): Promise<void> => {
    const text = view.state.doc.toString();
    const ask = file.file === "phrases.yaml" ? api.diagnosePhrases : api.diagnose;
    const answer = await ask(file.project, { file: file.file, text }).catch(() => null);
    if (answer && text === view.state.doc.toString()) showDiagnostics(view, answer.diagnostics);
  };
  const changed = (): void => {
    file.change(view.state.doc.toString().replaceAll("\n", breaks));
    clearTimeout(timer);
    timer = window.setTimeout(() => afterComposing(() => void diagnose()), PAUSE);
  };
  const view = makeTextEditor({
    parent,
    text: file.text,
    label: file.file,
    readOnly: !file.mayEdit,
    kind: file.file === "phrases.yaml" ? "phrases" : file.file.endsWith(".yaml") ? "yaml" : "plain",
    updated: (update) => update.docChanged && afterComposing(changed),
  });
  file.onText = (text, mine) => {
    breaks = text.includes("\r\n") ? "\r\n" : "\n";
    replaceText(view, text, mine);
  };
  void diagnose();
}

const root = document.getElementById("editor");
if (root) {
  void openInto(root, async () => <TextPage file={await FileDocument.open()} />);
}
