import type { CsvImported } from "@crossdock/contract";
import { useMutation } from "@tanstack/react-query";
import { toldFaults } from "./api/api.ts";
import { useFailureText } from "./api/failure-notice.ts";
import { useText } from "./i18n/i18n.tsx";
import { Button } from "./ui/button.tsx";
import { FileField } from "./ui/file-field.tsx";
import { CancelButton, Refusal } from "./ui/form-footer.tsx";
import { Modal } from "./ui/modal.tsx";
import { noticeSuccess, type NoticeAction } from "./ui/notice.tsx";
import { useRefresh } from "./live/use-refresh.ts";
import { whyUnreadable } from "./unreadable.ts";

type ImportBody = { csv: string; isDryRun: boolean };
/** `undo` takes it back, where something can. */
type Imported = CsvImported & { undo?: NoticeAction | undefined };

type ImportDialogProps = {
  tenantCode: string;
  hint: string;
  /** Checks or, when it isn't a dry run, writes. */
  send: (body: ImportBody) => Promise<Imported>;
  imported: (count: number) => string;
  onClose: () => void;
};

/** A file is first checked, line by line; only one without errors can be imported, and only as a whole. */
export default function ImportDialog({ tenantCode, hint, send, imported, onClose }: ImportDialogProps) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  const textOf = useFailureText();
  // Of files chosen one after the other only the last one's check counts: `csv` is of the file that `result` tells of.
  const check = useMutation({
    mutationFn: async (file: Blob) => {
      const fault = await whyUnreadable(file);
      if (fault) return { fault };
      const csv = await file.text();
      const found = await send({ csv, isDryRun: true });
      return { csv, result: { ...found, errors: await toldFaults(found.errors) } };
    },
  });
  const write = useMutation({
    mutationFn: send,
    onSuccess: ({ errorCount }) => (errorCount > 0 ? undefined : refresh()),
  });
  const { csv = "", result, fault } = check.data ?? {};
  const refused = write.error ?? check.error;
  const isReady = result !== undefined && result.errorCount === 0 && result.created + result.updated > 0;

  function choose(file: File): void {
    write.reset();
    check.mutate(file);
  }

  function importAll(): void {
    write.mutate(
      { csv, isDryRun: false },
      {
        onSuccess: ({ created, updated, errorCount, undo }) => {
          // Somebody changed something since the check.
          if (errorCount > 0) return check.mutate(new Blob([csv]));
          noticeSuccess(imported(created + updated), undo);
          return onClose();
        },
      },
    );
  }

  return (
    <Modal title={t("externalItems.import")} description={hint} onClose={onClose} isHeld={write.isPending}>
      <div className="mt-4 grid gap-4">
        <FileField label={t("externalItems.file")} accept=".csv,text/csv" onChoose={choose} />
        <div role="status" className="min-h-6">
          {check.isPending && t("state.loading")}
          {fault && <p className="rounded-card bg-bad-soft p-3 text-bad">{t(fault)}</p>}
          {result && <Result result={result} />}
        </div>
        {refused && <Refusal>{textOf(refused)}</Refusal>}
        <div className="flex flex-wrap justify-end gap-2">
          <CancelButton />
          <Button
            look="primary"
            isBusy={write.isPending}
            disabledReason={isReady ? null : t("externalItems.chooseFirst")}
            onClick={importAll}
          >
            {t("externalItems.importAction")}
          </Button>
        </div>
      </div>
    </Modal>
  );
}

function Result({ result: { created, updated, unchanged, errors, errorCount } }: { result: CsvImported }) {
  const t = useText();
  if (errorCount === 0)
    return <p className="rounded-card bg-ok-soft p-3 text-ok">{t("externalItems.wouldDo", { created, updated, unchanged })}</p>;
  return (
    <div className="rounded-card bg-bad-soft p-3 text-bad">
      <p className="font-medium">{t("externalItems.errors", { count: errorCount })}</p>
      <ol tabIndex={0} aria-label={t("externalItems.errors", { count: errorCount })} className="mt-1 grid max-h-60 gap-1 overflow-y-auto">
        {errors.map(({ line, message }, index) => (
          <li key={index} className="break-words">
            {t("externalItems.line", { line })} <bdi>{message}</bdi>
          </li>
        ))}
      </ol>
    </div>
  );
}
