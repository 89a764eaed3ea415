// Somebody else changed the same rows: for each of them the reader says whose to keep, and the rest is put together.
import { useEffect, useRef, useState } from "preact/hooks";
import * as api from "../api";
import { cursorStays } from "../cursor";
import { page } from "../page";
import type { Merged, Problem, RowConflict } from "../shapes";
import { tab } from "../tabs";
import { t } from "../words";
import type { Disagreement } from "./parcels";

type Choice = "mine" | "theirs";

export function MergeDialog(props: { found: Disagreement; done: () => void; later: () => void }) {
  const { file, base, conflict } = props.found;
  const dialog = useRef<HTMLDialogElement>(null);
  const [merged, setMerged] = useState<Merged | null>(null);
  const [choose, setChoose] = useState<Record<string, Choice>>({});
  const [problems, setProblems] = useState<Problem[]>([]);
  const mine = conflict.yours;

  const stays = useRef(cursorStays());

  useEffect(() => {
    dialog.current?.showModal();
    stays.current = cursorStays();
    api.merge(page.project, file, { base, mine, choose: {} }).then(setMerged, failed);
  }, []);
  useEffect(() => {
    if (stays.current()) dialog.current?.querySelector<HTMLElement>("input")?.focus();
  }, [merged]);

  const failed = (error: unknown): void => {
    if (error instanceof api.Refused) setProblems(error.problems);
    else setProblems([{ kind: "away", severity: "error", text: t("js.shell.unreachable"), place: null, values: {} }]);
  };

  const save = async (): Promise<void> => {
    try {
      const whole = await api.merge(page.project, file, { base, mine, choose });
      if (whole.conflicts.length > 0) return setMerged(whole); // another change came in between
      const saved = await api.saveFile(page.project, file, { text: whole.text, base: whole.revision, tab });
      if (!saved.saved) return setProblems(saved.problems);
      props.done();
    } catch (error) {
      failed(error);
    }
  };

  const rows = merged?.conflicts ?? [];
  const ready = merged !== null && rows.every(({ row }) => choose[row] !== undefined);
  return (
    <dialog ref={dialog} class="wide" aria-labelledby="merge-title" onClose={props.later}>
      <header>
        <h2 id="merge-title">{t("lexicon.merge_title")}</h2>
      </header>
      <div class="body" tabIndex={0} role="region" aria-labelledby="merge-title">
        <p>{t("lexicon.merge_hint", { file })}</p>
        {rows.map((row) => (
          <Row key={row.row} row={row} chosen={choose[row.row]} choose={(side) => setChoose({ ...choose, [row.row]: side })} />
        ))}
        {problems.length > 0 ? (
          <div class="notice bad" role="alert">
            {problems.map(({ text }) => (
              <p>{text}</p>
            ))}
          </div>
        ) : null}
      </div>
      <footer>
        <button type="button" onClick={() => dialog.current?.close()}>
          {t("lexicon.merge_later")}
        </button>
        <button type="button" class="primary" disabled={!ready} onClick={() => void save()}>
          {t("lexicon.merge_save")}
        </button>
      </footer>
    </dialog>
  );
}

function Row(props: { row: RowConflict; chosen: Choice | undefined; choose: (side: Choice) => void }) {
  const { row } = props;
  return (
    <fieldset class="merge-row">
      <legend>{row.text.replace(/\bline (\d+)/, (_, n: string) => t("lexicon.merge_line", { n }))}</legend>
      {(["mine", "theirs"] as const).map((side) => (
        <label key={side} class="merge-side">
          <input type="radio" name={`row-${row.row}`} checked={props.chosen === side} onChange={() => props.choose(side)} />
          <span>{t(`lexicon.merge_${side}`)}</span>
          <Cells text={row[side]} other={row[side === "mine" ? "theirs" : "mine"]} />
        </label>
      ))}
    </fieldset>
  );
}

/** The cells of a row, those marked that the other side has otherwise. */
function Cells({ text, other }: { text: string | null; other: string | null }) {
  if (text === null) return <em>{t("lexicon.merge_deleted")}</em>;
  const others = (other ?? "").replace(/\r?\n$/, "").split("\t");
  const cells = text.replace(/\r?\n$/, "").split("\t");
  return (
    <span class="merge-cells">
      {cells.map((cell, n) => {
        const differs = cell !== (others[n] ?? "");
        if (!cell && !differs) return null;
        return differs ? <mark key={n}>{cell || t("lexicon.blank")}</mark> : <span key={n}>{cell}</span>;
      })}
    </span>
  );
}
