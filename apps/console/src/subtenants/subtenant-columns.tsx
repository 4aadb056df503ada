import type { Routes, SubtenantWithActivity } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useIntl } from "react-intl";
import { api } from "../api/api.ts";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { useIsPermitted } from "../session/session.ts";
import { Switch } from "../ui/choice.tsx";
import type { Column } from "../ui/data-table/columns.ts";
import { InlineText } from "../ui/inline-edit.tsx";
import { RowLink } from "../ui/row-link.tsx";
import { subtenantsQuery } from "../session/workspace.ts";

type SubtenantRow = Omit<SubtenantWithActivity, "id"> & { id: string };

/** The list is here as a whole, so it is sorted here. */
export function sortRows(
  subtenants: SubtenantWithActivity[],
  { key, isDescending }: { key: string; isDescending: boolean },
): SubtenantRow[] {
  const sign = isDescending ? -1 : 1;
  const compare = (one: SubtenantRow, other: SubtenantRow) => {
    if (key === "name") return one.name.localeCompare(other.name);
    if (key === "points") return one.integrationPoints - other.integrationPoints;
    if (key === "incoming") return one.incoming - other.incoming;
    if (key === "outgoing") return one.outgoing - other.outgoing;
    return one.code.localeCompare(other.code);
  };
  return subtenants.map((subtenant) => ({ ...subtenant, id: subtenant.code })).toSorted((one, other) => sign * compare(one, other));
}

export function useSubtenantColumns(tenantCode: string): Column<SubtenantRow>[] {
  const t = useText();
  return useMemo(
    () => [
      {
        id: "code",
        header: t("subtenants.code"),
        minWidth: 116,
        grow: 1.6,
        isTitle: true,
        sortKey: "code",
        cell: (row) => <RowLink href={`/subtenant/${row.code}/dashboard`}>{row.code}</RowLink>,
      },
      {
        id: "name",
        header: t("subtenants.name"),
        minWidth: 160,
        grow: 1.6,
        isEdited: true,
        isWide: true,
        sortKey: "name",
        cell: (row) => <NameOf tenantCode={tenantCode} subtenant={row} />,
      },
      {
        id: "points",
        header: t("subtenants.integrationPoints"),
        minWidth: 160,
        grow: 0.6,
        showFrom: 800,
        isNumeric: true,
        sortKey: "points",
        cell: (row) => <PointsOf subtenant={row} />,
      },
      {
        id: "active",
        header: t("subtenants.active"),
        minWidth: 76,
        grow: 0.6,
        cell: (row) => <SwitchOf tenantCode={tenantCode} subtenant={row} name="active" />,
      },
      {
        id: "debug",
        header: t("subtenants.debugMode"),
        minWidth: 102,
        grow: 0.6,
        cell: (row) => <SwitchOf tenantCode={tenantCode} subtenant={row} name="debug" />,
      },
      {
        id: "incoming",
        header: t("subtenants.incoming"),
        minWidth: 136,
        grow: 1,
        sortKey: "incoming",
        cell: (row) => <Traffic tenantCode={tenantCode} subtenant={row} name="incoming" />,
      },
      {
        id: "outgoing",
        header: t("subtenants.outgoing"),
        minWidth: 136,
        grow: 1,
        sortKey: "outgoing",
        cell: (row) => <Traffic tenantCode={tenantCode} subtenant={row} name="outgoing" />,
      },
    ],
    [tenantCode, t],
  );
}

/** How many there are, and the way to them, also to the first one. */
function PointsOf({ subtenant: { code, integrationPoints } }: { subtenant: SubtenantRow }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const mayOpenConfiguration = useIsPermitted("operate");
  if (!mayOpenConfiguration) return formatNumber(integrationPoints);
  return (
    <Link
      to="/configuration"
      search={{ subtenant: code }}
      title={t("menu.configuration")}
      className="inline-block min-h-6 min-w-6 text-primary-ink hover:underline"
    >
      {formatNumber(integrationPoints)}
    </Link>
  );
}

