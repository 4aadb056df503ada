import type { Line } from "./lines.ts";

/** One record of a delimited file. With a problem, `fields` is what could be made of it. */
export type Row = { line: number; fields: string[]; problem: string | null };

type Format = { separator: "," | "\t"; columns: number };

/** A quoted field may span this many lines; a quote that never closes must not swallow the rest of the file. */
const linesPerRecordMax = 10;

/** Reads records. What does not fit the format comes out as a row with a problem; reading goes on with the next line. */
export async function* readDelimited(lines: AsyncIterable<Line>, format: Format): AsyncGenerator<Row> {
  const source = lines[Symbol.asyncIterator]();
  const waiting: Line[] = [];
  const next = async (): Promise<Line | null> => {
    const held = waiting.shift();
    if (held) return held;
    const result = await source.next();
    return result.done ? null : result.value;
  };
  for (let line = await next(); line !== null; line = await next()) {
    if (line.text === "" && line.problem === null) continue;
    let fields = split(line.text, format.separator);
    const taken: Line[] = [line];
    while (fields === null && taken.length < linesPerRecordMax) {
      const following = await next();
      if (following === null) break;
      taken.push(following);
      fields = split(taken.map((one) => one.text).join("\n"), format.separator);
    }
    if (fields === null || (taken.length > 1 && fields.length !== format.columns)) {
      waiting.unshift(...taken.slice(1));
      yield { line: line.number, fields: line.text.split(format.separator), problem: `line ${line.number} has a quote that is not closed` };
      continue;
    }
    yield { line: line.number, fields, problem: taken.find((one) => one.problem !== null)?.problem ?? raggedness(line, fields, format) };
  }
}

function raggedness(line: Line, fields: string[], format: Format): string | null {
  return fields.length === format.columns ? null : `line ${line.number} has ${fields.length} fields instead of ${format.columns}`;
}

/** The fields of one record (RFC 4180; a tab-separated file knows no quotes), or null when a quote is still open. */
function split(text: string, separator: Format["separator"]): string[] | null {
  if (separator === "\t" || !text.includes('"')) return text.split(separator);
  const fields: string[] = [];
  for (let position = 0; ;) {
    const isQuoted = text[position] === '"';
    let field = "";
    if (isQuoted) {
      let close = text.indexOf('"', position + 1);
      for (; close >= 0 && text[close + 1] === '"'; close = text.indexOf('"', close + 2));
      if (close < 0) return null;
      field = text.slice(position + 1, close).replaceAll('""', '"');
      position = close + 1;
    }
    const end = text.indexOf(separator, position);
    // Text after a closing quote, or a quote inside a plain field, is kept as it stands: real exports contain both.
    field += text.slice(position, end < 0 ? undefined : end);
    fields.push(field);
    if (end < 0) return fields;
    position = end + 1;
  }
}
