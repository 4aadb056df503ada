/** Whether a text has each word of what was typed somewhere, without case and accents, which nobody types to find something. */
export function hasWords(text: string, typed: string): boolean {
  const known = bare(text);
  return bare(typed)
    .split(/\s+/)
    .every((word) => known.includes(word));
}

function bare(text: string): string {
  return text.normalize("NFKD").replaceAll(/\p{M}/gu, "").toLowerCase();
}
