import type { Tenant, UserState } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useIntl } from "react-intl";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { roleTexts } from "../session/role-texts.ts";
import { writeTextSearch } from "../text-search.ts";
import { Chip, type Tone } from "../ui/chip.tsx";
import { timeWidth, type Column } from "../ui/data-table/columns.ts";
import { RowLink } from "../ui/row-link.tsx";
import { Time } from "../ui/time.tsx";
import { tenantsQuery } from "../session/workspace.ts";
import type { UserRow } from "./queries.ts";
import type { UserSearch } from "./search.ts";

export const stateTexts: Record<UserState, { text: TextKey; tone: Tone }> = {
  active: { text: "users.state.active", tone: "ok" },
  invited: { text: "users.state.invited", tone: "info" },
  disabled: { text: "users.state.disabled", tone: "neutral" },
};

export function StateChip({ state }: { state: UserState }) {
  const t = useText();
  return <Chip tone={stateTexts[state].tone}>{t(stateTexts[state].text)}</Chip>;
}

export function useUserColumns(search: UserSearch): Column<UserRow>[] {
  const t = useText();
  const { data: known } = useQuery(tenantsQuery);
  const { formatNumber } = useIntl();
  return useMemo(
    () => [
      {
        id: "email",
        header: t("signIn.email"),
        minWidth: 180,
        grow: 2,
        isTitle: true,
        cell: ({ id, email }) => <RowLink href={`/users${writeTextSearch({ ...search, user: id })}`}>{email}</RowLink>,
      },
      { id: "name", header: t("users.name"), minWidth: 120, grow: 1.4, cell: ({ name }) => name || "–" },
      { id: "role", header: t("users.role"), minWidth: 90, grow: 0.7, cell: ({ role }) => t(roleTexts[role]) },
      {
        id: "state",
        header: t("filter.state"),
        minWidth: 104,
        grow: 0.8,
        cell: ({ state }) => <StateChip state={state} />,
      },
      {
        id: "tenants",
        header: t("menu.tenants"),
        minWidth: 120,
        grow: 1.4,
        showFrom: 760,
        cell: ({ role, tenants }) => (role === "admin" ? t("users.everyTenant") : namesOf(tenants, known) || "–"),
      },
      {
        id: "sessions",
        header: t("sessions.title"),
        minWidth: 96,
        grow: 0.5,
        showFrom: 900,
        isNumeric: true,
        cell: ({ sessions }) => formatNumber(sessions),
      },
      {
        id: "lastSeen",
        header: t("sessions.lastSeen"),
        minWidth: timeWidth,
        grow: 0.8,
        cell: ({ lastSeenAt }) => (lastSeenAt === null ? "–" : <Time at={lastSeenAt} />),
      },
    ],
    [t, formatNumber, search, known],
  );
}

function namesOf(codes: readonly string[], known: readonly Tenant[] = []): string {
  return codes.map((code) => known.find((tenant) => tenant.code === code)?.name || code).join(", ");
}
