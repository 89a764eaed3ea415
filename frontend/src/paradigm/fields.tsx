// The fields of a paradigm: its description, source and options; renaming it, and downloading its pairs.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { edit, pairsFile, problemOf, Refused, renameFile } from "../api";
import { useDialog, useEchoes, useObserved } from "../drawing";
import { listed, saveAs } from "../notices";
import { editAddress, t, time } from "../page";
import { Problems } from "../status";
import { tab } from "../tabs";
import type { ParadigmRows, Problem } from "../wire";
import type { ParadigmModel } from "./model";
import { fieldOf, find, type Target } from "./rows";

const EDITS = ["agreement", "deletion", "insertion", "order", "substitution"];
const MORE = ["separator", "closed_class", "one_sided", "example.good", "example.bad", "example.gloss", "example.en"];

export function Fields({ model, rows }: { model: ParadigmModel; rows: ParadigmRows }) {
  const text = (name: string, lang?: string) => (
    <TextField key={name} model={model} target={{ of: "field", name }} label={t(`paradigm.field.${name}`)} {...(lang ? { lang } : {})} />
  );
  const value = (name: string) => fieldOf(rows, name);
  const more = MORE.filter(value);
  return (
    <section class="about-fields" aria-label={t("paradigm.fields")}>
      <div class="field-grid">
        {text("about.en", "en")}
        {text("about.zh", "zh-Hans")}
        {text("source")}
        <div class="field-row">
          <div class="field">
            <label for="field-edit">{t("paradigm.field.edit")}</label>
            <TextInput id="field-edit" model={model} target={{ of: "field", name: "edit" }} list="edits" />
            <datalist id="edits">{EDITS.map((edit) => <option key={edit} value={edit} />)}</datalist>
          </div>
          <Choice model={model} name="status" value={value("status") || "included"} values={["included", "excluded"]} />
          <label class="check">
            <input type="checkbox" checked={value("equal_length") === "true"} disabled={!model.mayEdit}
              onChange={(event) => model.write({ of: "field", name: "equal_length" }, event.currentTarget.checked ? "true" : "")} />{" "}
            {t("paradigm.field.equal_length")}
          </label>
        </div>
        {value("status") === "excluded" && text("reason")}
      </div>
      <details open={more.length > 0 && more.some((name) => !name.startsWith("example"))}>
        <summary>{t("paradigm.more")}{more.length > 0 && <span class="muted"> · {more.length}</span>}</summary>
        <div class="field-grid">
          {MORE.map((name) => text(name, name.startsWith("example.") && name !== "example.en" ? "zh-Hans" : undefined))}
        </div>
      </details>
    </section>
  );
}

function Choice({ model, name, value, values }: { model: ParadigmModel; name: string; value: string; values: string[] }) {
  return (
    <label class="field">
      <span>{t(`paradigm.field.${name}`)}</span>
      <select value={value} disabled={!model.mayEdit} onChange={(event) => model.write({ of: "field", name }, event.currentTarget.value)}>
        {values.map((choice) => <option key={choice} value={choice}>{t(`paradigm.${name}.${choice}`)}</option>)}
      </select>
    </label>
  );
}

function TextField({ model, target, label, lang }: { model: ParadigmModel; target: Target & { of: "field" }; label: string; lang?: string }) {
  const id = `field-${target.name}`;
  return (
    <div class="field beside">
      <label for={id}>{label}</label>
      <TextInput id={id} model={model} target={target} {...(lang ? { lang } : {})} />
    </div>
  );
}

interface TextInputProps {
  model: ParadigmModel;
  target: Target;
  id?: string;
  lang?: string;
  label?: string;
  list?: string;
  size?: number;
}

/** An input whose text goes into the file as it is typed, except while an input method is composing. */
export function TextInput({ model, target, id, lang, label, list, size }: TextInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const value = model.rows ? find(model.rows, target).value : "";
  const echoes = useEchoes(value);
  useLayoutEffect(() => {
    if (echoes.isNews(value)) input.current!.value = value;
  });
  const write = (event: { currentTarget: HTMLInputElement }): void => {
    echoes.report(event.currentTarget.value);
    model.write(target, event.currentTarget.value);
  };
  return (
    <input ref={input} type="text" defaultValue={value} id={id} lang={lang} aria-label={label} list={list} size={size}
      readOnly={!model.mayEdit} autocomplete="off" spellcheck={false}
      onInput={(event) => !event.isComposing && write(event)}
      onCompositionEnd={write} onBlur={(event) => (write(event), echoes.clear())} />
  );
}

