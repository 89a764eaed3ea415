// The cursor is the reader's: what comes late may move it only from where it was when it was asked for.

/** Whether the cursor is still where it is now, or nowhere. */
export function cursorStays(): () => boolean {
  const before = document.activeElement;
  return () => {
    const now = document.activeElement;
    return !now || now === document.body || now === before;
  };
}
