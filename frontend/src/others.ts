// Who else has a file open, in words: one's own name is another tab.
import { page } from "./page";
import { t } from "./words";

export function othersHere(names: readonly string[]): string {
  const others = names.filter((name) => name !== page.name && name !== "local");
  return others.length ? t("js.others", { names: others.join(", ") }) : t("js.other_tab");
}
