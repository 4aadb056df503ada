import type { ScanLine } from "@crossdock/contract";
import { authorisedFetch } from "../api/api.ts";
import { readStream } from "../api/read-stream.ts";

/** Where one run of a slow search is asked for, from a place on ("" from the start) and up to so many rows. */
export type ScanAddress = (place: { cursor?: string; limit: number }) => string;

/** What a slow search finds, line by line as the server finds it. Throws when the answer breaks off; hanging up ends the search there, too. */
export async function* readScan<Row>(address: string, signal: AbortSignal): AsyncGenerator<ScanLine<Row>> {
  const { body } = await authorisedFetch(address, { signal });
  let rest = "";
  let hasEnded = false;
  for await (const text of body ? readStream(body.pipeThrough(new TextDecoderStream())) : []) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const parsed: ScanLine<Row> = JSON.parse(line);
      hasEnded = parsed.isEnd;
      yield parsed;
    }
  }
  if (!hasEnded) throw new Error("The search broke off.");
}
