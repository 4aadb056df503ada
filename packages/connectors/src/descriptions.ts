import type { Item } from "@crossdock/contract";

/** An item's description for a system that shows it as HTML. One that doesn't say what it is, is plain text. Null: it has none. */
export function htmlOf({ description, descriptionFormat }: Item): string | null {
  return description == null || descriptionFormat === "html" ? (description ?? null) : escapeHtml(description);
}

/** For a system that shows it as it stands. */
export function plainOf({ description, descriptionFormat }: Item): string | null {
  return description == null || descriptionFormat !== "html" ? (description ?? null) : textIn(description);
}

/** Of a text whose source doesn't say. */
export function formatOf(text: string | null): Item["descriptionFormat"] {
  return text === null ? null : /<\/?[a-z]/i.test(text) ? "html" : "plain";
}

function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\n", "<br>");
}

/** What ends a line. */
const blocks = new Set(["br", "p", "div", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6"]);
const hidden = new Set(["script", "style"]);

/** Tag by tag, as a pattern over all of it would take a time that grows with the square of a hostile text. */
function textIn(html: string): string {
  const [first = "", ...pieces] = html.split("<");
  let text = first;
  let within: string | null = null;
  for (const piece of pieces) {
    const [, end, name = "", rest = ""] = /^(\/?)([A-Za-z][A-Za-z0-9]*)(?![A-Za-z0-9])[^>]*>([^]*)$/.exec(piece) ?? [];
    const tag = name.toLowerCase();
    if (within !== null) {
      if (end !== "/" || tag !== within) continue;
      within = null;
    } else if (end === "" && hidden.has(tag)) {
      within = tag;
      continue;
    }
    if (end !== undefined) text += `${blocks.has(tag) ? "\n" : ""}${rest}`;
    else text += piece.startsWith("!--") ? piece.replace(/^!--[^]*?-->/, "") : `<${piece}`;
  }
  const lines = text.split("\n").map((line) => unescapeHtml(line.replace(/[ \t\r]+/g, " ").trim()));
  return lines
    .filter((line, index) => line !== "" || (index > 0 && lines[index - 1] !== ""))
    .join("\n")
    .trim();
}

// From no-break space (160) to y with diaeresis (255), in the order of their codes.
const latin1 = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil
  sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH
  Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil
  egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`;
const characters = new Map<string, string>([
  ...latin1.split(/\s+/).map((name, index): [string, string] => [name, String.fromCodePoint(160 + index)]),
  ...Object.entries({
    amp: "&",
    lt: "<",
    gt: ">",
    quot: '"',
    apos: "'",
    ndash: "–",
    mdash: "—",
    lsquo: "‘",
    rsquo: "’",
    ldquo: "“",
    rdquo: "”",
  }),
  ...Object.entries({ bull: "•", hellip: "…", euro: "€", trade: "™" }),
]);

function unescapeHtml(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z0-9]{2,8}));/g,
    (whole, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return characters.get(name) ?? whole;
      const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
      return isCharacter ? String.fromCodePoint(code) : whole;
    },
  );
}
