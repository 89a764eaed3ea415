// The fields of a paradigm: its description, source and options; renaming it, and downloading its pairs.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { edit, pairsFile, problemOf, Refused, renameFile } from "../api";
import { useDialog, useEchoes } from "../drawing";
import { saveAs } from "../notices";
import { editAddress, t } from "../page";
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

/** Download the pairs of the saved paradigm. */
export function Download({ model, uid }: { model: ParadigmModel; uid: string }) {
  const [outcome, setOutcome] = useState<{ text: string; bad: boolean } | null>(null);
  const download = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const query = new URLSearchParams([...new FormData(event.target as HTMLFormElement)].map(([key, value]) => [key, String(value)]));
    query.set("uid", uid);
    setOutcome({ text: t("paradigm.download.wait"), bad: false });
    try {
      await model.finished();
      const response = await pairsFile(model.file.project, query);
      const name = `${uid}.${query.get("format")}`;
      await saveAs(response, name);
      const short = decodeURIComponent(response.headers.get("Bidui-Short") ?? "").split("=")[1];
      const numbers = { given: Number(short), asked: Number(query.get("n")) };
      setOutcome({ text: short ? t("paradigm.download.short", numbers) : t("paradigm.download.done", { file: name }), bad: false });
    } catch (error) {
      setOutcome({ text: error instanceof Refused ? error.message : t("js.state.offline.why"), bad: true });
    }
  };
  return (
    <form class="download" onSubmit={(event) => void download(event)} aria-label={t("paradigm.download")}>
      <label class="field"><span>{t("paradigm.download.n")}</span><input name="n" type="number" min={1} max={100000} defaultValue="300" /></label>
      <label class="field"><span>{t("paradigm.download.seed")}</span><input name="seed" type="number" min={0} defaultValue="0" /></label>
      <label class="field"><span>{t("paradigm.download.format")}</span>
        <select name="format"><option value="jsonl">JSONL</option><option value="csv">CSV</option></select></label>
      <button>{t("paradigm.download")}</button>
      <p class={outcome?.bad ? "outcome bad-text" : "outcome muted"} role="status">{outcome?.text}</p>
    </form>
  );
}
