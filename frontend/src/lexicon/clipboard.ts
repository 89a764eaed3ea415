// Copying and pasting cells, while none of them is being typed.
import type { Grid } from "./grid";
import type { Selection } from "./grid_host";
import { blockOf } from "./sheets";
import type { Workspace } from "./workspace";

export interface ClipboardHost {
  paste(text: string): void;
  clear(selection: Selection): void;
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
    if (!space.mayEdit || (grid.editor.editing && !block)) return;
    event.preventDefault();
    grid.editor.commit();
    host.paste(text);
  });
}
