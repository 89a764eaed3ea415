// An open file follows its page: saved when the reader turns away, and asked about while it is looked at.
import * as api from "./api";
import { tab } from "./tabs";

const PRESENCE = 15_000; // milliseconds between two questions who else is there
const KEEPALIVE = 20_000; // characters; browsers send at most 64 kB when a page closes

interface Followed {
  readonly project: string;
  readonly file: string;
  readonly text: string;
  readonly atRisk: boolean;
  flush(options?: api.CallOptions): Promise<void>;
  hear(others: string[], revision: number): Promise<void>;
  unreachable(): void;
}

/** Saves when the reader turns away, and asks now and then who else is there. */
export function followPage(file: Followed): void {
  addEventListener("blur", () => void file.flush());
  addEventListener("focus", () => void ask(file));
  addEventListener("online", () => void file.flush());
  addEventListener("pagehide", () => {
    leave(file);
    void api.present(file.project, file.file, { tab, leave: true }, { keepalive: true }).catch(() => undefined);
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") leave(file);
    else void ask(file);
  });
  addEventListener("beforeunload", (event) => {
    if (file.atRisk) event.preventDefault();
  });
  const again = (): void => void ask(file).finally(() => setTimeout(again, PRESENCE));
  again();
}

/** The page is hidden, or gone: saves with a call that outlives it. */
function leave(file: Followed): void {
  void file.flush(file.text.length < KEEPALIVE ? { keepalive: true } : {});
}

/** Says that the file is open here, and hears who else has it and whether they saved something. */
async function ask(file: Followed): Promise<void> {
  try {
    const { others, revision } = await api.present(file.project, file.file, { tab });
    await file.hear(others, revision);
  } catch (error) {
    if (error instanceof api.Unreachable) file.unreachable();
  }
}
