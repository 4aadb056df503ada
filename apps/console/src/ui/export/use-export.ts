import { useEffect, useRef, useState } from "react";
import { walkPages, type PageReader } from "../list-query.ts";
import type { RowWriter } from "./rows-to-text.ts";

export type ExportState =
  | { kind: "idle" }
  | { kind: "running"; rows: number }
  | { kind: "done"; rows: number }
  | { kind: "failed"; message: string };

/**
 * Walks through a list and saves it as a file. Each page becomes a Blob as soon as it is read, which the browser keeps outside of the
 * page's memory, so the size of a list doesn't matter.
 */
export function useExport<Row>(readPage: PageReader<Row>, name: string) {
  const [state, setState] = useState<ExportState>({ kind: "idle" });
  const running = useRef<AbortController>(null);
  useEffect(() => () => running.current?.abort(), []);

  async function start(writer: RowWriter<Row>): Promise<void> {
    const stop = new AbortController();
    running.current = stop;
    const parts = [new Blob([writer.head])];
    let rows = 0;
    setState({ kind: "running", rows });
    try {
      for await (const page of walkPages(readPage, stop.signal)) {
        parts.push(new Blob([writer.write(page)]));
        rows += page.length;
        setState({ kind: "running", rows });
      }
      save(
        new Blob(parts, { type: writer.mediaType }),
        `${name}-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.${writer.extension}`,
      );
      setState({ kind: "done", rows });
    } catch (error) {
      if (stop.signal.aborted) setState({ kind: "idle" });
      else setState({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
    }
  }

  return { state, start: (writer: RowWriter<Row>) => void start(writer), cancel: () => running.current?.abort() };
}

function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
