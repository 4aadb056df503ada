import type { RetryQueueItem, Subtenant } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { DataTable, type Column, type RowSelection } from "../ui/data-table.tsx";
import { Time } from "../ui/time.tsx";
import { subtenantLabel } from "../workspace.ts";

type RetryQueueTableProps = {
  items: RetryQueueItem[];
  subtenants: Pick<Subtenant, "code" | "name">[];
  selection: RowSelection<RetryQueueItem>;
  hasMore: boolean;
  isLoadingMore: boolean;
  onLoadMore: () => void;
};

export function RetryQueueTable({ items, subtenants, ...rest }: RetryQueueTableProps) {
  const t = useText();
  const columns: Column<RetryQueueItem>[] = [
    {
      id: "key",
      header: t("message.key"),
      width: "minmax(7rem, 1.4fr)",
      cell: (item) => (
        <Link
          to="/queue/details/$messageId"
          params={{ messageId: item.id }}
          title={item.key}
          className="font-medium text-primary-ink hover:underline"
        >
          {item.key}
        </Link>
      ),
    },
    { id: "next", header: t("message.nextAttempt"), width: "minmax(7rem, 1fr)", cell: (item) => <Time at={item.nextAttemptAt} /> },
    { id: "queue", header: t("message.queue"), width: "minmax(8rem, 1.2fr)", showFrom: 560, cell: (item) => item.queueName },
    { id: "attempts", header: t("message.attempts"), width: "6rem", showFrom: 460, isNumeric: true, cell: (item) => item.attempts },
    {
      id: "subtenant",
      header: t("filter.subtenant"),
      width: "minmax(7rem, 1fr)",
      showFrom: 820,
      cell: (item) => subtenantLabel(subtenants, item.subtenantCode),
    },
    {
      id: "error",
      header: t("message.lastError"),
      width: "minmax(8rem, 3fr)",
      showFrom: 700,
      cell: (item) => <span title={item.error ?? undefined}>{item.error ?? item.errorClass ?? "–"}</span>,
    },
  ];
  return <DataTable label={t("menu.retryQueue")} rows={items} columns={columns} {...rest} />;
}
