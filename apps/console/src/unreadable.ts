import type { TextKey } from "./i18n/i18n.tsx";

/**
 * Why a file can't be imported, null if it can: it is no text in UTF-8, which neither a spreadsheet nor an older encoding is, says nothing, or was
 * written to, moved or removed since it was chosen, after which browsers no longer read it. Read piece by piece, so that its size doesn't matter.
 */
export async function whyUnreadable(file: Blob): Promise<TextKey | null> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const reader = file.stream().getReader();
  let isEmpty = true;
  for (;;) {
    const piece = await reader.read().catch(() => null);
    if (!piece) return "import.changed";
    const { done, value } = piece;
    try {
      const text = decoder.decode(value, { stream: !done });
      isEmpty &&= text.trim() === "";
    } catch {
      await reader.cancel();
      return "import.notUtf8";
    }
    if (done) return isEmpty ? "import.empty" : null;
  }
}
