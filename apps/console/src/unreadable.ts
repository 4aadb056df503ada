/** Whether all of a file is text in UTF-8, which neither a spreadsheet nor an older encoding is. Read piece by piece, so that its size doesn't matter. */
export async function isUtf8(file: Blob): Promise<boolean> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    try {
      decoder.decode(value, { stream: !done });
    } catch {
      await reader.cancel();
      return false;
    }
    if (done) return true;
  }
}
