// Who else is at the lexicon, what they have saved, and what was left behind by tabs that are gone.
import * as api from "../api";
import { say } from "../notices";
import { livingTabs } from "../living";
import { tab } from "../tabs";
import { t } from "../words";
import { draftPlaces } from "./calls";
import type { Workspace } from "./workspace";

const PRESENCE = 15_000; // milliseconds between two questions

/** Edits that are not saved, for their errors, and that are not in this tab. */
export interface Elsewhere {
  readonly file: string;
  readonly time: string;
  readonly here: boolean; // in another tab of this browser
}

export class Company {
  others: string[] = [];
  drafts: Elsewhere[] = []; // edits of the reader's that another tab or browser has

  /** `file` is the one that is looked at; `tell` is called when there is something new. */
  constructor(
    private readonly space: Workspace,
    private readonly file: () => string | undefined,
    private readonly tell: () => void,
  ) {}

  async start(): Promise<void> {
    await this.recover();
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void this.look());
    const again = (): void => void this.look().finally(() => setTimeout(again, PRESENCE));
    again();
  }

  private async look(): Promise<void> {
    const file = this.file();
    if (file === undefined) return;
    const { outbox, project, sheets } = this.space;
    try {
      await this.findDrafts();
      const { others, revision } = await api.present(project, file, { tab });
      if (String(others) !== String(this.others)) {
        this.others = others;
        this.tell();
      }
      if (sheets.get(file)?.revision !== revision && outbox.state === "saved") await this.space.reload();
      if (["saved", "draft"].includes(outbox.state)) await this.recover();
    } catch {
      // the outbox says where the server is away
    }
  }

  private async findDrafts(): Promise<void> {
    const { project, sheets } = this.space;
    const { drafts } = await draftPlaces(project);
    const living = await livingTabs();
    const found = drafts
      .filter((draft) => draft.tab !== tab && sheets.has(draft.file))
      .map(({ file, time, tab }) => ({ file, time, here: living?.has(tab) ?? false }));
    const changed = JSON.stringify(found) !== JSON.stringify(this.drafts);
    this.drafts = found;
    if (changed) this.tell();
  }

  /** Brings back edits that were never saved and that no tab has in hand. */
  private async recover(): Promise<void> {
    const { outbox, recovery, mayEdit } = this.space;
    if (!mayEdit) return;
    const { count, problems } = await recovery.run();
    if (count > 0) say(t("lexicon.recovered"));
    if (problems.length > 0) outbox.refused = [...outbox.refused, ...problems];
    if (count > 0 || problems.length > 0) this.tell();
  }
}
