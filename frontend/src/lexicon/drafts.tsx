// Edits of the reader's that are not in this tab, and not in the file either: told, so that nobody takes them for saved.
import { page } from "../page";
import { t, time } from "../words";
import type { Elsewhere } from "./company";

export function DraftsElsewhere({ drafts }: { drafts: readonly Elsewhere[] }) {
  return (
    <>
      {drafts.map((draft, at) => (
        <p class="notice warn" role="status" key={at}>
          {t(draft.here ? "lexicon.draft_here" : "lexicon.draft_elsewhere", { file: draft.file, time: time(draft.time) })}{" "}
          {draft.here ? null : <a href={textOf(draft.file)}>{t("lexicon.draft_open")}</a>}
        </p>
      ))}
    </>
  );
}

/** The page on which a file is edited as text, and its drafts are brought back or thrown away. */
const textOf = (file: string): string =>
  `/p/${encodeURIComponent(page.project)}/edit/${file.split("/").map(encodeURIComponent).join("/")}`;
