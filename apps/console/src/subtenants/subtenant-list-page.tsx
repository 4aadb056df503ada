import type { Routes, SubtenantWithActivity } from "@crossdock/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useIntl } from "react-intl";
import { api } from "../api.ts";
import { useText } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { useIsPermitted } from "../session.ts";
import { Switch } from "../ui/choice.tsx";
import { noticeError } from "../ui/notice.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { subtenantsQuery } from "../workspace.ts";

export function SubtenantListPage() {
  const t = useText();
  return (
    <>
      <PageHeader title={t("menu.subtenants")} hint={t("subtenants.hint")} />
      <WithTenant>{(tenantCode) => <Subtenants key={tenantCode} tenantCode={tenantCode} />}</WithTenant>
    </>
  );
}

function Subtenants({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const { data: subtenants, error, refetch } = useQuery(subtenantsQuery(tenantCode));
  return (
    <Card>
      {error && !subtenants && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
      {!error && !subtenants && <Loading />}
      {subtenants?.length === 0 && <EmptyState title={t("state.noRecord")} />}
      {subtenants && subtenants.length > 0 && <SubtenantTable tenantCode={tenantCode} subtenants={subtenants} />}
    </Card>
  );
}

/** On a phone each row becomes a block of named values, so nothing has to scroll sideways. */
function SubtenantTable({ tenantCode, subtenants }: { tenantCode: string; subtenants: SubtenantWithActivity[] }) {
  const t = useText();
  const headers = [
    t("subtenants.code"),
    t("subtenants.integrationPoints"),
    t("subtenants.active"),
    t("subtenants.debugMode"),
    t("subtenants.incoming"),
    t("subtenants.outgoing"),
  ];
  return (
    <table className="w-full text-start max-md:block">
      <thead className="max-md:sr-only">
        <tr>
          {headers.map((header, index) => (
            <th
              key={header}
              scope="col"
              className={`px-4 py-3 text-xs font-semibold text-muted ${index === 1 ? "text-end" : "text-start"}`}
            >
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody className="max-md:block">
        {subtenants.map((subtenant) => (
          <SubtenantRow key={subtenant.code} tenantCode={tenantCode} subtenant={subtenant} headers={headers} />
        ))}
      </tbody>
    </table>
  );
}

type Switches = Partial<Pick<SubtenantWithActivity, "debugMode" | "incomingPaused" | "outgoingPaused">>;

function SubtenantRow({ tenantCode, subtenant, headers }: { tenantCode: string; subtenant: SubtenantWithActivity; headers: string[] }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const change = useSubtenantChange(tenantCode, subtenant.code);
  const operateReason = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const adminReason = useIsPermitted("administer") ? null : t("role.adminOnly");
  const [, points = "", active = "", debug = "", incoming = "", outgoing = ""] = headers;
  const flip = (switches: Switches) => change.mutate({ switches });
  return (
    <tr className="border-t border-line hover:bg-hover max-md:grid max-md:grid-cols-2 max-md:p-2">
      <th scope="row" className="px-4 py-3 text-start font-normal max-md:col-span-2 max-md:px-2">
        <Link to="/queue" search={{ subtenant: subtenant.code }} className="font-medium text-primary-ink hover:underline">
          {subtenant.code}
        </Link>
        <span className="block truncate text-xs text-muted">{subtenant.name}</span>
      </th>
      <Cell name={points} isNumeric>
        {formatNumber(subtenant.integrationPoints)}
      </Cell>
      <Cell name={active}>
        <Switch
          label={`${active}: ${subtenant.code}`}
          isOn={subtenant.isActive}
          disabledReason={adminReason}
          isBusy={change.isPending}
          onChange={(isActive) => change.mutate({ isActive })}
        />
      </Cell>
      <Cell name={debug}>
        <Switch
          label={`${debug}: ${subtenant.code}`}
          isOn={subtenant.debugMode}
          disabledReason={operateReason}
          isBusy={change.isPending}
          onChange={(debugMode) => flip({ debugMode })}
        />
      </Cell>
      <Cell name={incoming}>
        <Traffic count={subtenant.incoming} isPaused={subtenant.incomingPaused}>
          <Switch
            label={`${incoming}: ${subtenant.code}`}
            isOn={!subtenant.incomingPaused}
            disabledReason={operateReason}
            isBusy={change.isPending}
            onChange={(isOn) => flip({ incomingPaused: !isOn })}
          />
        </Traffic>
      </Cell>
      <Cell name={outgoing}>
        <Traffic count={subtenant.outgoing} isPaused={subtenant.outgoingPaused}>
          <Switch
            label={`${outgoing}: ${subtenant.code}`}
            isOn={!subtenant.outgoingPaused}
            disabledReason={operateReason}
            isBusy={change.isPending}
            onChange={(isOn) => flip({ outgoingPaused: !isOn })}
          />
        </Traffic>
      </Cell>
    </tr>
  );
}

function Cell({ name, isNumeric = false, children }: { name: string; isNumeric?: boolean; children: ReactNode }) {
  return (
    <td className={`px-4 py-3 max-md:px-2 max-md:py-1.5 ${isNumeric ? "text-end tabular-nums max-md:text-start" : ""}`}>
      <span aria-hidden className="block text-xs text-muted md:hidden">
        {name}
      </span>
      {children}
    </td>
  );
}

/** The last hour's count beside the switch that pauses the traffic. */
function Traffic({ count, isPaused, children }: { count: number; isPaused: boolean; children: ReactNode }) {
  const t = useText();
  const { formatNumber } = useIntl();
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      {children}
      <span className="tabular-nums">{formatNumber(count)}</span>
      {isPaused && <span className="text-xs font-medium text-warn">{t("subtenants.paused")}</span>}
    </span>
  );
}

/** Switches are an operator's, activation is an admin's: two routes, one mutation. */
function useSubtenantChange(tenantCode: string, subtenantCode: string) {
  const client = useQueryClient();
  const params = { tenantCode, subtenantCode };
  return useMutation({
    mutationFn: (change: { isActive: boolean } | { switches: Switches }) =>
      "switches" in change
        ? api<Routes["switchSubtenant"]>("PATCH", "/tenants/:tenantCode/subtenants/:subtenantCode/switches", {
            params,
            body: change.switches,
          })
        : api<Routes["updateSubtenant"]>("PATCH", "/tenants/:tenantCode/subtenants/:subtenantCode", { params, body: change }),
    onSuccess: () => client.invalidateQueries({ queryKey: subtenantsQuery(tenantCode).queryKey }),
    onError: (error) => noticeError(error.message),
  });
}
