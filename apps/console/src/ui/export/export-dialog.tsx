import { useState } from "react";
import { useIntl } from "react-intl";
import { useText } from "../../i18n/i18n.tsx";
import { Button } from "../button.tsx";
import type { Column } from "../data-table/columns.ts";
import { Checkbox, RadioGroup } from "../choice.tsx";
import { Modal } from "../modal.tsx";
import type { PageReader } from "../list-query.ts";
import { csvWriter, ndjsonWriter } from "./rows-to-text.ts";
import { useExport } from "./use-export.ts";

type ExportDialogProps<Row> = { name: string; label: string; columns: Column<Row>[]; readPage: PageReader<Row>; onClose: () => void };

const formats = ["csv", "ndjson"] as const;
type Format = (typeof formats)[number];

/** Saves everything that matches the list's filter, loaded or not. */
export default function ExportDialog<Row>({ name, label, columns, readPage, onClose }: ExportDialogProps<Row>) {
  const t = useText();
  const [format, setFormat] = useState<Format>("csv");
  const [hasByteOrderMark, setHasByteOrderMark] = useState(false);
  const { state, start, cancel } = useExport(readPage, name);
  const isRunning = state.kind === "running";

  function begin(): void {
    const exported = columns.flatMap((column) =>
      column.value ? [{ header: column.header, value: (row: Row) => column.value?.(row) ?? null }] : [],
    );
    start(format === "csv" ? csvWriter(exported, { hasByteOrderMark }) : ndjsonWriter());
  }

  return (
    <Modal title={t("export.titleOf", { list: label })} description={t("export.hint")} onClose={onClose}>
      <div className="mt-4 grid gap-4">
        <RadioGroup
          label={t("export.format")}
          value={format}
          onChange={setFormat}
          isDisabled={isRunning}
          options={[
            { value: "csv", label: "CSV", hint: t("export.csvHint") },
            { value: "ndjson", label: "NDJSON", hint: t("export.ndjsonHint") },
          ]}
        />
        {format === "csv" && (
          <Checkbox label={t("export.byteOrderMark")} isOn={hasByteOrderMark} onChange={setHasByteOrderMark} isDisabled={isRunning} />
        )}
        <ExportProgress state={state} />
        <div className="flex flex-wrap justify-end gap-2">
          {isRunning ? <Button onClick={cancel}>{t("action.cancel")}</Button> : <Button onClick={onClose}>{t("action.close")}</Button>}
          <Button look="primary" isBusy={isRunning} onClick={begin}>
            {t("export.start")}
          </Button>
        </div>
      </div>
    </Modal>
  );
}

function ExportProgress({ state }: { state: ReturnType<typeof useExport>["state"] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  return (
    <div className="min-h-8">
      {state.kind === "running" && (
        <div role="progressbar" aria-label={t("export.title")} className="h-1 overflow-hidden rounded-full bg-line">
          <div className="h-full animate-pulse rounded-full bg-primary" />
        </div>
      )}
      <p role="status" className="mt-1 text-muted">
        {state.kind === "running" && t("export.rows", { count: state.rows, shown: formatNumber(state.rows) })}
        {state.kind === "done" && t("export.saved", { count: state.rows, shown: formatNumber(state.rows) })}
        {state.kind === "failed" && <span className="text-bad">{state.message}</span>}
      </p>
    </div>
  );
}
