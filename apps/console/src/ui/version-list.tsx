import { useId, useState, type ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";
import { TextField } from "./field.tsx";
import { FoldMark } from "./fold-mark.tsx";
import { ExactTime } from "./time.tsx";
import type { List } from "./use-list.ts";

type VersionRow = { id: string; version: number; madeAt: string; madeBy: string; restored: number | null; reason: string | null };

type VersionListProps<Row extends VersionRow> = {
  list: List<Row>;
  /** What a closed version says beside its author and time. */
  summary?: (row: Row) => ReactNode;
  /** What an open version shows; `previous` is the one before it, as far as it is loaded. */
  details: (row: Row, previous: Row | undefined) => ReactNode;
};

/** Versions with author, time and reason, the newest first; one is opened for what it changed and the way back to it. */
export function VersionList<Row extends VersionRow>({ list, summary, details }: VersionListProps<Row>) {
  const t = useText();
  return (
    <>
      <ol>
        {list.rows.map((row, index) => (
          <li key={row.id} className="border-b border-line last:border-b-0">
            <Version row={row} summary={summary?.(row)} details={() => details(row, list.rows[index + 1])} />
          </li>
        ))}
      </ol>
      {list.hasMore && (
        <div className="p-4">
          <Button isBusy={list.isLoadingMore} onClick={list.loadMore}>
            {t("version.older")}
          </Button>
        </div>
      )}
    </>
  );
}

function Version({ row, summary, details }: { row: VersionRow; summary: ReactNode; details: () => ReactNode }) {
  const t = useText();
  const [isOpen, setIsOpen] = useState(false);
  const { version, madeAt, madeBy, restored, reason } = row;
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover">
        <span className="flex items-center gap-2 font-semibold">
          <FoldMark />
          {t("version.title", { version })}
        </span>
        <ExactTime at={madeAt} />
        <bdi>{madeBy}</bdi>
        {summary && <span className="text-muted">{summary}</span>}
        {restored !== null && <span className="text-muted">{t("version.restored", { version: restored })}</span>}
        {reason && <bdi className="w-full text-muted">{reason}</bdi>}
      </summary>
      {isOpen && <div className="grid gap-4 px-4 pt-1 pb-4">{details()}</div>}
    </details>
  );
}

type RollBackFormProps = { version: number; isBusy: boolean; disabledReason: string | null; onRollBack: (reason: string) => void };

export function RollBackForm({ version, isBusy, disabledReason, onRollBack }: RollBackFormProps) {
  const t = useText();
  const id = useId();
  const [reason, setReason] = useState("");
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (disabledReason === null) onRollBack(reason.trim());
      }}
    >
      <TextField
        id={id}
        className="min-w-48 flex-1"
        label={t("version.reasonOptional")}
        maxLength={500}
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <Button type="submit" look="primary" isBusy={isBusy} disabledReason={disabledReason}>
        {t("version.rollBack", { version })}
      </Button>
    </form>
  );
}
