import type { ApiKey } from "@crossdock/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { KeyRound } from "lucide-react";
import { Suspense, useMemo, useState } from "react";
import { useIntl } from "react-intl";
import { lazyPart } from "../lazy-screen.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { WithTenant } from "../layouts/with-tenant.tsx";
import { roleTexts, useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { timeWidth, type Column } from "../ui/data-table/columns.ts";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { Findable } from "../ui/findable.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, LoadingRows } from "../ui/states.tsx";
import { Time } from "../ui/time.tsx";
import { wholeList } from "../ui/use-list.ts";
import { apiKeysQuery, revokeApiKey } from "./queries.ts";
import { scopeTexts } from "./scope-texts.ts";

const ApiKeyDialog = lazyPart(() => import("./api-key-dialog.tsx"));

const route = getRouteApi("/shell/api-keys");

export function ApiKeyListPage() {
  return <WithTenant>{(tenantCode) => <ApiKeys key={tenantCode} tenantCode={tenantCode} />}</WithTenant>;
}

function ApiKeys({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const disabledReason = useRoleReason("configure");
  const { search = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const [isCreating, setIsCreating] = useState(false);
  const { data: keys, error, refetch } = useQuery(apiKeysQuery(tenantCode));
  /** Where there is nothing yet, the way to begin stands there. */
  const isBegun = keys?.length !== 0 || disabledReason !== null;
  const create = (
    <Button look="primary" disabledReason={disabledReason} onClick={() => setIsCreating(true)}>
      <KeyRound aria-hidden className="size-4" />
      {t("apiKeys.create")}
    </Button>
  );
  return (
    <>
      <PageHeader title={t("menu.apiKeys")} hint={t("apiKeys.hint")}>
        {isBegun && create}
      </PageHeader>
      <Card>
        {error && !keys && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
        {!error && !keys && <LoadingRows rows={4} />}
        {keys?.length === 0 && <EmptyState title={t("state.noRecord")} hint={t("apiKeys.none")} action={!isBegun && create} />}
        {keys && keys.length > 0 && (
          <Findable
            items={keys}
            textOf={({ name, prefix }) => `${name} ${prefix}`}
            typed={search}
            onType={(typed) => void navigate({ search: { search: typed }, replace: true })}
            className="p-4"
          >
            {(found) => <KeyTable tenantCode={tenantCode} keys={found} disabledReason={disabledReason} />}
          </Findable>
        )}
      </Card>
      <Suspense fallback={null}>{isCreating && <ApiKeyDialog tenantCode={tenantCode} onClose={() => setIsCreating(false)} />}</Suspense>
    </>
  );
}

type Row = Omit<ApiKey, "id"> & { id: string };
type KeyTableProps = { tenantCode: string; keys: ApiKey[]; disabledReason: string | null };

function KeyTable({ tenantCode, keys, disabledReason }: KeyTableProps) {
  const t = useText();
  const { formatList } = useIntl();
  const client = useQueryClient();
  const [asked, setAsked] = useState<Row | null>(null);
  const revoke = useMutation({
    mutationFn: (row: Row) => revokeApiKey(tenantCode, Number(row.id)),
    onSuccess: () => noticeSuccess(t("apiKeys.revoked")),
    onSettled: () => client.invalidateQueries({ queryKey: apiKeysQuery(tenantCode).queryKey }),
  });
  const rows = useMemo(() => keys.map((key): Row => ({ ...key, id: String(key.id) })), [keys]);
  const columns = useMemo((): Column<Row>[] => {
    // No other place tells them, so they have two lines.
    const rights = ({ role, scopes }: Row) => (
      <span className="line-clamp-2 text-xs leading-4 whitespace-normal">
        {scopes ? formatList(scopes.map((scope) => t(scopeTexts[scope]))) : t(role === "gateway" ? scopeTexts.gateway : roleTexts[role])}
      </span>
    );
    const time = (at: string | null) => (at === null ? "–" : <Time at={at} />);
    return [
      { id: "name", header: t("users.name"), minWidth: 120, grow: 3, isTitle: true, cell: ({ name }) => name },
      { id: "prefix", header: t("apiKeys.prefix"), minWidth: 118, grow: 1, cell: ({ prefix }) => <code dir="ltr">{prefix}…</code> },
      { id: "scopes", header: t("apiKeys.scopes"), minWidth: 150, grow: 4, isWide: true, isTwoLined: true, cell: rights },
      { id: "state", header: t("filter.state"), minWidth: 112, grow: 0.8, cell: (row) => <StateChip row={row} /> },
      { id: "used", header: t("apiKeys.lastUsed"), minWidth: timeWidth, grow: 1, cell: ({ lastUsedAt }) => time(lastUsedAt) },
      {
        id: "expires",
        header: t("apiKeys.expires"),
        minWidth: timeWidth,
        grow: 1,
        showFrom: 820,
        cell: ({ expiresAt }) => (expiresAt === null ? t("apiKeys.never") : time(expiresAt)),
      },
      {
        id: "revoke",
        header: t("sessions.revoke"),
        minWidth: 96,
        grow: 0.6,
        isTwoLined: true,
        cell: (row) =>
          row.revokedAt === null && (
            <Button look="plain" className="-ms-3.5" disabledReason={disabledReason} onClick={() => setAsked(row)}>
              {t("sessions.revoke")}
            </Button>
          ),
      },
    ];
  }, [t, formatList, disabledReason]);
  return (
    <>
      <DataTable name="api-keys" label={t("menu.apiKeys")} columns={columns} list={wholeList(rows)} labelOf={({ name }) => name} />
      {asked && (
        <ConfirmDialog
          title={t("apiKeys.revokeTitle", { name: asked.name })}
          text={t("apiKeys.revokeText")}
          actionLabel={t("sessions.revoke")}
          look="danger"
          onClose={() => setAsked(null)}
          onConfirm={() => revoke.mutateAsync(asked).then(() => setAsked(null))}
        />
      )}
    </>
  );
}

function StateChip({ row: { revokedAt, expiresAt } }: { row: Row }) {
  const t = useText();
  const [shownAt] = useState(() => Date.now());
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= shownAt;
  const [tone, text]: [Tone, TextKey] =
    revokedAt !== null ? ["neutral", "apiKeys.state.revoked"] : isOver ? ["warn", "apiKeys.state.expired"] : ["ok", "apiKeys.state.valid"];
  return <Chip tone={tone}>{t(text)}</Chip>;
}
