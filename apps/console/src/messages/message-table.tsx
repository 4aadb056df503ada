import type { Message, Queue, Subtenant } from "@crossdock/contract";
import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { DataTable, type Column } from "../ui/data-table.tsx";
import { Time } from "../ui/time.tsx";
import { subtenantLabel } from "../workspace.ts";
import { StateChip } from "./state-chip.tsx";

type MessageTableProps = {
  messages: Message[];
  queues: Queue[];
  subtenants: Pick<Subtenant, "code" | "name">[];
  hasMore: boolean;
  isLoadingMore: boolean;
  onLoadMore: () => void;
};

export function MessageTable({ messages, queues, subtenants, ...paging }: MessageTableProps) {
  const t = useText();
  const targets = new Map(queues.map((queue) => [queue.id, queue.integrationPoint.name]));
  const columns: Column<Message>[] = [
    {
      id: "key",
      header: t("message.key"),
      width: "minmax(6rem, 2fr)",
      cell: (message) => (
        <Link
          to="/queue/details/$messageId"
          params={{ messageId: message.id }}
          title={message.key}
          className="font-medium text-primary-ink after:absolute after:inset-0 hover:underline"
        >
          {message.key}
        </Link>
      ),
    },
    { id: "state", header: t("message.state"), width: "minmax(7rem, 1.4fr)", cell: (message) => <StateChip state={message.state} /> },
    { id: "queue", header: t("message.queue"), width: "minmax(8rem, 1.4fr)", showFrom: 560, cell: (message) => message.queueName },
    {
      id: "target",
      header: t("message.target"),
      width: "minmax(8rem, 1.6fr)",
      showFrom: 1080,
      cell: (message) => targets.get(message.queueId) ?? "–",
    },
    {
      id: "subtenant",
      header: t("filter.subtenant"),
      width: "minmax(7rem, 1.4fr)",
      showFrom: 820,
      cell: (message) => subtenantLabel(subtenants, message.subtenantCode),
    },
    { id: "source", header: t("message.source"), width: "minmax(6rem, 1fr)", showFrom: 960, cell: (message) => message.source ?? "–" },
    { id: "attempts", header: t("message.attempts"), width: "6rem", showFrom: 700, isNumeric: true, cell: (message) => message.attempts },
    {
      id: "published",
      header: t("message.published"),
      width: "minmax(6rem, 1.1fr)",
      cell: (message) => <Time at={message.publishedAt} />,
    },
    {
      id: "error",
      header: t("message.error"),
      width: "minmax(8rem, 2fr)",
      showFrom: 1240,
      cell: (message) => <span title={message.error ?? undefined}>{message.error ?? ""}</span>,
    },
  ];
  return <DataTable label={t("menu.queue")} rows={messages} columns={columns} {...paging} />;
}
