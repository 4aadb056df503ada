export type XmlElement = { name: string; text: string; children: XmlElement[] };

type Handlers = { open: (name: string) => void; text: (text: string) => void; close: (name: string) => void };

export class XmlFault extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

const depthMax = 64;
/** Of one text or one tag, in characters. */
const partMax = 4 * 1024 * 1024;

/**
 * Reads XML as it comes, in pieces of any size. Names lose their prefix, attributes are not kept. Document types are refused: they can
 * define entities that grow without end or read files. Throws XmlFault with the line.
 */
export class XmlReader {
  readonly #handlers: Handlers;
  readonly #open: string[] = [];
  #rest = "";
  #hasRoot = false;
  line = 1;

  constructor(handlers: Handlers) {
    this.#handlers = handlers;
  }

  push(chunk: string): void {
    this.#rest += chunk;
    while (this.#rest !== "" && this.#step());
    if (this.#rest.length > partMax) throw this.#fault("a part without end");
  }

  end(): void {
    if (this.#open.length > 0 || !this.#hasRoot || this.#rest.trim() !== "") throw this.#fault("it ends in the middle");
  }

  /** Takes one part off the rest; false: more is needed. */
  #step(): boolean {
    const rest = this.#rest;
    const begin = rest.indexOf("<");
    if (begin !== 0) {
      if (begin < 0) return false;
      const text = this.#take(begin);
      if (this.#open.length > 0) this.#handlers.text(decoded(text));
      else if (text.replace(/^\uFEFF/, "").trim() !== "") throw this.#fault("text outside the document");
      return true;
    }
    if (rest.startsWith("<!--")) return this.#skip("-->");
    if (rest.startsWith("<![CDATA[")) return this.#cdata();
    if (rest.startsWith("<?")) return this.#skip("?>");
    if (rest.startsWith("<!")) {
      if ("<![CDATA[".startsWith(rest) || "<!--".startsWith(rest)) return false;
      throw this.#fault("document types are not allowed");
    }
    const end = tagEnd(rest);
    if (end < 0) return false;
    this.#tag(this.#take(end + 1).slice(1, -1));
    return true;
  }

  #tag(tag: string): void {
    if (tag.startsWith("/")) {
      const name = localName(tag.slice(1));
      if (this.#open.pop() !== name) throw this.#fault(`</${name}> closes nothing`);
      this.#handlers.close(name);
      return;
    }
    const isEmpty = tag.endsWith("/");
    const name = localName(isEmpty ? tag.slice(0, -1) : tag);
    if (name === "") throw this.#fault("a tag without a name");
    if (this.#open.length === 0 && this.#hasRoot) throw this.#fault("a second document");
    this.#hasRoot = true;
    this.#handlers.open(name);
    if (isEmpty) return this.#handlers.close(name);
    if (this.#open.push(name) > depthMax) throw this.#fault(`nested deeper than ${depthMax} levels`);
  }

  #cdata(): boolean {
    const end = this.#rest.indexOf("]]>");
    if (end < 0) return false;
    this.#handlers.text(this.#take(end + 3).slice(9, -3));
    return true;
  }

  #skip(mark: string): boolean {
    const end = this.#rest.indexOf(mark);
    if (end < 0) return false;
    this.#take(end + mark.length);
    return true;
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length);
    this.#rest = this.#rest.slice(length);
    for (let at = taken.indexOf("\n"); at >= 0; at = taken.indexOf("\n", at + 1)) this.line += 1;
    return taken;
  }

  #fault(message: string): XmlFault {
    return new XmlFault(this.line, message);
  }
}

/** The end of a tag; a > inside of quotes is none. */
function tagEnd(text: string): number {
  let quote = "";
  for (let position = 1; position < text.length; position += 1) {
    const character = text[position] ?? "";
    if (quote !== "") quote = character === quote ? "" : quote;
    else if (character === '"' || character === "'") quote = character;
    else if (character === ">") return position;
  }
  return -1;
}

function localName(tag: string): string {
  const name = /^[^\s]*/.exec(tag.trim())?.[0] ?? "";
  return name.slice(name.indexOf(":") + 1);
}

const entities = new Map([
  ["amp", "&"],
  ["lt", "<"],
  ["gt", ">"],
  ["quot", '"'],
  ["apos", "'"],
]);

function decoded(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(#x[0-9a-fA-F]{1,6}|#[0-9]{1,7}|[a-z]{2,5});/g, (whole, name: string) => {
    if (!name.startsWith("#")) return entities.get(name) ?? whole;
    const code = name.startsWith("#x") ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

/** A whole document. Throws XmlFault. */
export function readXml(text: string): XmlElement {
  const top: XmlElement = { name: "", text: "", children: [] };
  const open = [top];
  const reader = new XmlReader({
    open: (name) => {
      const element: XmlElement = { name, text: "", children: [] };
      open.at(-1)?.children.push(element);
      open.push(element);
    },
    text: (part) => {
      const element = open.at(-1);
      if (element) element.text += part;
    },
    close: () => void open.pop(),
  });
  reader.push(text);
  reader.end();
  return top.children[0] ?? top;
}

/** All elements of a name, at any depth, in order. */
export function elementsOf({ children }: XmlElement, name: string): XmlElement[] {
  return children.flatMap((child) => [...(child.name === name ? [child] : []), ...elementsOf(child, name)]);
}

/** Elements as an object: text, object, or a list where a name occurs more than once. */
export function objectOf({ children }: XmlElement): Record<string, unknown> {
  const valueOf = (child: XmlElement) => (child.children.length > 0 ? objectOf(child) : child.text.trim());
  const named = Map.groupBy(children, ({ name }) => name);
  return Object.fromEntries(
    [...named].map(([name, those]) => {
      const values = those.map(valueOf);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

export function escaped(text: string): string {
  const writable = text.replace(/\p{Cc}/gu, (character) => (isWritable(character) ? character : ""));
  return writable.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** XML 1.0 has no way to write most control characters. */
function isWritable(character: string): boolean {
  return character >= " " || character === "\t" || character === "\n" || character === "\r";
}

export type XmlFields = { [name: string]: string | number | boolean | null | undefined | XmlFields | XmlFields[] | string[] };

/** Fields as elements; null and undefined are left out, a list becomes several elements of one name. */
export function elements(fields: XmlFields, prefix = ""): string {
  return Object.entries(fields)
    .map(([name, value]) => {
      const tag = prefix + name;
      const values = Array.isArray(value) ? value : [value];
      return values
        .map((each) =>
          each == null ? "" : `<${tag}>${typeof each === "object" ? elements(each, prefix) : escaped(String(each))}</${tag}>`,
        )
        .join("");
    })
    .join("");
}
