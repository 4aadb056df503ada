import type { ImportPreview as Preview, Routes } from "@crossdock/contract";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { api, toldFaults } from "../api/api.ts";
import { useText } from "../i18n/i18n.tsx";
import { useBytes } from "../ui/bytes.ts";
import { useSettled } from "../ui/use-settled.ts";
import type { Format, What } from "./hand-in.ts";
import { ImportColumns } from "./import-columns.tsx";

/** So much of a file is looked at before it is imported. */
const sampleBytes = 64 * 1024;

/** Pause after the last key stroke before the server is asked. */
const typingPauseMs = 400;

/** By its name, or else by how it begins. */
export async function formatOf(file: File): Promise<Format> {
  const [, ending = ""] = /\.(\w+)$/.exec(file.name.toLowerCase()) ?? [];
  if (["csv", "tsv"].includes(ending)) return "csv";
  if (["ndjson", "jsonl"].includes(ending)) return "ndjson";
  if (ending === "xml") return "xml";
  const begin = (await file.slice(0, 1024).text()).trimStart();
  return begin.startsWith("<") ? "xml" : begin.startsWith("{") ? "ndjson" : "csv";
}

type Sample = Omit<What, "integrationPointId">;

function previewQuery(tenantCode: string, file: File, sample: Sample) {
  return queryOptions({
    queryKey: ["import-preview", tenantCode, file.name, file.size, file.lastModified, sample],
    queryFn: async ({ signal }) => {
      const text = await textOf(file);
      if (text === null) return null;
      const body = { ...sample, text, isWhole: file.size <= sampleBytes };
      const read = await api<Routes["previewImport"]>("POST", "/tenants/:tenantCode/imports/preview", {
        params: { tenantCode },
        body,
        signal,
      });
      const records = await Promise.all(read.records.map(async (record) => ({ ...record, faults: await toldFaults(record.faults) })));
      const [failure = null] = await toldFaults(read.failure === null ? [] : [read.failure]);
      return { columns: read.columns, records, failure };
    },
    placeholderData: (previous) => previous,
    gcTime: 0,
  });
}

/** How the file begins, or null where that is no UTF-8. A character that is cut at the end is left out. */
async function textOf(file: File): Promise<string | null> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.slice(0, sampleBytes).arrayBuffer(), { stream: true });
  } catch {
    return null;
  }
}

type PreviewProps = { tenantCode: string; file: File; sample: Sample; onMap: (mapping: Record<string, string>) => void };

/** The chosen file, what its columns are taken for, and what its first records would become. */
export function ImportPreview({ tenantCode, file, sample, onMap }: PreviewProps) {
  const t = useText();
  const inBytes = useBytes();
  const asked: Sample = JSON.parse(useSettled(JSON.stringify(sample), typingPauseMs));
  const { data, error, isPending } = useQuery(previewQuery(tenantCode, file, asked));
  return (
    <section aria-label={t("import.preview")} className="grid gap-2 rounded-card border border-line p-3">
      <p className="break-words">
        <bdi className="font-medium">{file.name}</bdi> <span className="whitespace-nowrap text-muted">{inBytes(file.size)}</span>
      </p>
      {data && <ImportColumns columns={data.columns} entityType={sample.entityType} mapping={sample.mapping ?? {}} onChange={onMap} />}
      <div role="status" className="grid gap-2 text-xs">
        {isPending && t("state.loading")}
        {error?.message}
        {data === null && <p className="text-bad">{t("import.notUtf8")}</p>}
        {data && <Records {...data} />}
      </div>
    </section>
  );
}

function Records({ records, failure }: Preview) {
  const t = useText();
  return (
    <>
      {records.length === 0 && !failure && <p className="text-warn">{t("import.noRecord")}</p>}
      {records.length > 0 && (
        <>
          <p className="text-muted">{t("import.wouldRead")}</p>
          <ol tabIndex={0} aria-label={t("import.wouldRead")} className="grid max-h-60 gap-2 overflow-y-auto">
            {records.map(({ line, document, faults }) => (
              <li key={line} className="min-w-0">
                <span className="text-muted">{t("externalItems.line", { line })}</span>
                {document !== null && (
                  <code dir="ltr" className="block break-all whitespace-pre-wrap rtl:text-right">
                    {document}
                  </code>
                )}
                {faults.map(({ path, message }) => (
                  <bdi key={`${path} ${message}`} className="block break-words text-bad rtl:text-right">
                    {path === "" ? message : `${path}: ${message}`}
                  </bdi>
                ))}
              </li>
            ))}
          </ol>
        </>
      )}
      {failure && (
        <p className="text-bad">
          {failure.line !== undefined && t("externalItems.line", { line: failure.line })} <bdi>{failure.message}</bdi>
        </p>
      )}
    </>
  );
}
