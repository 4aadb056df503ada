import type { ExternalMessage, Fault, Subtenant } from "@crossdock/contract";
import { useMemo } from "react";
import { entityTypeText } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { useBytes } from "../ui/bytes.ts";
import { timeWidth, type Column } from "../ui/data-table/columns.ts";
import { RowLink } from "../ui/row-link.tsx";
import { Time } from "../ui/time.tsx";
import { subtenantLabel } from "../session/workspace.ts";
import { ExternalStateChip } from "./external-state-chip.tsx";

/** `isOfRefused`: the list is of those that were not taken, each for a reason. */
export function useExternalMessageColumns(
  subtenants: Pick<Subtenant, "code" | "name">[] | undefined,
  isOfRefused: boolean,
): Column<ExternalMessage>[] {
  const t = useText();
  const inBytes = useBytes();
  return useMemo(() => {
    // Where each has a reason, that has the room of what is seldom asked for.
    const seldom = isOfRefused ? Number.POSITIVE_INFINITY : 1040;
    const subtenantOf = (message: ExternalMessage) => subtenantLabel(subtenants, message.subtenantCode);
    const columns: Column<ExternalMessage>[] = [
      {
        id: "key",
        header: t("filter.key"),
        // Most that are refused have no key, and go by their id.
        minWidth: isOfRefused ? 156 : 130,
        grow: 1.8,
        isTitle: true,
        cell: ({ id, key }) => <RowLink href={`/externalmessages/details/${id}`}>{key ?? <span className="font-mono">{id}</span>}</RowLink>,
      },
      {
        id: "state",
        header: t("filter.state"),
        minWidth: 112,
        grow: 1.2,
        cell: ({ state, removedAt }) => <ExternalStateChip state={state} removedAt={removedAt} />,
      },
      {
        id: "reason",
        header: t("external.reason"),
        isWide: true,
        minWidth: 200,
        grow: 4,
        showFrom: isOfRefused ? 0 : Number.POSITIVE_INFINITY,
        cell: ({ reason }) => reason && <Reason reason={reason} />,
      },
      {
        id: "entityType",
        header: t("message.entityType"),
        minWidth: 110,
        grow: 0.8,
        cell: ({ entityType }) => (entityType === null ? "–" : entityTypeText(t, entityType)),
      },
      {
        id: "point",
        header: t("external.integrationPoint"),
        minWidth: 160,
        grow: 1.4,
        showFrom: isOfRefused ? 910 : 700,
        cell: ({ integrationPointName }) => integrationPointName ?? "–",
      },
      { id: "subtenant", header: t("filter.subtenant"), minWidth: 148, grow: 1.2, showFrom: isOfRefused ? 1060 : 900, cell: subtenantOf },
      {
        id: "source",
        header: t("message.source"),
        minWidth: 96,
        grow: 0.9,
        showFrom: seldom,
        cell: ({ source }) => source ?? "–",
      },
      {
        id: "size",
        header: t("external.size"),
        minWidth: 104,
        grow: 0.4,
        showFrom: seldom,
        isNumeric: true,
        cell: ({ sizeBytes }) => inBytes(sizeBytes),
      },
      {
        id: "received",
        header: t("external.received"),
        minWidth: timeWidth,
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
  }, [subtenants, isOfRefused, t, inBytes]);
}

function Reason({ reason: { path, message } }: { reason: Fault }) {
  return (
    <span className="text-bad">
      {path !== "" && (
        <bdi dir="ltr" className="font-mono text-xs">
          {path}
        </bdi>
      )}{" "}
      {message}
    </span>
  );
}
