// An open file follows its page: saved when the reader turns away, and asked about while it is looked at.

const PRESENCE = 15_000; // milliseconds between two questions who else is there

interface Watched {
  readonly atRisk: boolean;
  flush(): Promise<void>;
  present(): Promise<void>;
  leave(gone: boolean): void;
}

/** Saves when the reader turns away, and asks now and then who else is there. */
export function watchPage(file: Watched): void {
  addEventListener("blur", () => void file.flush());
  addEventListener("focus", () => void file.present());
  addEventListener("online", () => void file.flush());
  addEventListener("pagehide", () => file.leave(true));
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") file.leave(false);
    else void file.present();
  });
  addEventListener("beforeunload", (event) => {
    if (file.atRisk) event.preventDefault();
  });
  const again = (): void => void file.present().finally(() => setTimeout(again, PRESENCE));
  again();
}
