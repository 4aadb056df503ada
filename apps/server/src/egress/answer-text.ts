import { isUtf8 } from "node:buffer";
import { EgressError } from "./egress-error.ts";

const inHeader = /;\s*charset\s*=\s*["']?([^\s;"']{1,40})/i;
/** A declaration that can be read byte by byte is not in UTF-16, whatever it says: programs copy it from texts that were. */
const inDeclaration = /^<\?xml\s[^>]*?\sencoding\s*=\s*["'](?!utf-?16)([\w.:-]{1,40})["']/i;
const marks = [
  { encoding: "utf-8", bytes: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: "utf-16le", bytes: Buffer.from([0xff, 0xfe]) },
  { encoding: "utf-16be", bytes: Buffer.from([0xfe, 0xff]) },
];

/**
 * An answer's bytes as text: in the encoding of its byte order mark, its content type or its XML declaration, else in UTF-8. Throws EgressError where they
 * are none, as a key with a replaced letter would be another one; `isLenient`: those letters are replaced.
 */
export function answerText(bytes: Buffer, contentType: string | undefined, isLenient: boolean): string {
  const charset = inHeader.exec(contentType ?? "")?.[1] ?? inDeclaration.exec(bytes.toString("latin1", 0, 200))?.[1] ?? "UTF-8";
  const encoding = marks.find((mark) => bytes.subarray(0, mark.bytes.length).equals(mark.bytes))?.encoding ?? encodingOf(charset);
  // Latin-1 is also what servers say by default of texts that they know nothing of.
  const isUnset = encoding === "windows-1252" && isUtf8(bytes);
  try {
    return new TextDecoder(isUnset ? "utf-8" : encoding, { fatal: !isLenient }).decode(bytes);
  } catch (error) {
    throw new EgressError("answer-malformed", `The answer's bytes are no text in the charset ${charset}.`, error);
  }
}

/** https://encoding.spec.whatwg.org/#names-and-labels. An unknown name, such as UTF_8, is taken for UTF-8, of which not much else passes. */
function encodingOf(charset: string): string {
  try {
    return new TextDecoder(charset).encoding;
  } catch {
    return "utf-8";
  }
}
