// The open phrase: its name and depth, its alternatives, and who uses it.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import { page } from "../page";
import { at, Messages } from "../paradigm/messages";
import { focusEditor } from "../rule_field";
import type { PhraseRow } from "../shapes";
import { number, t } from "../words";
import { Alternative } from "./alternative";
import { focusLink, problemsOf } from "./list";
import type { PhrasesModel } from "./model";
import { ruleId } from "./rule_row";

export type Choose = (name: string, options?: { enter?: boolean }) => void;

export function PhraseEditor({ model, phrase, choose }: { model: PhrasesModel; phrase: PhraseRow; choose: Choose }) {
  const name = useRef<HTMLInputElement>(null);
  const rename = (): void => {
    if (!name.current) return; // another phrase is open
    const to = name.current.value.trim();
    if (!to) name.current.value = phrase.name;
    if (!to || to === phrase.name) return;
    const { hash } = location;
    void model.do({ do: "rename_phrase", name: phrase.name, to }).then((done) => {
      if (done && location.hash === hash) choose(to); // unless another one is open by now
      else if (name.current) name.current.value = phrase.name;
    });
  };
  const add = (part: string): void => {
    const value = part ? { parts: { [part]: "" }, head: part } : "";
    const place = model.rows.find(({ name }) => name === phrase.name)?.alternatives.length ?? 0;
    void model.do({ do: "add_alternative", phrase: phrase.name, value });
    focusEditor(ruleId(phrase.name, place, part));
  };
  const remove = (): void => {
    const place = model.rows.findIndex((row) => row.name === phrase.name);
    const next = model.rows[place + 1] ?? model.rows[place - 1];
    void model.do({ do: "delete_phrase", name: phrase.name });
    if (!next) return;
    choose(next.name);
    setTimeout(() => focusLink(next.name));
  };
  const whole = problemsOf(model.diagnostics, phrase.name).filter(({ row }) => row.length <= 2);
  return (
    <section class="phrase" aria-labelledby="phrase-title">
      <h2 id="phrase-title" class="unseen">
        {t("phrases.phrase", { name: phrase.name })}
      </h2>
      <div class="phrase-head">
        <div class="field">
          <label for="phrase-name">{t("phrases.name")}</label>
          <input
            id="phrase-name"
            ref={name}
            class="mono"
            defaultValue={phrase.name}
            readOnly={!model.mayEdit}
            autocomplete="off"
            spellcheck={false}
            onBlur={rename}
            onKeyDown={(event) => {
              if (event.isComposing) return;
              if (event.key === "Enter") rename();
              else if (event.key === "Escape") name.current!.value = phrase.name;
              else return;
              event.preventDefault();
            }}
          />
        </div>
        <div class="field">
          <label for="phrase-depth">{t("phrases.depth")}</label>
          <input
            id="phrase-depth"
            class="number"
            inputMode="numeric"
            value={phrase.depth}
            placeholder="0"
            autocomplete="off"
            readOnly={!model.mayEdit}
            title={t("phrases.depth_hint")}
            onInput={(event) => model.write({ of: "depth", phrase: phrase.name }, event.currentTarget.value)}
          />
        </div>
        {model.mayEdit ? (
          <button type="button" class="danger" onClick={remove} aria-label={t("phrases.delete_what", { what: phrase.name })}>
            {t("phrases.delete")}
          </button>
        ) : null}
      </div>
      <Messages id="phrase-messages" diagnostics={[...whole, ...at(model.diagnostics, ["phrases", phrase.name, "depth"])]} />
      <ol class="alternatives">
        {phrase.alternatives.map((_, n) => (
          <Alternative key={n} model={model} phrase={phrase} number={n} />
        ))}
      </ol>
      {model.mayEdit ? (
        <div class="phrase-add">
          <button type="button" id="add-way" onClick={() => add("")} aria-keyshortcuts="Alt+A">
            {t("phrases.add_way")}
          </button>
          <button type="button" onClick={() => add("word")}>
            {t("phrases.add_parts")}
          </button>
        </div>
      ) : null}
      <Users phrase={phrase.name} />
    </section>
  );
}

interface Uses {
  files: { file: string; uid: string | null }[];
  total: number;
}

function Users({ phrase }: { phrase: string }) {
  const [uses, setUses] = useState<Uses | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const address = `${api.within(page.project, "phrases/uses")}?phrase=${encodeURIComponent(phrase)}`;
    api.call<Uses>("GET", address, undefined, { signal: stop.signal }).then(setUses, () => undefined);
    return () => stop.abort();
  }, [phrase]);
  if (!uses) return null;
  return (
    <section class="phrase-users" aria-labelledby="users-title">
      <h3 id="users-title">
        {t("phrases.used_by")} <span class="badge">{number(uses.total)}</span>
      </h3>
      {uses.total === 0 ? <p class="muted">{t("phrases.unused")}</p> : null}
      <ul>
        {uses.files.map(({ file, uid }) => (
          <li key={file}>
            {uid === null ? (
              <span class="muted">{t("phrases.other_phrases")}</span>
            ) : (
              <a href={`/p/${encodeURIComponent(page.project)}/edit/${file.split("/").map(encodeURIComponent).join("/")}`}>{uid}</a>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
