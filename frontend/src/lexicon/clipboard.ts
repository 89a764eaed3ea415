// Copying and pasting cells, while none of them is being typed.
import { seen } from "./blocks";
import type { Grid } from "./grid";
import type { Selection } from "./grid_host";
import { blockOf } from "./sheets";
import type { Workspace } from "./workspace";

export interface ClipboardHost {
  paste(text: string): void;
  clear(selection: Selection): void;
  leftOut(unseen: number): void;
}

export function listenToClipboard(grid: Grid, space: Workspace, host: ClipboardHost): void {
  const { field } = grid.editor;
  const copied = (event: ClipboardEvent): boolean => {
    if (grid.editor.editing) return false;
    const { top, bottom, left, right } = grid.selection;
    const names = grid.columns.slice(left, right + 1).map((column) => column.name);
    const rows = grid.rows.slice(top, bottom + 1).filter((row) => !row.ghost);
    event.clipboardData?.setData("text/plain", blockOf(rows.map((row) => names.map((name) => space.text(row, name)))));
    event.preventDefault();
    return true;
  };
  field.addEventListener("copy", copied);
  field.addEventListener("cut", (event) => {
    if (copied(event) && space.mayEdit) host.clear(grid.selection);
  });
  field.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const block = /[\t\r\n]/.test(text.replace(/[\r\n]+$/, ""));
    if (!space.mayEdit) return;
    if (grid.editor.editing && !block) {
      const clean = seen(text);
      if (clean.unseen === 0) return;
      event.preventDefault();
      grid.editor.insert(clean.text);
      return host.leftOut(clean.unseen);
    }
    event.preventDefault();
    grid.editor.commit();
    host.paste(text);
  });
}
