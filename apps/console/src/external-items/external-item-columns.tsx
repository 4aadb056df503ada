import type { ExternalItem, Subtenant } from "@crossdock/contract";
import { useMemo } from "react";
import { entityTypeText } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { DeletedChip } from "../deleted-chip.tsx";
import { timeWidth, type Column } from "../ui/data-table/columns.ts";
import { RowLink } from "../ui/row-link.tsx";
import { writeTextSearch } from "../text-search.ts";
import { Time } from "../ui/time.tsx";
import { subtenantLabel } from "../session/workspace.ts";

/** The way of what the item stands for, also where no message is kept. */
function traceOf({ key, entityType, subtenantCode, integrationPointId, messageId }: ExternalItem): string {
  if (messageId !== null) return `/queue/details/${messageId}?view=trace`;
  const point = String(integrationPointId);
  return `/entities${writeTextSearch({ entity: entityType, object: key, of: subtenantCode, point, view: "trace" })}`;
}

export function useExternalItemColumns(
  subtenants: Pick<Subtenant, "code" | "name">[] | undefined,
  isRemoved: boolean,
): Column<ExternalItem>[] {
  const t = useText();
  return useMemo(() => {
    const subtenantOf = (item: ExternalItem) => subtenantLabel(subtenants, item.subtenantCode);
    const columns: Column<ExternalItem>[] = [
      {
        id: "key",
        header: t("filter.key"),
        minWidth: 120,
        grow: 1.6,
        isTitle: true,
        cell: (item) => (
          <span className="inline-flex max-w-full min-w-0 items-center gap-2 align-bottom rtl:[direction:rtl]">
            <RowLink href={traceOf(item)}>{item.key}</RowLink>
            <DeletedChip at={item.deletedAt} />
          </span>
        ),
      },
      {
        id: "externalId",
        header: t("externalItems.externalId"),
        minWidth: 120,
        grow: 1.4,
        cell: ({ externalId }) => <span dir="ltr">{externalId ?? "–"}</span>,
      },
      {
        id: "entityType",
        header: t("message.entityType"),
        minWidth: 110,
        grow: 0.8,
        cell: ({ entityType }) => entityTypeText(t, entityType),
      },
      {
        id: "point",
        header: t("external.integrationPoint"),
        minWidth: 128,
        grow: 1.4,
        cell: ({ integrationPointName }) => integrationPointName,
      },
      { id: "subtenant", header: t("filter.subtenant"), minWidth: 148, grow: 1.2, showFrom: 820, cell: subtenantOf },
      {
        id: "hash",
        header: t("externalItems.hash"),
        minWidth: 100,
        grow: 0.8,
        showFrom: 960,
        cell: ({ hash }) => (
          <span className="font-mono" title={hash ?? undefined}>
            {hash === null ? "–" : hash.slice(0, 10)}
          </span>
        ),
      },
      {
        id: "delivered",
        header: t("externalItems.delivered"),
        minWidth: timeWidth,
        grow: 1,
        cell: ({ deliveredAt }) => (deliveredAt === null ? t("externalItems.never") : <Time at={deliveredAt} />),
      },
    ];
    if (isRemoved) {
      columns.push(
        {
          id: "removedAt",
          header: t("external.removedAt"),
          minWidth: timeWidth,
          grow: 1,
          cell: ({ removedAt }) => removedAt !== null && <Time at={removedAt} />,
        },
        {
          id: "removedBy",
          header: t("external.removedBy"),
          minWidth: 100,
          grow: 1,
          cell: ({ removedBy }) => removedBy,
        },
      );
    }
    return columns;
  }, [subtenants, isRemoved, t]);
}
