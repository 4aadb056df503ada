import type { ExternalMessage, Subtenant } from "@crossdock/contract";
import { useMemo } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import type { Column } from "../ui/data-table/columns.ts";
import { RowLink } from "../ui/row-link.tsx";
import { Time } from "../ui/time.tsx";
import { subtenantLabel } from "../workspace.ts";
import { ExternalStateChip } from "./external-state-chip.tsx";

export function useExternalMessageColumns(subtenants: Pick<Subtenant, "code" | "name">[] | undefined): Column<ExternalMessage>[] {
  const t = useText();
  const { formatNumber } = useIntl();
  return useMemo(() => {
    const subtenantOf = (message: ExternalMessage) => subtenantLabel(subtenants, message.subtenantCode);
    const columns: Column<ExternalMessage>[] = [
      {
        id: "key",
        header: t("filter.key"),
        minWidth: 130,
        grow: 1.8,
        isTitle: true,
        cell: ({ id, key }) => <RowLink href={`/externalmessages/details/${id}`}>{key ?? <span className="font-mono">{id}</span>}</RowLink>,
      },
      {
        id: "state",
        header: t("filter.state"),
        minWidth: 112,
        grow: 1.2,
        cell: (message) => <ExternalStateChip {...message} />,
      },
      {
        id: "entityType",
        header: t("message.entityType"),
        minWidth: 96,
        grow: 0.8,
        cell: ({ entityType }) => entityType ?? "–",
      },
      {
        id: "point",
        header: t("external.integrationPoint"),
        minWidth: 128,
        grow: 1.4,
        showFrom: 700,
        cell: ({ integrationPointName }) => integrationPointName ?? "–",
      },
      { id: "subtenant", header: t("filter.subtenant"), minWidth: 148, grow: 1.2, showFrom: 900, cell: subtenantOf },
      {
        id: "source",
        header: t("message.source"),
        minWidth: 96,
        grow: 0.9,
        showFrom: 1040,
        cell: ({ source }) => source ?? "–",
      },
      {
        id: "size",
        header: t("external.size"),
        minWidth: 90,
        grow: 0.4,
        showFrom: 1040,
        isNumeric: true,
        cell: ({ sizeBytes }) => formatNumber(sizeBytes, { style: "unit", unit: "byte", unitDisplay: "narrow" }),
      },
      {
        id: "received",
        header: t("external.received"),
        minWidth: 100,
        grow: 1,
        cell: ({ receivedAt }) => <Time at={receivedAt} />,
      },
      {
        id: "id",
        header: t("message.id"),
        minWidth: 150,
        grow: 0.5,
        showFrom: 1240,
        cell: ({ id }) => <span className="font-mono">{id}</span>,
      },
    ];
    return columns;
  }, [subtenants, t, formatNumber]);
}
