// What a large block would change, shown before it is pasted.
import { useEffect, useRef } from "preact/hooks";
import { t } from "../words";
import type { PastePlan } from "./blocks";
import type { Workspace } from "./workspace";

const SHOWN = 30;
const MOST_ODD = 20; // cells that are named
const SMALL = 24; // cells that are pasted without asking

export function isLarge(plan: PastePlan): boolean {
  return plan.refused > 0 || plan.odd.length > 0 || plan.added.length > 8 || plan.changes.length > SMALL;
}

export function PasteDialog(props: { space: Workspace; plan: PastePlan; close: (agreed: boolean) => void }) {
  const { plan, space } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const tooMany = space.tooMany(plan);
  useEffect(() => dialog.current?.showModal(), []);
  const nothing = plan.odd.length > 0 || (plan.changes.length === 0 && plan.added.length === 0);
  return (
    <dialog ref={dialog} class="wide" aria-labelledby="paste-title" onClose={() => props.close(dialog.current?.returnValue === "yes")}>
      <form method="dialog">
        <header>
          <h2 id="paste-title">{t("lexicon.paste_title")}</h2>
        </header>
        <div class="body" tabIndex={0} role="region" aria-labelledby="paste-title">
          <p>{t("lexicon.paste_summary", { changed: plan.changes.length, added: plan.added.length })}</p>
          {plan.refused > 0 ? <p class="notice warn">{t("lexicon.paste_refused", { n: plan.refused })}</p> : null}
          {plan.unseen > 0 ? <p class="notice">{t(plan.unseen === 1 ? "lexicon.paste_unseen_one" : "lexicon.paste_unseen", { n: plan.unseen })}</p> : null}
          {plan.odd.length > 0 ? <Odd plan={plan} /> : null}
          {tooMany ? <p class="notice bad">{t("lexicon.paste_apart")}</p> : null}
          {plan.changes.length > 0 ? <Changes plan={plan} space={space} /> : null}
          {plan.added.length > 0 ? <Added plan={plan} /> : null}
        </div>
        <footer>
          <button type="button" onClick={() => dialog.current?.close("no")}>
            {t("shell.cancel")}
          </button>
          <button class="primary" value="yes" autofocus disabled={tooMany || nothing}>
            {t("lexicon.paste_apply")}
          </button>
        </footer>
      </form>
    </dialog>
  );
}

/** The cells that no table can hold, each with the first character that is the reason. */
function Odd({ plan }: { plan: PastePlan }) {
  return (
    <div class="notice bad">
      <p>{t("lexicon.paste_odd")}</p>
      <ul>
        {plan.odd.slice(0, MOST_ODD).map(({ row, column, value, character }) => (
          <li key={`${row} ${column}`}>{t("lexicon.paste_odd_cell", { row, column, value, code: codeOf(character) })}</li>
        ))}
        {plan.odd.length > MOST_ODD ? <li>{t("lexicon.more", { n: plan.odd.length - MOST_ODD })}</li> : null}
      </ul>
    </div>
  );
}

const codeOf = (character: string): string => `U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`;

function Changes({ plan, space }: { plan: PastePlan; space: Workspace }) {
  return (
    <table>
      <caption>{t("lexicon.paste_changes")}</caption>
      <thead>
        <tr>
          <th scope="col">{t("lexicon.word")}</th>
          <th scope="col">{t("lexicon.column")}</th>
          <th scope="col">{t("lexicon.before")}</th>
          <th scope="col">{t("lexicon.after")}</th>
        </tr>
      </thead>
      <tbody>
        {plan.changes.slice(0, SHOWN).map(({ row, column, old, value }, n) => (
          <tr key={n}>
            <th scope="row">{space.text(row, "expression")}</th>
            <td>{column}</td>
            <td>{old ? <del>{old}</del> : <span class="muted">{t("lexicon.blank")}</span>}</td>
            <td>{value ? <ins>{value}</ins> : <span class="muted">{t("lexicon.blank")}</span>}</td>
          </tr>
        ))}
      </tbody>
      <Rest n={plan.changes.length - SHOWN} columns={4} />
    </table>
  );
}

function Added({ plan }: { plan: PastePlan }) {
  const used = plan.sheet.columns.map((name, at) => ({ name, at })).filter(({ at }) => plan.added.some((row) => row[at]));
  return (
    <table>
      <caption>{t("lexicon.paste_added", { file: plan.sheet.file })}</caption>
      <thead>
        <tr>
          {used.map(({ name }) => (
            <th scope="col" key={name}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {plan.added.slice(0, SHOWN).map((row, n) => (
          <tr key={n}>
            {used.map(({ name, at }) => (
              <td key={name}>{row[at]}</td>
            ))}
          </tr>
        ))}
      </tbody>
      <Rest n={plan.added.length - SHOWN} columns={used.length} />
    </table>
  );
}

function Rest({ n, columns }: { n: number; columns: number }) {
  if (n <= 0) return null;
  return (
    <tfoot>
      <tr>
        <td colSpan={columns} class="muted">
          {t("lexicon.more", { n })}
        </td>
      </tr>
    </tfoot>
  );
}
