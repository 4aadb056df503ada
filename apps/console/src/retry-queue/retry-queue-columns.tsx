import type { RetryQueueItem, Subtenant } from "@crossdock/contract";
import { useMemo } from "react";
import { useText } from "../i18n/i18n.tsx";
import { writeTextSearch } from "../text-search.ts";
import type { Column } from "../ui/data-table/columns.ts";
import { RowLink } from "../ui/row-link.tsx";
import { Countdown } from "../ui/time.tsx";
import { subtenantLabel } from "../session/workspace.ts";
import type { RetryQueueSearch } from "./search.ts";
import { faultText } from "../messages/message-states.ts";

export function useRetryQueueColumns(
  search: RetryQueueSearch,
  subtenants: Pick<Subtenant, "code" | "name">[] | undefined,
): Column<RetryQueueItem>[] {
  const t = useText();
  return useMemo(() => {
    const subtenantOf = (item: RetryQueueItem) => subtenantLabel(subtenants, item.subtenantCode);
    return [
      {
        id: "key",
        header: t("message.key"),
        minWidth: 112,
        grow: 2.4,
        isTitle: true,
        cell: (item) => (
          <RowLink href={`/retryqueue${writeTextSearch({ ...search, message: item.id })}`} title={item.key}>
            {item.key}
          </RowLink>
        ),
      },
      {
        id: "next",
        header: t("message.nextAttempt"),
        minWidth: 112,
        grow: 0.4,
        cell: (item) => <Countdown at={item.nextAttemptAt} due={t("retryQueue.due")} />,
      },
      {
        id: "queue",
        header: t("message.queue"),
        minWidth: 128,
        grow: 1.2,
        cell: (item) => item.queueName,
      },
      {
        id: "attempts",
        header: t("message.attempts"),
        minWidth: 96,
        grow: 0.2,
        isNumeric: true,
        cell: (item) => item.attempts,
      },
      { id: "subtenant", header: t("filter.subtenant"), minWidth: 148, grow: 1, showFrom: 820, cell: subtenantOf },
      {
        id: "error",
        header: t("message.lastError"),
        isWide: true,
        minWidth: 128,
        grow: 3,
        showFrom: 700,
        cell: ({ error, errorClass }) => {
          const text = error === null ? errorClass : faultText(t, error);
          return <span title={text ?? undefined}>{text ?? "–"}</span>;
        },
      },
      {
        id: "id",
        header: t("message.id"),
        minWidth: 150,
        grow: 0.5,
        showFrom: Number.POSITIVE_INFINITY,
        cell: (item) => <span className="font-mono">{item.id}</span>,
      },
    ];
  }, [search, subtenants, t]);
}
