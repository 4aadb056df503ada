import type { AuditEvent } from "@crossdock/contract";
import { useMemo } from "react";
import { useText } from "../i18n/i18n.tsx";
import { writeTextSearch } from "../text-search.ts";
import { Chip } from "../ui/chip.tsx";
import { timeWidth, type Column } from "../ui/data-table/columns.ts";
import { RowLink } from "../ui/row-link.tsx";
import { Time } from "../ui/time.tsx";
import { actionText } from "./action-texts.ts";
import { fieldChanges } from "./changes.ts";
import { FirstChanges } from "./field-changes.tsx";
import { ObjectLink } from "./object-link.tsx";
import type { AuditSearch } from "./search.ts";

export function useAuditColumns(search: AuditSearch): Column<AuditEvent>[] {
  const t = useText();
  return useMemo(
    () => [
      {
        id: "action",
        header: t("audit.action"),
        minWidth: 160,
        grow: 1.8,
        isTitle: true,
        cell: ({ id, action }) => (
          <RowLink href={`/audit-log${writeTextSearch({ ...search, event: id })}`}>{actionText(action, t)}</RowLink>
        ),
      },
      {
        id: "outcome",
        header: t("audit.outcome"),
        minWidth: 96,
        grow: 0.8,
        cell: ({ outcome }) => <Outcome outcome={outcome} />,
      },
      {
        id: "actor",
        header: t("audit.actor"),
        minWidth: 110,
        grow: 1.2,
        cell: ({ actorName }) => <bdi>{actorName ?? t("audit.stranger")}</bdi>,
      },
      {
        id: "target",
        header: t("audit.target"),
        minWidth: 120,
        grow: 1.8,
        isWide: true,
        isTwoLined: true,
        cell: (event) => (
          <span className="line-clamp-2 leading-[1.0625rem] break-words whitespace-normal">
            <ObjectLink event={event} />
          </span>
        ),
      },
      {
        id: "changes",
        header: t("audit.changes"),
        minWidth: 150,
        grow: 2,
        isWide: true,
        isTwoLined: true,
        showFrom: 960,
        cell: (event) => <FirstChanges changes={isChange(event) ? fieldChanges(event) : []} />,
      },
      {
        id: "tenant",
        header: t("sidebar.tenant"),
        minWidth: 140,
        grow: 0.9,
        showFrom: 720,
        cell: ({ tenantCode }) => tenantCode ?? t("audit.installation"),
      },
      {
        id: "address",
        header: t("audit.address"),
        minWidth: 100,
        grow: 0.9,
        showFrom: 1280,
        cell: ({ address }) => <span dir="ltr">{address}</span>,
      },
      {
        id: "reason",
        header: t("audit.reason"),
        isWide: true,
        minWidth: 110,
        grow: 1.2,
        showFrom: 1120,
        cell: ({ reason }) => reason ?? "–",
      },
      { id: "at", header: t("audit.at"), minWidth: timeWidth, grow: 1, cell: ({ at }) => <Time at={at} /> },
    ],
    [search, t],
  );
}

/** What was made anew or went away is told by its object's name. */
const isChange = ({ before, after }: AuditEvent): boolean => before !== null && after !== null;

export function Outcome({ outcome }: Pick<AuditEvent, "outcome">) {
  const t = useText();
  return outcome === "done" ? <Chip tone="ok">{t("audit.done")}</Chip> : <Chip tone="bad">{t("audit.denied")}</Chip>;
}
