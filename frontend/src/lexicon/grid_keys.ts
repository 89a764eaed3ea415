// Where a key leads from a cell; with Ctrl, as far as it goes.

export interface Cell {
  readonly row: number;
  readonly column: number;
}

/** The cell that a key leads to, which may lie outside of the grid; none for other keys. */
export function destination(
  event: KeyboardEvent,
  { row, column }: Cell,
  size: { rows: number; columns: number; page: number },
): Cell | null {
  const far = event.ctrlKey || event.metaKey;
  const [bottom, right] = [size.rows - 1, size.columns - 1];
  switch (event.key) {
    case "ArrowUp":
      return { row: far ? 0 : row - 1, column };
    case "ArrowDown":
      return { row: far ? bottom : row + 1, column };
    case "ArrowLeft":
      return { row, column: far ? 0 : column - 1 };
    case "ArrowRight":
      return { row, column: far ? right : column + 1 };
    case "PageUp":
      return { row: row - size.page, column };
    case "PageDown":
      return { row: row + size.page, column };
    case "Home":
      return { row: far ? 0 : row, column: 0 };
    case "End":
      return { row: far ? bottom : row, column: right };
    default:
      return null;
  }
}
