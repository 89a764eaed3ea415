// Where the text of an open file is safe, who else has it open, and the drafts and conflicts that wait for an answer.
import { useEffect, useState } from "preact/hooks";
import { ConflictDialog } from "./conflict";
import { bringBack, type Disagreement, nameOf, resolve } from "./disagreement";
import { othersHere } from "./others";
import { useWatching } from "./paradigm/watching";
import type { FileDocument } from "./saving";
import type { Problem } from "./shapes";
import { t, time } from "./words";

const SIGNS = { saved: "✓", saving: "…", unsaved: "●", draft: "✎", conflict: "⇄", offline: "⚡", refused: "✕" } as const;

/** The state in a word, for the head of the page. */
export function SavingState({ file }: { file: FileDocument }) {
  useWatching(file);
  const { state } = file;
  const kind = state === "saved" ? "good" : ["conflict", "offline", "refused"].includes(state) ? "bad" : state === "draft" ? "warn" : "";
  return (
    <span class="saving-state">
      <span role="status" class={`state ${kind}`} title={t(`js.state.${state}.why`)}>
        <span aria-hidden="true">{SIGNS[state]}</span> {t(`js.state.${state}`)}
        {state === "draft" && <span class="small">{draftMeans(file.problems)}</span>}
      </span>
      {state === "saved" && file.time && <span class="muted small"> {time(file.time)}</span>}
      {file.others.length > 0 && (
        <span class="others" title={t("js.others.why")}>
          <span aria-hidden="true">◔</span> {othersHere(file.others)}
        </span>
      )}
    </span>
  );
}

/** What a draft means: the file has another text, as long as this one has errors. */
function draftMeans(problems: readonly Problem[]): string {
  const n = problems.filter(({ severity }) => severity === "error").length;
  return n === 1 ? t("js.state.draft.one") : n ? t("js.state.draft.many", { n }) : t("js.state.draft.why");
}

/** Drafts to bring back, problems of the last save, and a conflict to settle. */
export function SavingNotices({ file, quiet = false }: { file: FileDocument; quiet?: boolean }) {
  useWatching(file);
  const [settling, settle] = useState(false);
  useEffect(() => {
    if (!file.conflict) settle(false); // the next one opens nothing by itself
  }, [file.conflict]);
  const errors = file.state === "refused" || (file.state === "unsaved" && !quiet) ? file.problems : [];
  return (
    <div class="saving-notices">
      {!file.mayEdit && <p class="notice">{t("js.may_not_edit")}</p>}
      {file.notice && <p class="notice good" role="status">{t(`js.notice.${file.notice}`, { author: nameOf(file.author) })}</p>}
      {file.state === "offline" && <p class="notice warn" role="status">{t("js.state.offline.why")}</p>}
      {errors.length > 0 && <Problems problems={errors} />}
      {file.conflict && (
        <p class="notice bad" role="alert">
          <span>{happened(file.conflict)}</span>{" "}
          {file.conflict.deleted === null
            ? <button type="button" class="primary" onClick={() => settle(true)}>{t("js.conflict.open")}</button>
            : <button type="button" class="primary" onClick={() => void resolve(file, {})}>{t("js.conflict.keep_mine")}</button>}
        </p>
      )}
      <Offers file={file} />
      {settling && file.conflict && <ConflictDialog file={file} close={() => settle(false)} />}
    </div>
  );
}

function happened({ deleted, draft, author }: Disagreement): string {
  if (draft) return t("js.conflict.draft");
  return t(deleted === null ? "js.conflict.happened" : "js.conflict.deleted", { author: nameOf(author) });
}

/** Texts that were never saved, newest first; behind a line where there are several. */
function Offers({ file }: { file: FileDocument }) {
  const { offers } = file;
  if (!offers.length) return null;
  const newest = [...offers].sort((one, other) => other.time.localeCompare(one.time));
  return (
    <details class="notice warn offers" open={offers.length === 1}>
      <summary>{offers.length === 1 ? t("js.draft.one") : t("js.draft.many", { n: offers.length })}</summary>
      <ul>
        {newest.map((draft) => (
          <li key={draft.tab + draft.time}>
            <span>{t(draft.why === "local" ? "js.draft.local" : "js.draft.server", { time: time(draft.time) })}</span>{" "}
            <button type="button" onClick={() => void bringBack(file, draft)}>{t("js.draft.take")}</button>{" "}
            <button type="button" class="plain" onClick={() => file.forget(draft)}>{t("js.draft.drop")}</button>
            <details>
              <summary>{t("js.draft.show")}</summary>
              <pre tabIndex={0}>{draft.text}</pre>
            </details>
          </li>
        ))}
      </ul>
    </details>
  );
}

export function Problems({ problems }: { problems: Problem[] }) {
  return (
    <div class="notice bad" role="alert">
      <ul>
        {problems.map((problem) => (
          <li key={problem.text}>
            {problem.place?.line ? <span class="place">{problem.place.line}:{problem.place.column} </span> : null}
            {problem.text}
          </li>
        ))}
      </ul>
    </div>
  );
}
