import { adventureWorks } from "./adventure-works.ts";
import { fileBytes } from "./lines.ts";
import { onlineRetail } from "./online-retail.ts";
import type { Source } from "./source.ts";
import { vinmonopolet } from "./vinmonopolet.ts";

/** Tells what a file is by what it contains, whatever its name. Throws when it is none of the known kinds. */
export async function recognise(path: string): Promise<Source> {
  const head = (await beginning(path)).toString("utf8").replace(/^\uFEFF/, "");
  const firstLine = head.split(/\r?\n/, 1)[0] ?? "";
  if (/^"?InvoiceNo"?,"?StockCode"?,/i.test(firstLine)) return onlineRetail(path);
  if (/^\s*\[/.test(head) && head.includes('"Varenummer"')) return vinmonopolet(path);
  if (/^\d+\t\d+\t[^\t]*\t[^\t]*\t-?\d+\t/.test(firstLine)) return adventureWorks(path);
  throw new Error(
    `${path} is not a file this command knows: UCI Online Retail (CSV), Vinmonopolet (JSON) or AdventureWorks ProductInventory (tab-separated), each also as gzip`,
  );
}

async function beginning(path: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const chunk of fileBytes(path)) {
    pieces.push(chunk);
    length += chunk.length;
    if (length >= 4096) break;
  }
  return Buffer.concat(pieces).subarray(0, 4096);
}
