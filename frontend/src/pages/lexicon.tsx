// The lexicon's page: the whole vocabulary as a grid.
import { readLexicon } from "../api";
import { openInto } from "../drawing";
import { Lexicon } from "../lexicon/lexicon";
import { GridPage } from "../lexicon/page";
import { Workspace } from "../lexicon/workspace";
import { page } from "../page";

const isLexicon = (file: string): boolean => file === "lexicon.tsv" || file.startsWith("lexicon/");
const lexicon = new Lexicon(new Workspace(page.project, { read: () => readLexicon(page.project), covers: isLexicon }));
void openInto(document.getElementById("lexicon")!, async () => {
  await lexicon.start();
  return <GridPage lexicon={lexicon} />;
});
