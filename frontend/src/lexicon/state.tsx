// Where the edits are: saved, on their way, held back, in disagreement, or waiting for the server.
import { othersHere } from "../others";
import type { State } from "../saving";
import { t } from "../words";

const LOOKS: Record<State, string> = {
  saved: "good",
  saving: "",
  unsaved: "",
  draft: "warn",
  conflict: "bad",
  offline: "warn",
  refused: "bad",
};

export function SaveState({ state, others }: { state: State; others: readonly string[] }) {
  return (
    <div class="save-state">
      {others.length > 0 ? <span class="badge">{othersHere(others)}</span> : null}
      {state === "draft" ? <span class="small">{t("lexicon.state_draft_why")}</span> : null}
      <span class={`badge ${LOOKS[state]}`} role="status" data-state={state}>
        {t(`lexicon.state_${state}`)}
      </span>
    </div>
  );
}
