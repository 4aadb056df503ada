import type { Routes, Tenant } from "@crossdock/contract";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { api } from "../api/api.ts";
import { DraftWatch, isOvertaken, useDraft } from "../draft.tsx";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { BackLink } from "../ui/back-link.tsx";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card, PageHeader } from "../ui/page.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { tenantsQuery } from "../session/workspace.ts";
import { LimitsCard } from "./limits-card.tsx";
import { MaskingCard } from "./masking-card.tsx";
import { PartsCard } from "./parts-card.tsx";
import { healthQuery } from "./queries.ts";
import { TenantFigures } from "./tenant-card.tsx";

const route = getRouteApi("/shell/tenant/$tenantCode");

export function TenantPage() {
  const t = useText();
  const { tenantCode } = route.useParams();
  const { data: tenants, error, refetch } = useQuery(tenantsQuery);
  const { data: health } = useQuery(healthQuery(tenantCode));
  const tenant = tenants?.find((candidate) => candidate.code === tenantCode);
  return (
    <>
      <PageHeader title={tenant?.name ?? tenantCode} hint={t("tenants.config")}>
        <BackLink to="/tenant-list" label={t("menu.tenants")} />
      </PageHeader>
      {tenant ? (
        <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
          <div className="grid grid-cols-1 gap-4">
            <Card title={t("tenants.profile")}>
              <TenantForm key={tenantCode} tenant={tenant} />
            </Card>
            <Card title={t("tenants.health")}>
              <div className="p-4">
                <TenantFigures health={health} />
              </div>
            </Card>
            <PartsCard tenantCode={tenantCode} />
          </div>
          <div className="grid grid-cols-1 gap-4">
            <MaskingCard key={tenantCode} tenantCode={tenantCode} />
            <LimitsCard key={`limits ${tenantCode}`} tenantCode={tenantCode} />
          </div>
        </div>
      ) : (
        <Card>
          {error && !tenants && <ErrorState detail={error.message} onRetry={() => void refetch()} />}
          {!error && !tenants && <Loading />}
          {tenants && <EmptyState title={t("state.noRecord")} hint={t("tenants.notYours", { code: tenantCode })} />}
        </Card>
      )}
    </>
  );
}

const draftOf = ({ name, isActive, colour }: Tenant) => ({ name, isActive, colour });

/** What the field for a colour starts from where there is none. */
const unmarked = "#808080";

function TenantForm({ tenant }: { tenant: Tenant }) {
  const t = useText();
  const client = useQueryClient();
  const disabledReason = useRoleReason("administer");
  const { base, draft, setDraft, saved, ...watch } = useDraft(tenant, draftOf);
  const { name, isActive, colour } = draft;
  const failed = useFailureNotice();
  const save = useMutation({
    mutationFn: (body: typeof draft) =>
      api<Routes["updateTenant"]>("PATCH", "/tenants/:tenantCode", {
        params: { tenantCode: tenant.code },
        body,
        ifVersion: base.version,
      }),
    onSuccess: (stored, sent) => {
      noticeSuccess(t("notice.saved"));
      saved(stored, sent);
    },
    onError: (error) => {
      if (!isOvertaken(error)) failed(error);
    },
    onSettled: () => client.invalidateQueries({ queryKey: tenantsQuery.queryKey }),
  });

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (disabledReason === null && name.trim() !== "") save.mutate(draft);
  }

  return (
    <form noValidate onSubmit={submit} className="grid gap-4 p-4">
      <TextField id="tenant-code" label={t("tenants.code")} value={tenant.code} readOnly />
      <TextField
        id="tenant-name"
        label={t("tenants.name")}
        maxLength={200}
        value={name}
        readOnly={disabledReason !== null}
        onChange={(event) => setDraft({ ...draft, name: event.target.value })}
        error={name.trim() === "" ? t("validation.nameRequired") : undefined}
      />
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          className="size-4 accent-primary-ink"
          checked={isActive}
          disabled={disabledReason !== null}
          onChange={(event) => setDraft({ ...draft, isActive: event.target.checked })}
        />
        {t("tenants.active")}
      </label>
      <div>
        <label htmlFor="tenant-colour" className="text-xs text-muted">
          {t("tenants.colour")}
        </label>
        <div className="mt-1 flex gap-2">
          <input
            id="tenant-colour"
            type="color"
            value={colour ?? unmarked}
            disabled={disabledReason !== null}
            onChange={(event) => setDraft({ ...draft, colour: event.target.value })}
            className="size-9 cursor-pointer rounded-button border border-field-line bg-paper p-0.5"
          />
          <Button
            disabledReason={disabledReason ?? (colour === null ? t("tenants.noColour") : null)}
            onClick={() => setDraft({ ...draft, colour: null })}
          >
            {t("tenants.noColour")}
          </Button>
        </div>
      </div>
      <DraftWatch {...watch} />
      <Button type="submit" look="primary" className="justify-self-start" isBusy={save.isPending} disabledReason={disabledReason}>
        {t("action.save")}
      </Button>
    </form>
  );
}
