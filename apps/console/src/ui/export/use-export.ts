import { useEffect, useRef, useState } from "react";
import { readStream } from "../../api/read-stream.ts";
import { saveFile } from "../save-file.ts";
import { createRowCounter } from "./count-rows.ts";

type ExportForm = { format: "csv" | "ndjson"; byteOrderMark?: "true"; documents?: "true"; reason?: string };

export type ExportSource = {
  /** Whether its rows have documents, which go along when they are wanted. */
  hasDocuments: boolean;
  /** It is no list but consists of documents, whose values are masked unless there is a reason. */
  isMasked?: boolean;
  /** Asks the server for the file, which comes as long as it is read. */
  open: (form: ExportForm, signal: AbortSignal) => Promise<Response>;
};

export type ExportState =
  | { kind: "idle" }
  | { kind: "running"; rows: number }
  | { kind: "done"; rows: number }
  | { kind: "failed"; message: string };

/**
 * Saves what the server sends as a file. Each piece becomes a Blob as soon as it is here, which the browser keeps outside of the page's
 * memory, so the size of a list doesn't matter. Cancelling hangs up, which ends the work on the server, too.
 */
export function useExport(source: ExportSource) {
  const [state, setState] = useState<ExportState>({ kind: "idle" });
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function start(form: ExportForm): Promise<void> {
    const stop = new AbortController();
    running.current = stop;
    const parts: Blob[] = [];
    const count = createRowCounter(form.format);
    let rows = 0;
    setState({ kind: "running", rows });
    try {
      const response = await source.open(form, stop.signal);
      for await (const bytes of response.body ? readStream(response.body) : []) {
        parts.push(new Blob([bytes]));
        rows = count(bytes);
        setState({ kind: "running", rows });
      }
      saveFile(new Blob(parts, { type: response.headers.get("content-type") ?? "" }), nameOf(response));
      setState({ kind: "done", rows });
    } catch (error) {
      if (stop.signal.aborted) setState({ kind: "idle" });
      else setState({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  }

  return { state, start: (form: ExportForm) => void start(form), cancel: () => running.current?.abort() };
}

const nameOf = ({ headers }: Response): string => /filename="([^"]+)"/.exec(headers.get("content-disposition") ?? "")?.[1] ?? "export";