function NameOf({ tenantCode, subtenant }: Pick<SwitchOfProps, "tenantCode" | "subtenant">) {
  const t = useText();
  const change = useSubtenantChange(tenantCode, subtenant.code);
  const disabledReason = useRoleReason("administer");
  return (
    <InlineText
      label={t("subtenants.name")}
      value={subtenant.name}
      disabledReason={disabledReason}
      onSave={async (name) => name.trim() !== "" && change.mutateAsync({ name: name.trim(), version: subtenant.version })}
    />
  );
}

type SwitchOfProps = { tenantCode: string; subtenant: SubtenantRow; name: "active" | "debug" | "incoming" | "outgoing" };

function SwitchOf({ tenantCode, subtenant, name }: SwitchOfProps) {
  const t = useText();
  const change = useSubtenantChange(tenantCode, subtenant.code);
  const operateReason = useRoleReason("operate");
  const adminReason = useRoleReason("administer");
  const switches = {
    active: { label: t("subtenants.active"), isOn: subtenant.isActive, set: (isActive: boolean) => change.mutate({ isActive }) },
    debug: {
      label: t("subtenants.debugMode"),
      isOn: subtenant.debugMode,
      set: (debugMode: boolean) => change.mutate({ switches: { debugMode } }),
    },
    incoming: {
      label: t("subtenants.incoming"),
      isOn: !subtenant.incomingPaused,
      set: (isOn: boolean) => change.mutate({ switches: { incomingPaused: !isOn } }),
    },
    outgoing: {
      label: t("subtenants.outgoing"),
      isOn: !subtenant.outgoingPaused,
      set: (isOn: boolean) => change.mutate({ switches: { outgoingPaused: !isOn } }),
    },
  };
  const { label, isOn, set } = switches[name];
  return (
    <Switch
      label={`${label}: ${subtenant.code}`}
      isOn={isOn}
      disabledReason={name === "active" ? adminReason : operateReason}
      isBusy={change.isPending}
      onChange={set}
    />
  );
}

/** The last hour's count beside the switch that pauses the traffic. */
function Traffic({ tenantCode, subtenant, name }: SwitchOfProps & { name: "incoming" | "outgoing" }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const isPaused = name === "incoming" ? subtenant.incomingPaused : subtenant.outgoingPaused;
  return (
    <span className="inline-flex items-center gap-3 align-middle">
      <SwitchOf tenantCode={tenantCode} subtenant={subtenant} name={name} />
      <span className="grid leading-4">
        <span className="tabular-nums">{formatNumber(subtenant[name])}</span>
        {isPaused && <span className="text-xs leading-4 font-medium text-warn">{t("subtenants.paused")}</span>}
      </span>
    </span>
  );
}

type Switches = Partial<Pick<SubtenantWithActivity, "debugMode" | "incomingPaused" | "outgoingPaused">>;

/** Switches are an operator's, activation is an admin's: two routes, one mutation. */
function useSubtenantChange(tenantCode: string, subtenantCode: string) {
  const client = useQueryClient();
  const params = { tenantCode, subtenantCode };
  return useMutation({
    mutationFn: (change: { isActive: boolean } | { name: string; version: number } | { switches: Switches }) => {
      if ("switches" in change)
        return api<Routes["switchSubtenant"]>("PATCH", "/tenants/:tenantCode/subtenants/:subtenantCode/switches", {
          params,
          body: change.switches,
        });
      const { version: ifVersion, ...body } = { version: undefined, ...change };
      return api<Routes["updateSubtenant"]>("PATCH", "/tenants/:tenantCode/subtenants/:subtenantCode", {
        params,
        body,
        ...(ifVersion !== undefined && { ifVersion }),
      });
    },
    onSettled: () => client.invalidateQueries({ queryKey: subtenantsQuery(tenantCode).queryKey }),
    onError: useFailureNotice(),
  });
}
