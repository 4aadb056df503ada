import type { ExpiredCount, Routes, TenantLimits } from "@crossdock/contract";
import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { useIntl } from "react-intl";
import { api } from "../api/api.ts";
import { DraftWatch, isOvertaken, useDraft } from "../draft.tsx";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { kilobyte, useBytes } from "../ui/bytes.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { noticeSuccess } from "../ui/notice.tsx";
import { Card } from "../ui/page.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { categories, ExpiredDialog } from "./expired-dialog.tsx";

function limitsQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "limits"],
    queryFn: ({ signal }) => api<Routes["getTenantLimits"]>("GET", "/tenants/:tenantCode/limits", { params: { tenantCode }, signal }),
  });
}

function usageQuery(tenantCode: string) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "usage"],
    queryFn: ({ signal }) => api<Routes["getTenantUsage"]>("GET", "/tenants/:tenantCode/usage", { params: { tenantCode }, signal }),
    select: ({ items }) => items,
  });
}

/** How long a tenant's things stay, how large a message may be, and what that takes up. */
export function LimitsCard({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const { data: limits, error, refetch } = useQuery(limitsQuery(tenantCode));
  return (
    <Card title={t("limits.title")}>
      {limits && <LimitsForm tenantCode={tenantCode} limits={limits} />}
      {!limits && (error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading />)}
      <Usage tenantCode={tenantCode} />
    </Card>
  );
}

const fields = {
  historyDays: "limits.historyDays",
  attemptDays: "limits.attemptDays",
  rawMessageDays: "limits.rawMessageDays",
  removedDays: "limits.removedDays",
  runDays: "limits.runDays",
} as const satisfies Partial<Record<keyof TenantLimits, TextKey>>;
const names = Object.keys(fields) as (keyof typeof fields)[];

type Texts = Record<keyof typeof fields | "kilobytes", string>;

/** What is on its way to being saved, with the texts that say so. */
type Wish = { body: Omit<TenantLimits, "bounds">; sent: Texts };

function countExpired(tenantCode: string, limits: Wish["body"]) {
  const query = Object.fromEntries(names.flatMap((name) => (limits[name] === null ? [] : [[name, limits[name]]])));
  return api<Routes["getExpired"]>("GET", "/tenants/:tenantCode/limits/expired", { params: { tenantCode }, query });
}

const text = (value: number | null): string => (value === null ? "" : String(value));

function textsOf(limits: TenantLimits): Texts {
  return {
    historyDays: text(limits.historyDays),
    attemptDays: text(limits.attemptDays),
    rawMessageDays: text(limits.rawMessageDays),
    removedDays: text(limits.removedDays),
    runDays: text(limits.runDays),
    kilobytes: text(limits.messageBytes === null ? null : Math.floor(limits.messageBytes / kilobyte)),
  };
}

/** An empty text is no limit of the tenant's own; undefined: it is no number within the bounds. */
function numberOf(text: string, max: number): number | null | undefined {
  if (text.trim() === "") return null;
  // Arabic and full-width digits stand in order where the code's last four bits are what they mean.
  const digits = text.trim().replaceAll(/[٠-٩۰-۹０-９]/g, (digit) => String(digit.charCodeAt(0) & 15));
  const value = Number(digits);
  return /^\d{1,9}$/.test(digits) && value >= 1 && value <= max ? value : undefined;
}

function LimitsForm({ tenantCode, limits }: { tenantCode: string; limits: TenantLimits }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const client = useQueryClient();
  const disabledReason = useRoleReason("configure");
  const { base, draft: texts, setDraft, saved, ...watch } = useDraft(limits, textsOf);
  const kilobytesMax = Math.floor(limits.bounds.messageBytes / kilobyte);
  const maxOf = (name: keyof Texts): number => (name === "kilobytes" ? kilobytesMax : limits.bounds.days);
  const read = (name: keyof Texts) => numberOf(texts[name], maxOf(name));
  const failed = useFailureNotice();
  const save = useMutation({
    mutationFn: ({ body }: Wish) =>
      api<Routes["updateTenantLimits"]>("PUT", "/tenants/:tenantCode/limits", { params: { tenantCode }, body }),
    onSuccess: (stored, { sent }) => {
      noticeSuccess(t("notice.saved"));
      saved(stored, sent);
    },
    onSettled: () => client.invalidateQueries({ queryKey: limitsQuery(tenantCode).queryKey }),
  });
  const [asked, setAsked] = useState<{ wish: Wish; expired: ExpiredCount[] } | null>(null);
  const check = useMutation({
    mutationFn: ({ body }: Wish) => countExpired(tenantCode, body),
    onSuccess: ({ items: expired }, wish) => (expired.length > 0 ? setAsked({ wish, expired }) : store(wish)),
    onError: failed,
  });

  /** The form itself tells of a colleague who was faster. */
  async function store(wish: Wish): Promise<void> {
    try {
      await save.mutateAsync(wish);
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
    setAsked(null);
  }

  function submit(event: FormEvent): void {
    event.preventDefault();
    const kilobytes = read("kilobytes");
    const [historyDays, attemptDays, rawMessageDays, removedDays, runDays] = names.map(read);
    if (disabledReason !== null || kilobytes === undefined) return;
    if (historyDays === undefined || attemptDays === undefined || rawMessageDays === undefined) return;
    if (removedDays === undefined || runDays === undefined) return;
    const isSame = texts.kilobytes === textsOf(base).kilobytes;
    const messageBytes = isSame ? base.messageBytes : kilobytes && kilobytes * kilobyte;
    const { version } = base;
    check.mutate({ body: { historyDays, attemptDays, rawMessageDays, removedDays, runDays, messageBytes, version }, sent: texts });
  }

  const field = (name: keyof Texts, label: string) => {
    const max = formatNumber(maxOf(name));
    return (
      <TextField
        key={name}
        id={`limit-${name}`}
        inputMode="numeric"
        label={label}
        placeholder={max}
        value={texts[name]}
        readOnly={disabledReason !== null}
        onChange={(event) => setDraft({ ...texts, [name]: event.target.value })}
        error={read(name) === undefined ? t("limits.outOfBounds", { max }) : undefined}
      />
    );
  };

  return (
    <form noValidate onSubmit={submit} className="grid gap-3 p-4">
      <p className="text-muted">{t("limits.hint", { days: limits.bounds.days })}</p>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        {names.map((name) => field(name, t(fields[name])))}
        {field("kilobytes", t("limits.messageBytes"))}
      </div>
      <DraftWatch {...watch} />
      <div className="flex">
        <Button type="submit" look="primary" isBusy={check.isPending} disabledReason={disabledReason}>
          {t("action.save")}
        </Button>
      </div>
      {asked && <ExpiredDialog expired={asked.expired} onClose={() => setAsked(null)} onConfirm={() => store(asked.wish)} />}
    </form>
  );
}

function Usage({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const inBytes = useBytes();
  const { data: usage, error, refetch } = useQuery(usageQuery(tenantCode));
  if (!usage) return error ? <ErrorState detail={error.message} onRetry={() => void refetch()} /> : <Loading />;
  return (
    <div className="overflow-x-auto border-t border-line p-4" tabIndex={0} role="group" aria-label={t("limits.usage")}>
      <table className="w-full text-start">
        <caption className="pb-2 text-start font-medium">{t("limits.usage")}</caption>
        <thead className="text-xs text-muted">
          <tr>
            <th scope="col" className="py-1 text-start font-normal">
              {t("limits.category")}
            </th>
            <th scope="col" className="py-1 text-end font-normal">
              {t("limits.now")}
            </th>
            <th scope="col" className="py-1 text-end font-normal">
              {t("limits.perDay")}
            </th>
          </tr>
        </thead>
        <tbody className="tabular-nums">
          {usage.map(({ category, rows, isExact, bytes, rowsPerDay, bytesPerDay }) => (
            <tr key={category} className="border-t border-line">
              <th scope="row" className="py-1.5 text-start font-normal">
                {t(categories[category])}
              </th>
              <td className="py-1.5 ps-3 text-end">
                {formatNumber(rows)}
                {!isExact && "+"} · {inBytes(bytes)}
                {!isExact && "+"}
              </td>
              <td className="py-1.5 ps-3 text-end">
                {formatNumber(rowsPerDay)} · {inBytes(bytesPerDay)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
