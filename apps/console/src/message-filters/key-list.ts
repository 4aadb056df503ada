/** A number or article number by itself; words, dates and telephone numbers are none. */
const isKey = (part: string): boolean => /^(?=\D*\d)\S{3,}$/.test(part);

/** As they stand in an address, of which servers and proxies take 16 kB at most. */
const charactersMax = 10_000;

/**
 * The business keys of a pasted list, a line each, as the address keeps them; null for what is no list, or one that is longer than the API takes
 * at once. A column of a spreadsheet has a key in each row, whatever it looks like; commas, semicolons and (where only keys stand) blanks also stand
 * within one.
 */
export function keyListIn(pasted: string, isForKeys: boolean): string | null {
  const keys = pasted.split(/[\r\n\t]+/).flatMap((row) => {
    const parts = row.split(isForKeys ? /[,;\s]+/ : /\s*[,;]\s*/).filter(Boolean);
    return parts.every(isKey) ? parts : row.trim() || [];
  });
  const whole = new Set(keys);
  const list = [...whole].join("\n");
  const isTaken = whole.size > 1 && whole.size <= 500 && encodeURIComponent(list.toWellFormed()).length <= charactersMax;
  return isTaken && (isForKeys || !/[^\S\n]/.test(list)) ? list : null;
}

/** Gives a pasted list of keys to `onKeys`; any other text is put into the field, as it would have been without this. */
export function pasteKeys(field: HTMLInputElement, pasted: string, isForKeys: boolean, onKeys: (keys: string) => void): void {
  const keys = keyListIn(pasted, isForKeys);
  if (keys !== null) return onKeys(keys);
  const text = pasted.replaceAll(/[\r\n]+/g, " ");
  // What is put in like this can be undone; it goes where the focus is.
  if (document.activeElement === field && document.execCommand("insertText", false, text)) return;
  const { selectionStart, selectionEnd, value } = field;
  field.setRangeText(text, selectionStart ?? value.length, selectionEnd ?? value.length, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}
