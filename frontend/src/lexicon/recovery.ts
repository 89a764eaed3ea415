// Recovery: edits that were kept in the browser and that no tab works on any more are made again, on the revision of
// their file that they were made for, so that the server sees what others have changed since.
import * as api from "../api";
import { alone } from "../living";
import type { Problem } from "../shapes";
import { tab } from "../tabs";
import { t } from "../words";
import { readRevision } from "./calls";
import { leave, orphans, ownerOf, type Kept } from "./kept";
import type { Outbox } from "./outbox";
import { textsOf } from "./parcels";
import type { Sheet } from "./sheets";

export interface Recovered {
  readonly count: number; // edits that are on their way again
  readonly problems: readonly Problem[]; // those that cannot be
}

export class Recovery {
  private told = new Set<string>(); // files that are gone, of which the reader knows

  constructor(
    private readonly project: string,
    private readonly sheets: ReadonlyMap<string, Sheet>,
    private readonly outbox: Outbox,
  ) {}

  /** Takes over what nobody works on. What cannot be taken over now is left for another time. */
  run(): Promise<Recovered> {
    return alone(`recovery:${this.project}`, async () => {
      let count = 0;
      const problems: Problem[] = [];
      for (const { name, files } of await orphans(this.project)) {
        const left: Kept[] = [];
        for (const kept of files) {
          try {
            const made = await this.again(kept);
            count += made ?? 0;
            const owner = ownerOf(this.project, name);
            if (made !== null && owner !== tab) void api.dropDraft(this.project, kept.file, owner).catch(() => undefined); // it is here now
            if (made !== null) continue;
            left.push(kept);
            if (!this.told.has(kept.file)) problems.push(gone(kept.file));
            this.told.add(kept.file);
          } catch (error) {
            if (api.mayPass(error) || !(error instanceof api.Refused)) left.push(kept);
            else problems.push(...error.problems, lost(kept));
          }
        }
        leave(name, left);
      }
      return { count, problems };
    });
  }

  /** Makes kept edits again; how many there were, or none where their file is not there. */
  private async again({ file, base, actions }: Kept): Promise<number | null> {
    await this.outbox.idle();
    const sheet = this.sheets.get(file);
    if (!sheet) return null;
    const before = base === null || base === sheet.revision ? null : await readRevision(this.project, base);
    return this.outbox.resume(sheet, before && { revision: base!, text: before.text }, actions);
  }
}

const problem = (text: string): Problem => ({ kind: "", severity: "error", text, place: null, values: {} });

const gone = (file: string): Problem => problem(t("lexicon.file_gone", { file }));

function lost({ file, actions }: Kept): Problem {
  return problem(t("lexicon.not_made", { file, cells: textsOf(actions.flat()) }));
}
