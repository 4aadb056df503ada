import { XmlFault, XmlReader, isRecord, parseJson } from "@crossdock/connectors";
import { faultBecause, lineBecause } from "../errors/faults.ts";
import { type RecordReader, type SourceRecord, SourceFault, createCsvReader, partMax } from "./csv-reader.ts";

export type Format = "csv" | "ndjson" | "xml";

/** `element` names the element of one record in XML, `columns` what is wanted of a line of CSV, where that is not all. */
export function createReader(format: Format, element: string, columns: ReadonlySet<string> | null): RecordReader {
  if (format === "csv") return createCsvReader(columns);
  return format === "ndjson" ? createLineReader() : createElementReader(element);
}

/** How the parts of a file that begins so are to be read: lines may end with a carriage return alone, as a Mac's spreadsheets write them. */
export function lineEndsOf(begin: string): (part: string) => string {
  return /^[^\r\n]*\r[^\n]/.test(begin) ? (part) => part.replaceAll("\r", "\n") : (part) => part;
}

/** One JSON object per line. A line that is not one is still a record, whose fault is reported when it is looked at. */
function createLineReader(): RecordReader {
  let rest = "";
  let line = 0;
  const toRecord = (text: string): SourceRecord[] => {
    line += 1;
    if (text.trim() === "") return [];
    return [{ line, ...parse(text) }];
  };
  return {
    *push(text) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > partMax) throw new SourceFault(lineBecause(line + 1, "file-line-too-long", { max: partMax }));
      for (const each of lines) yield* toRecord(each);
    },
    end: () => toRecord(rest),
  };
}

function parse(text: string): Pick<SourceRecord, "value" | "fault"> {
  try {
    const value = parseJson(text);
    return isRecord(value) ? { value } : { value: {}, fault: faultBecause("", "file-line-no-object") };
  } catch {
    return { value: {}, fault: faultBecause("", "file-line-not-json") };
  }
}

type Open = { name: string; text: string; value: Map<string, unknown>; hasParts: boolean; line: number };

/** The most characters of a record, its tags included: whoever names the element around all of them would else fill the memory with the file. */
const recordMax = 4 * partMax;

/** Every element of the name, with its parts as fields; a part that comes more than once is a list. */
function createElementReader(element: string): RecordReader {
  const found: SourceRecord[] = [];
  let open: Open[] = [];
  let size = 0;
  const grow = (characters: number): void => {
    size += characters;
    if (size > recordMax) throw new SourceFault(lineBecause(open[0]?.line ?? reader.line, "xml-record-too-long", { max: recordMax }));
  };
  const reader = new XmlReader({
    open: (name) => {
      if (open.length === 0 && name !== element) return;
      if (open.length === 0) size = 0;
      open.push({ name, text: "", value: new Map(), hasParts: false, line: reader.line });
      grow(`<${name}></${name}>`.length);
    },
    text: (text) => {
      const top = open.at(-1);
      if (!top) return;
      grow(text.length);
      top.text += text;
      if (top.text.length > partMax) throw new SourceFault(lineBecause(reader.line, "xml-text-too-long", { max: partMax }));
    },
    close: () => {
      const ended = open.pop();
      if (!ended) return;
      const parent = open.at(-1);
      if (!parent) {
        found.push({ line: ended.line, value: Object.fromEntries(ended.value) });
        return;
      }
      const value = ended.hasParts ? Object.fromEntries(ended.value) : ended.text.trim();
      const known = parent.value.get(ended.name);
      parent.hasParts = true;
      if (Array.isArray(known)) known.push(value);
      else parent.value.set(ended.name, known === undefined ? value : [known, value]);
    },
  });
  function* read(work: () => void): Generator<SourceRecord> {
    try {
      work();
    } catch (error) {
      throw error instanceof XmlFault ? new SourceFault(error) : error;
    } finally {
      yield* found.splice(0);
    }
  }
  return { push: (text) => read(() => reader.push(text)), end: () => read(() => reader.end()) };
}