/** Change the name or phenomenon of a paradigm, which are those of its file: the file is moved. */
export function RenameDialog({ model, rows, close }: { model: ParadigmModel; rows: ParadigmRows; close: () => void }) {
  const dialog = useDialog();
  const [problems, setProblems] = useState<Problem[]>([]);
  const rename = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.target as HTMLFormElement);
    const [uid, phenomenon] = [String(form.get("uid")).trim(), String(form.get("phenomenon")).trim()];
    try {
      await model.finished();
      const { file } = model;
      const named = await edit<ParadigmRows>(file.project, "paradigm", file.text, { do: "set_field", name: "uid", value: uid });
      const done = await edit<ParadigmRows>(file.project, "paradigm", named.text, { do: "set_field", name: "phenomenon", value: phenomenon });
      const to = `paradigms/${phenomenon}/${uid}.yaml`;
      const saved = await renameFile(file.project, { file: file.file, to, text: done.text, base: file.base!, tab });
      if (!saved.saved) return setProblems(saved.problems);
      location.assign(editAddress(to));
    } catch (error) {
      setProblems(error instanceof Refused ? error.problems : [problemOf(t("js.state.offline.why"))]);
    }
  };
  return (
    <dialog ref={dialog} onClose={close} aria-labelledby="rename-title">
      <form onSubmit={(event) => void rename(event)}>
        <header><h2 id="rename-title">{t("paradigm.rename")}</h2></header>
        <div class="body">
          <label class="field"><span>uid</span><input name="uid" required pattern="[\w.+\-]+" defaultValue={fieldOf(rows, "uid")} /></label>
          <label class="field"><span>{t("paradigm.field.phenomenon")}</span>
            <input name="phenomenon" required defaultValue={fieldOf(rows, "phenomenon")} /></label>
          {problems.length > 0 && <Problems problems={problems} />}
        </div>
        <footer>
          <button type="button" onClick={() => dialog.current?.close()}>{t("paradigm.cancel")}</button>
          <button class="primary">{t("paradigm.rename.do")}</button>
        </footer>
      </form>
    </dialog>
  );
}

const NOT_IN_FILE = ["draft", "conflict", "refused", "offline"]; // states in which the file has another text

/** Download the pairs of the saved paradigm; while the text on the page is not in the file, say whose pairs these are. */
export function Download({ model }: { model: ParadigmModel }) {
  useObserved(model.file);
  const [outcome, setOutcome] = useState<{ text: string; bad: boolean } | null>(null);
  const { file } = model;
  const apart = NOT_IN_FILE.includes(file.state) && file.base !== null;
  const saved = { revision: String(file.base), time: time(file.time) };
  const download = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const query = new URLSearchParams([...new FormData(event.target as HTMLFormElement)].map(([key, value]) => [key, String(value)]));
    query.set("uid", file.file.split("/").at(-1)!.replace(/\.ya?ml$/, "")); // what the text says may not be saved
    setOutcome({ text: t("paradigm.download.wait"), bad: false });
    try {
      await model.finished();
      const response = await pairsFile(file.project, query);
      const texts = [downloaded(await saveAs(response), response, Number(query.get("n")))];
      const drafts = listed(response, "Bidui-Drafts");
      const revision = response.headers.get("Bidui-Revision") ?? "?";
      if (NOT_IN_FILE.includes(file.state)) texts.push(t("paradigm.download.apart", { revision }));
      const others = drafts.filter((name) => name !== file.file || !NOT_IN_FILE.includes(file.state));
      if (others.length) texts.push(t("js.shell.without_drafts", { files: others.join(", ") }));
      setOutcome({ text: texts.join(" "), bad: texts.length > 1 });
    } catch (error) {
      setOutcome({ text: error instanceof Refused ? error.message : t("js.state.offline.why"), bad: true });
    }
  };
  return (
    <form class="download" onSubmit={(event) => void download(event)} aria-label={t("paradigm.download")}>
      {apart && <p class="notice warn" role="status">{t(file.state === "draft" ? "paradigm.download.draft" : "paradigm.download.unsaved", saved)}</p>}
      <label class="field"><span>{t("paradigm.download.n")}</span><input name="n" type="number" min={1} max={10000} defaultValue="300" /></label>
      <label class="field"><span>{t("paradigm.download.seed")}</span><input name="seed" type="number" min={0} defaultValue="0" /></label>
      <label class="field"><span>{t("paradigm.download.format")}</span>
        <select name="format">
          <option value="jsonl">JSONL</option><option value="csv">CSV</option><option value="spreadsheet">{t("paradigm.download.spreadsheet")}</option>
        </select></label>
      <button>{t("paradigm.download")}</button>
      <p class={outcome?.bad ? "outcome bad-text" : "outcome muted"} role="status">{outcome?.text}</p>
    </form>
  );
}

/** What was downloaded: a file, or fewer pairs than there should be. */
function downloaded(name: string, response: Response, asked: number): string {
  const given = listed(response, "Bidui-Short")[0]?.split("=")[1];
  return given === undefined ? t("paradigm.download.done", { file: name }) : t("paradigm.download.short", { given: Number(given), asked });
}
