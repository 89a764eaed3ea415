// Rows that are dragged by their handles within one list.
import { useState } from "preact/hooks";

export interface Drag {
  /** For the handle of a row. */
  handle: (row: number) => object;
  /** For the row itself. */
  row: (row: number) => { class: string; [event: string]: unknown };
}

/** `move` is called with where a row was and the row it was dropped on. */
export function useDrag(move: (from: number, to: number) => void): Drag {
  const [from, take] = useState<number | null>(null);
  const [over, hover] = useState<number | null>(null);
  const end = (): void => {
    take(null);
    hover(null);
  };
  return {
    handle: (row) => ({
      draggable: true,
      onDragStart: (event: DragEvent) => {
        event.dataTransfer?.setData("text/plain", "");
        const line = (event.currentTarget as HTMLElement).closest("tr");
        if (line) event.dataTransfer?.setDragImage(line, 8, 8);
        take(row);
      },
      onDragEnd: end,
    }),
    row: (row) => ({
      class: from === row ? "dragged" : over === row && from !== null ? (row > from ? "drop-after" : "drop-before") : "",
      onDragOver: (event: DragEvent) => {
        if (from === null) return;
        event.preventDefault();
        if (over !== row) hover(row);
      },
      onDrop: (event: DragEvent) => {
        event.preventDefault();
        if (from !== null && from !== row) move(from, row);
        end();
      },
    }),
  };
}
