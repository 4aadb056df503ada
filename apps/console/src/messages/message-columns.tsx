import type { Message, Queue, Subtenant } from "@crossdock/contract";
import { useMemo } from "react";
import { entityTypeText } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { writeTextSearch } from "../text-search.ts";
import { timeWidth, type Column } from "../ui/data-table/columns.ts";
import { RowLink } from "../ui/row-link.tsx";
import { Time } from "../ui/time.tsx";
import { subtenantLabel } from "../session/workspace.ts";
import type { QueueSearch } from "./search.ts";
import { StateChip } from "./state-chip.tsx";
import { faultText } from "./message-states.ts";

export function useMessageColumns(
  search: QueueSearch,
  queues: Queue[] | undefined,
  subtenants: Pick<Subtenant, "code" | "name">[] | undefined,
): Column<Message>[] {
  const t = useText();
  return useMemo(() => {
    const targets = new Map(queues?.map((queue) => [queue.id, queue.integrationPoint.name]));
    const targetOf = (message: Message) => targets.get(message.queueId) ?? "–";
    const subtenantOf = (message: Message) => subtenantLabel(subtenants, message.subtenantCode);
    return [
      {
        id: "key",
        header: t("message.key"),
        minWidth: 96,
        grow: 2.5,
        isTitle: true,
        cell: (message) => (
          <RowLink href={`/queue${writeTextSearch({ ...search, message: message.id })}`} title={message.key}>
            {message.key}
          </RowLink>
        ),
      },
      {
        id: "state",
        header: t("message.state"),
        minWidth: 124,
        grow: 0.2,
        cell: (message) => <StateChip state={message.state} />,
      },
      {
        id: "queue",
        header: t("message.queue"),
        minWidth: 128,
        grow: 2,
        cell: (message) => message.queueName,
      },
      { id: "target", header: t("message.target"), minWidth: 128, grow: 1.6, showFrom: 1200, cell: targetOf },
      { id: "subtenant", header: t("filter.subtenant"), minWidth: 112, grow: 1.9, showFrom: 820, cell: subtenantOf },
      {
        id: "source",
        header: t("message.source"),
        minWidth: 112,
        grow: 0.3,
        showFrom: 960,
        cell: (message) => message.source ?? "–",
      },
      {
        id: "attempts",
        header: t("message.attempts"),
        minWidth: 96,
        grow: 0.2,
        showFrom: 700,
        isNumeric: true,
        cell: (message) => message.attempts,
      },
      {
        id: "published",
        header: t("message.published"),
        minWidth: timeWidth,
        grow: 0.4,
        cell: (message) => <Time at={message.publishedAt} />,
      },
      {
        id: "error",
        header: t("message.error"),
        minWidth: 128,
        grow: 2,
        showFrom: 1240,
        cell: (message) => {
          const error = message.error === null ? "" : faultText(t, message.error);
          return <span title={error}>{error}</span>;
        },
      },
      {
        id: "id",
        header: t("message.id"),
        minWidth: 150,
        grow: 0.5,
        showFrom: Number.POSITIVE_INFINITY,
        cell: (message) => <span className="font-mono">{message.id}</span>,
      },
      {
        id: "entityType",
        header: t("message.entityType"),
        minWidth: 110,
        grow: 0.5,
        showFrom: Number.POSITIVE_INFINITY,
        cell: ({ entityType }) => entityTypeText(t, entityType),
      },
    ];
  }, [search, queues, subtenants, t]);
}
