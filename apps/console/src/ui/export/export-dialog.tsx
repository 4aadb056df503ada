import { useId, useState } from "react";
import { useText } from "../../i18n/i18n.tsx";
import { useIsPermitted } from "../../session/session.ts";
import { Button } from "../button.tsx";
import { Checkbox, RadioGroup } from "../choice.tsx";
import { TextField } from "../field.tsx";
import { CancelButton } from "../form-footer.tsx";
import { Modal } from "../modal.tsx";
import { ExportProgress } from "./export-progress.tsx";
import { useExport, type ExportSource } from "./use-export.ts";

type ExportDialogProps = { label: string; source: ExportSource; onClose: () => void };

const formats = ["csv", "ndjson"] as const;
type Format = (typeof formats)[number];

/** Saves everything that matches the list's filter, loaded or not. */
export default function ExportDialog({ label, source, onClose }: ExportDialogProps) {
  const t = useText();
  const [format, setFormat] = useState<Format>("csv");
  const [hasByteOrderMark, setHasByteOrderMark] = useState(false);
  const [hasDocuments, setHasDocuments] = useState(false);
  const [reason, setReason] = useState("");
  const mayReveal = useIsPermitted("reveal");
  const id = useId();
  const { state, start, cancel } = useExport(source);
  const isRunning = state.kind === "running";
  const isMasked = hasDocuments || source.isMasked === true;

  function begin(): void {
    start({
      format,
      ...(format === "csv" && hasByteOrderMark && { byteOrderMark: "true" }),
      ...(hasDocuments && { documents: "true" }),
      ...(isMasked && mayReveal && reason.trim() !== "" && { reason: reason.trim() }),
    });
  }

  return (
    <Modal
      title={t("export.titleOf", { list: label })}
      {...(source.isMasked !== true && { description: t("export.hint") })}
      isDraft={false}
      onClose={onClose}
    >
      <div className="mt-4 grid grid-cols-1 gap-4">
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
        {source.hasDocuments && (
          <Checkbox label={t("export.documents")} isOn={hasDocuments} onChange={setHasDocuments} isDisabled={isRunning} />
        )}
        {isMasked && mayReveal && (
          <TextField
            id={`${id}-reason`}
            label={t("export.reason")}
            value={reason}
            maxLength={500}
            autoComplete="off"
            disabled={isRunning}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
        <ExportProgress state={state} />
        <div className="flex flex-wrap justify-end gap-2">
          {isRunning ? <Button onClick={cancel}>{t("action.cancel")}</Button> : <CancelButton label="action.close" />}
          <Button look="primary" isBusy={isRunning} onClick={begin}>
            {t("export.start")}
          </Button>
        </div>
      </div>
    </Modal>
  );
}
