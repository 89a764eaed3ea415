// A new column of a file: the name of a feature that words may have from now on.
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../words";
import type { Row } from "./sheets";
import { shortName } from "./view";
import type { Workspace } from "./workspace";

interface Props {
  space: Workspace;
  row: Row | null;
  add: (name: string, file: string) => void;
  close: () => void;
}

export function ColumnDialog(props: Props) {
  const { space } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const files = [...space.sheets.keys()];
  const [file, setFile] = useState(space.view.file || props.row?.file || files[0] || "");
  const [name, setName] = useState("");
  useEffect(() => dialog.current?.showModal(), []);
  const clean = name.trim();
  const taken = space.sheets.get(file)?.columns.includes(clean) ?? false;
  const wrong = /[\s\\|:/"<>()=#@,*]/.test(clean);
  const problem = taken ? t("lexicon.column_taken", { name: clean }) : wrong ? t("lexicon.column_characters") : "";
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
            <label for="column-name">{t("lexicon.column_name")}</label>
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
              {problem || t("lexicon.column_hint")}
            </p>
          </div>
          {files.length > 1 ? (
            <div class="field">
              <label for="column-file">{t("lexicon.file")}</label>
              <select id="column-file" value={file} onChange={(event) => setFile(event.currentTarget.value)}>
                {files.map((one) => (
                  <option key={one} value={one}>
                    {shortName(one)}
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
