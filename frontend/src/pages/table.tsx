// The page of one table, such as a relation: the lexicon's grid with this one file.
import { readTable } from "../api";
import { openInto } from "../drawing";
import { Lexicon } from "../lexicon/lexicon";
import { GridPage } from "../lexicon/page";
import { Workspace } from "../lexicon/workspace";
import { page } from "../page";

const source = { read: () => readTable(page.project, page.file), covers: (file: string) => file === page.file };
const table = new Lexicon(new Workspace(page.project, source));
void openInto(document.getElementById("lexicon")!, async () => {
  await table.start();
  return <GridPage lexicon={table} />;
});
