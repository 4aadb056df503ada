import type { DeadLetter, Subtenant } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { RotateCcw, Trash2 } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { DataTable, type Column } from "../ui/data-table.tsx";
import { SelectionBar } from "../ui/selection-bar.tsx";
import { Time } from "../ui/time.tsx";
import { subtenantLabel } from "../workspace.ts";

type DeadLetterTableProps = {
  deadLetters: DeadLetter[];
  subtenants: Pick<Subtenant, "code" | "name">[];
  chosen: ReadonlySet<string>;
  onChoose: (ids: ReadonlySet<string>) => void;
  onAsk: (verb: "requeue" | "remove") => void;
  hasMore: boolean;
  isLoadingMore: boolean;
  onLoadMore: () => void;
};

export function DeadLetterTable({ deadLetters, subtenants, chosen, onChoose, onAsk, ...paging }: DeadLetterTableProps) {
  const t = useText();
  const disabledReason = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const columns: Column<DeadLetter>[] = [
    {
      id: "key",
      header: t("message.key"),
      width: "minmax(7rem, 1.4fr)",
      cell: (deadLetter) => (
        <Link
          to="/deadletter/details/$queue/$id"
          params={{ queue: deadLetter.queueName, id: deadLetter.id }}
          title={deadLetter.key}
          className="font-medium text-primary-ink hover:underline"
        >
          {deadLetter.key}
        </Link>
      ),
    },
    { id: "queue", header: t("message.queue"), width: "minmax(8rem, 1.2fr)", showFrom: 560, cell: (deadLetter) => deadLetter.queueName },
    {
      id: "error",
      header: t("message.error"),
      width: "minmax(7rem, 3fr)",
      cell: (deadLetter) => <span title={deadLetter.error ?? undefined}>{deadLetter.error ?? deadLetter.errorClass ?? "–"}</span>,
    },
    {
      id: "subtenant",
      header: t("filter.subtenant"),
      width: "minmax(7rem, 1fr)",
      showFrom: 820,
      cell: (deadLetter) => subtenantLabel(subtenants, deadLetter.subtenantCode),
    },
    {
      id: "attempts",
      header: t("message.attempts"),
      width: "6rem",
      showFrom: 700,
      isNumeric: true,
      cell: (deadLetter) => deadLetter.attempts,
    },
    { id: "died", header: t("message.died"), width: "7.5rem", showFrom: 460, cell: (deadLetter) => <Time at={deadLetter.deadAt} /> },
  ];
  return (
    <>
      <SelectionBar count={chosen.size} onClear={() => onChoose(new Set())}>
        <Button look="primary" disabledReason={disabledReason} onClick={() => onAsk("requeue")}>
          <RotateCcw aria-hidden className="size-4" />
          {t("action.requeue")}
        </Button>
        <Button look="danger" disabledReason={disabledReason} onClick={() => onAsk("remove")}>
          <Trash2 aria-hidden className="size-4" />
          {t("action.remove")}
        </Button>
      </SelectionBar>
      <DataTable
        label={t("menu.deadLetters")}
        rows={deadLetters}
        columns={columns}
        selection={{ ids: chosen, onChange: onChoose, labelOf: (deadLetter) => deadLetter.key }}
        {...paging}
      />
    </>
  );
}
