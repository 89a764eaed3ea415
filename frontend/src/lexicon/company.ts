// Company at the lexicon or a table: other people and tabs, what they save, and the edits that closed tabs left behind.
import * as api from "../api";
import { say } from "../notices";
import { t } from "../page";
import { alone, openTabs, tab } from "../tabs";
import type { Problem } from "../wire";
import { leave, orphans, ownerOf, type StoredEdits, textsOf } from "./outbox";
import type { Workspace } from "./workspace";

const PRESENCE = 15_000; // milliseconds between two questions

/** Edits of the reader that are not saved because of their errors, and that another tab or browser has. */
export interface DraftElsewhere {
  readonly file: string;
  readonly time: string;
  readonly here: boolean; // in another tab of this browser
}

export class Company {
  others: string[] = [];
  drafts: DraftElsewhere[] = [];
  private missing = new Set<string>(); // files that no longer exist, of which the reader has been told

  /** `file` returns the file that the reader looks at; `changed` is called when there is something new to show. */
  constructor(
    private readonly space: Workspace,
    private readonly file: () => string | undefined,
    private readonly changed: () => void,
  ) {}

  async start(): Promise<void> {
    await this.recover();
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && void this.look());
    const repeat = (): void => void this.look().finally(() => setTimeout(repeat, PRESENCE));
    repeat();
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
        this.changed();
      }
      if (sheets.get(file)?.revision !== revision && outbox.state === "saved") await this.space.load();
      if (["saved", "draft"].includes(outbox.state)) await this.recover();
    } catch {
      // the outbox shows that the server is away
    }
  }

  private async findDrafts(): Promise<void> {
    const { project, sheets } = this.space;
    const { drafts } = await api.draftPlaces(project);
    const open = await openTabs();
    const elsewhere = drafts
      .filter((draft) => draft.tab !== tab && sheets.has(draft.file))
      .map(({ file, time, tab }) => ({ file, time, here: open?.has(tab) ?? false }));
    const changed = JSON.stringify(elsewhere) !== JSON.stringify(this.drafts);
    this.drafts = elsewhere;
    if (changed) this.changed();
  }

  // Recovery --------------------------------------------------------------------------------------------------------
  // Stored edits are sent on the revision they were made for, so that the server sees what others have changed since.

  /** Take over the edits that no open tab works on; those that cannot be taken over now are left for later. */
  private async recover(): Promise<void> {
    const { mayEdit, outbox, project } = this.space;
    if (!mayEdit) return;
    let count = 0;
    const problems: Problem[] = [];
    await alone(`recovery:${project}`, async () => {
      for (const { name, files } of await orphans(project)) {
        const left: StoredEdits[] = [];
        for (const edits of files) {
          try {
            const resumed = await this.resume(edits);
            if (resumed === null) {
              left.push(edits);
              if (!this.space.source.covers(edits.file)) continue; // they are resumed on the page of their file
              if (!this.missing.has(edits.file)) problems.push(api.problemOf(t("lexicon.file_gone", { file: edits.file })));
              this.missing.add(edits.file);
              continue;
            }
            count += resumed;
            const owner = ownerOf(project, name);
            if (owner !== tab) void api.dropDraft(project, edits.file, owner).catch(() => undefined); // it is here now
          } catch (error) {
            if (api.mayPass(error) || !(error instanceof api.Refused)) left.push(edits);
            else problems.push(...error.problems, lost(edits));
          }
        }
        leave(name, left);
      }
    });
    if (count > 0) say(t("lexicon.recovered"));
    if (problems.length > 0) outbox.refused = [...outbox.refused, ...problems];
    if (count > 0 || problems.length > 0) this.changed();
  }

  /** Send stored edits again; return how many there were, or null where their file does not exist. */
  private async resume({ file, base, actions }: StoredEdits): Promise<number | null> {
    const { outbox, project, sheets } = this.space;
    await outbox.idle();
    const sheet = sheets.get(file);
    if (!sheet) return null;
    const before = base === null || base === sheet.revision ? null : await api.readRevision(project, base);
    return outbox.resume(sheet, before && { revision: base!, text: before.text }, actions);
  }
}

const lost = ({ file, actions }: StoredEdits): Problem =>
  api.problemOf(t("lexicon.not_made", { file, cells: textsOf(actions.flat()) }));
