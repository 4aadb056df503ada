/** What a mention may consist of, as the server reads it. */
const mention = /(?<![\p{L}\p{N}])@[\p{L}\p{N}._+-]*[\p{L}\p{N}]/gu;

/** The mention that is being typed before the caret: where its @ stands and what follows. Null where there is none. */
export function mentionAt(text: string, caret: number): { start: number; begun: string } | null {
  const found = /(?:^|\s)@([\p{L}\p{N}._+-]*)$/u.exec(text.slice(0, caret));
  const begun = found?.[1];
  return begun === undefined ? null : { start: caret - begun.length - 1, begun };
}

/** What stands for a person after an @: the full name without blanks, the first name where that has signs that end a mention, an address's first part. */
export function mentionName(name: string): string {
  const [address = ""] = name.split("@");
  const whole = address.replaceAll(/\s+/g, "");
  return /^[\p{L}\p{N}._+-]+$/u.test(whole) ? whole : (address.split(/\s+/)[0] ?? whole);
}

type NotePart = { text: string; isMention: boolean };

/** A note's text, its mentions apart. */
export function partsOf(text: string): NotePart[] {
  const parts: NotePart[] = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(mention)) {
    if (index > end) parts.push({ text: text.slice(end, index), isMention: false });
    parts.push({ text: found, isMention: true });
    end = index + found.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isMention: false });
  return parts;
}
