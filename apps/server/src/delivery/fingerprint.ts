/** Characters that a fingerprint has at most; it is a key, so it stays far below what an index entry holds. */
const lengthMax = 300;

const quoted = [
  /"[^"]*"/g,
  /`[^`]*`/g,
  /[“„][^“”]*[“”]/g,
  /«[^»]*»/g,
  // An apostrophe between letters opens and closes nothing.
  /(?<![\p{L}\p{N}])'(?:[^']|(?<=\p{L})'(?=\p{L}))*'(?![\p{L}\p{N}])/gu,
];

/** A word with whatever holds numbers, dates, times, ids and SKUs together. */
const word = /[\p{L}\p{N}][\p{L}\p{N}_.:/+-]*/gu;

/** The JSON of an answer, which ends the text and may be cut. */
const json = /(?<=^|\s)[{[]\s*["{[].*$/s;
/** In JSON, quotes stand around all that is said, not only around values: what is in them has a shape of its own. */
const literal = /"(?:[^"\\]|\\.)*("|$)/gs;

function shapeOfLiteral(text: string, end: string): string {
  if (end === "") return "…";
  try {
    return shapeOf(String(JSON.parse(text)));
  } catch {
    return shapeOf(text.slice(1, -1));
  }
}

/** The text without what differs from message to message: quoted values, addresses, and words with a digit in them. */
export function shapeOf(text: string): string {
  let shape = text.replace(json, (body) => body.replace(literal, shapeOfLiteral));
  shape = shape.replace(/[a-z][a-z0-9+.-]{0,20}:\/\/[^\s"'<>`]+/gi, "<url>").replace(/[^\s"'<>@]{1,64}@[^\s"'<>@]{1,255}/g, "<address>");
  for (const pattern of quoted) shape = shape.replace(pattern, "'…'");
  return shape
    .replace(word, (token) => (/\p{N}/u.test(token) ? "#" : token))
    .replace(/\s+/g, " ")
    .trim();
}

/** The same for failures that differ only in ids, numbers, quoted values and addresses, so that they are shown as one group. */
export function fingerprintOf(errorClass: string, status: number | null, message: string): string {
  const fingerprint = `${errorClass}${status === null ? "" : ` ${status}`}: ${shapeOf(message)}`;
  // A cut may go through a pair of surrogates, and PostgreSQL keeps no half of one.
  return fingerprint.slice(0, lengthMax).toWellFormed();
}
