import type { Routes, ScanLine } from "@crossdock/contract";
import { addressOf, authorisedFetch } from "../api.ts";
import { messageFilterOf, type QueueSearch } from "./search.ts";

type ScanRequest = { tenantCode: string; search: QueueSearch; cursor: string; limit: number; signal: AbortSignal };

/** What a slow search finds, line by line as the server finds it. Throws when the answer breaks off; hanging up ends the search there, too. */
export async function* readScan({ tenantCode, search, cursor, limit, signal }: ScanRequest): AsyncGenerator<ScanLine> {
  const query = { ...messageFilterOf(search, new Date()), ...(cursor && { cursor }), limit };
  const address = addressOf<Routes["scanMessages"]>("/tenants/:tenantCode/message-scan", { params: { tenantCode }, query });
  const response = await authorisedFetch(address, { signal });
  let rest = "";
  let hasEnded = false;
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const parsed: ScanLine = JSON.parse(line);
      hasEnded = parsed.isEnd;
      yield parsed;
    }
  }
  if (!hasEnded) throw new Error("The search broke off.");
}
