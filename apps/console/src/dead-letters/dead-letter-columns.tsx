import type { DeadLetter, Subtenant } from "@crossdock/contract";
import { useMemo } from "react";
import { useText } from "../i18n/i18n.tsx";
import { writeTextSearch } from "../text-search.ts";
import { timeWidth, type Column } from "../ui/data-table/columns.ts";
import { RowLink } from "../ui/row-link.tsx";
import { Time } from "../ui/time.tsx";
import { subtenantLabel } from "../session/workspace.ts";
import type { DeadLetterSearch } from "./search.ts";
import { faultText } from "../messages/message-states.ts";

export function useDeadLetterColumns(
  search: DeadLetterSearch,
  subtenants: Pick<Subtenant, "code" | "name">[] | undefined,
): Column<DeadLetter>[] {
  const t = useText();
  return useMemo(() => {
    const subtenantOf = (deadLetter: DeadLetter) => subtenantLabel(subtenants, deadLetter.subtenantCode);
    return [
      {
        id: "key",
        header: t("message.key"),
        minWidth: 112,
        grow: 1.4,
        isTitle: true,
        cell: (deadLetter) => (
          <RowLink href={`/deadletter-list${writeTextSearch({ ...search, message: deadLetter.id })}`} title={deadLetter.key}>
            {deadLetter.key}
          </RowLink>
        ),
      },
      {
        id: "queue",
        header: t("message.queue"),
        minWidth: 128,
        grow: 1.2,
        cell: (deadLetter) => deadLetter.queueName,
      },
      {
        id: "error",
        header: t("message.error"),
        isWide: true,
        minWidth: 112,
        grow: 3,
        cell: ({ error, errorClass }) => {
          const text = error === null ? errorClass : faultText(t, error);
          return <span title={text ?? undefined}>{text ?? "–"}</span>;
        },
      },
      { id: "subtenant", header: t("filter.subtenant"), minWidth: 148, grow: 1, showFrom: 820, cell: subtenantOf },
      {
        id: "attempts",
        header: t("message.attempts"),
        minWidth: 96,
        grow: 0.2,
        showFrom: 700,
        isNumeric: true,
        cell: (deadLetter) => deadLetter.attempts,
      },
      {
        id: "died",
        header: t("message.died"),
        minWidth: timeWidth,
        grow: 0.3,
        cell: (deadLetter) => <Time at={deadLetter.deadAt} />,
      },
      {
        id: "published",
        header: t("message.published"),
        minWidth: timeWidth,
        grow: 0.3,
        showFrom: Number.POSITIVE_INFINITY,
        cell: (deadLetter) => <Time at={deadLetter.publishedAt} />,
      },
      {
        id: "id",
        header: t("message.id"),
        minWidth: 150,
        grow: 0.5,
        showFrom: Number.POSITIVE_INFINITY,
        cell: (deadLetter) => <span className="font-mono">{deadLetter.id}</span>,
      },
    ];
  }, [search, subtenants, t]);
}
