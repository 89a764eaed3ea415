// Two people changed one file: the rows that both changed, side by side, and a choice for each.
import { useEffect, useRef, useState } from "preact/hooks";
import { Refused } from "./api";
import { type Choices, nameOf, resolve } from "./disagreement";
import { useWatching } from "./paradigm/watching";
import type { FileDocument } from "./saving";
import type { RowConflict } from "./shapes";
import { t, time } from "./words";

export function ConflictDialog({ file, close }: { file: FileDocument; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [choices, choose] = useState<Choices>({});
  const [failure, fail] = useState("");
  const fresh = useRef(Promise.resolve()); // the rows with what was typed since
  const { conflict } = file;
  useEffect(() => {
    dialog.current?.showModal();
    fresh.current = resolve(file, {}).catch(() => undefined);
  }, []);
  useWatching(file);
  if (!conflict) return null;
  const open = conflict.rows.filter(({ row }) => !choices[row]).length;
  const all = (side: "mine" | "theirs") => choose(Object.fromEntries(conflict.rows.map(({ row }) => [row, side])));
  const settle = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      await fresh.current; // an answer that comes later would open again what is settled
      await resolve(file, choices);
      if (!file.conflict) close();
    } catch (error) {
      fail(error instanceof Refused ? error.message : t("js.state.offline.why"));
    }
  };
  return (
    <dialog class="conflict" ref={dialog} onClose={close} aria-labelledby="conflict-title">
      <form onSubmit={(event) => void settle(event)}>
        <header>
          <h2 id="conflict-title">{t("js.conflict.title")}</h2>
        </header>
        <div class="body">
          <p>{conflict.draft ? t("js.conflict.draft.explained") : t("js.conflict.explained", { author: nameOf(conflict.author), time: time(conflict.time) })}</p>
          {conflict.rows.length > 1 && !conflict.draft && (
            <p class="actions">
              <button type="button" onClick={() => all("mine")}>{t("js.conflict.all_mine")}</button>{" "}
              <button type="button" onClick={() => all("theirs")}>{t("js.conflict.all_theirs")}</button>
            </p>
          )}
          {conflict.rows.map((row) => (
            <Row key={row.row} row={row} draft={conflict.draft !== null} chosen={choices[row.row]} choose={(side) => choose({ ...choices, [row.row]: side })} />
          ))}
          {failure && <p class="notice bad" role="alert">{failure}</p>}
        </div>
        <footer>
          <span class="muted" role="status">{open ? t("js.conflict.left", { n: open }) : ""}</span>
          <button type="button" onClick={() => dialog.current?.close()}>{t("js.conflict.later")}</button>
          <button class="primary" disabled={open > 0}>{t("js.conflict.merge")}</button>
        </footer>
      </form>
    </dialog>
  );
}

interface RowProps {
  row: RowConflict;
  draft: boolean; // whether my side is a draft
  chosen: "mine" | "theirs" | undefined;
  choose: (side: "mine" | "theirs") => void;
}

function Row({ row, draft, chosen, choose }: RowProps) {
  return (
    <fieldset class="conflict-row">
      <legend>{row.text}</legend>
      {(["mine", "theirs"] as const).map((side) => (
        <label key={side} class={chosen === side ? "side chosen" : "side"}>
          <span>
            <input type="radio" name={`row ${row.row}`} checked={chosen === side} onChange={() => choose(side)} />{" "}
            {t(draft ? `js.conflict.draft.${side}` : `js.conflict.${side}`)}
          </span>
          <pre>{row[side] ?? t("js.conflict.none")}</pre>
        </label>
      ))}
      <p class="hint">{t("js.conflict.before")} <code>{row.base?.trim() ?? t("js.conflict.none")}</code></p>
    </fieldset>
  );
}
