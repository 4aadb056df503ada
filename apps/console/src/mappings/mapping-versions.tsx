import type { MappingChange } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { EmptyState, ErrorState, Loading } from "../ui/states.tsx";
import { ExactTime } from "../ui/time.tsx";
import { useList } from "../ui/use-list.ts";
import { useRollBack } from "./operations.ts";
import { versionQuery, versionsQuery, type VersionRow } from "./queries.ts";

/** Every change of the mappings with its author, what it changed, and the way back to it. */
export function MappingVersions({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const list = useList(versionsQuery(tenantCode));
  if (list.error) return <ErrorState detail={list.error.message} onRetry={list.restart} />;
  if (list.isPending) return <Loading />;
  if (list.rows.length === 0) return <EmptyState title={t("state.noRecord")} hint={t("mappings.noVersions")} />;
  return (
    <>
      <ol>
        {list.rows.map((row, index) => (
          <li key={row.id} className="border-b border-line">
            <Version tenantCode={tenantCode} row={row} isCurrent={index === 0 && list.firstIndex === 0} />
          </li>
        ))}
      </ol>
      {list.hasMore && (
        <div className="p-4">
          <Button isBusy={list.isLoadingMore} onClick={list.loadMore}>
            {t("mappings.olderVersions")}
          </Button>
        </div>
      )}
    </>
  );
}

function Version({ tenantCode, row, isCurrent }: { tenantCode: string; row: VersionRow; isCurrent: boolean }) {
  const t = useText();
  const [isOpen, setIsOpen] = useState(false);
  const { version, madeAt, madeBy, reason, restored, added, changed, removed } = row;
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover">
        <span className="font-semibold">{t("version.title", { version })}</span>
        <ExactTime at={madeAt} />
        <bdi>{madeBy}</bdi>
        <span className="text-muted">{t("version.counts", { added, changed, removed })}</span>
        {restored !== null && <span className="text-muted">{t("version.restored", { version: restored })}</span>}
        {reason && <bdi className="w-full text-muted">{reason}</bdi>}
      </summary>
      {isOpen && <VersionDetails tenantCode={tenantCode} version={version} isCurrent={isCurrent} />}
    </details>
  );
}

function VersionDetails({ tenantCode, version, isCurrent }: { tenantCode: string; version: number; isCurrent: boolean }) {
  const t = useText();
  const id = useId();
  const { data, error, refetch } = useQuery(versionQuery(tenantCode, version));
  const rollBack = useRollBack(tenantCode);
  const disabledReason = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const [reason, setReason] = useState("");
  if (error && !data) return <ErrorState detail={error.message} onRetry={() => void refetch()} />;
  if (!data) return <Loading rows={2} />;
  return (
    <div className="grid gap-4 px-4 pb-4">
      <Changes title={t("version.changes")} changes={data.changes} />
      {!isCurrent && data.toRestoreCount > 0 && (
        <>
          <Changes title={t("version.toRestore", { count: data.toRestoreCount })} changes={data.toRestore} />
          <form
            className="flex flex-wrap items-end gap-2"
            onSubmit={(event) => {
              event.preventDefault();
              if (disabledReason === null) rollBack.mutate({ version, reason: reason.trim() });
            }}
          >
            <TextField
              id={`${id}-reason`}
              className="min-w-48 flex-1"
              label={t("version.reason")}
              maxLength={500}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
            />
            <Button type="submit" look="primary" isBusy={rollBack.isPending} disabledReason={disabledReason}>
              {t("version.rollBack", { version })}
            </Button>
          </form>
        </>
      )}
    </div>
  );
}

function Changes({ title, changes }: { title: string; changes: readonly MappingChange[] }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 text-xs font-semibold text-muted">{title}</h3>
      <ul className="grid gap-1">
        {changes.map(({ mappingId, before, after }) => (
          <li key={mappingId} dir="auto" className="min-w-0 break-words rtl:text-right">
            {before && <del className="text-bad">{describe(before)}</del>}
            {before && after && " → "}
            {after && <ins className="text-ok no-underline">{describe(after)}</ins>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function describe({ subtenantCode, fieldName, source, sourceValue, target, targetValue }: NonNullable<MappingChange["after"]>): string {
  const place = subtenantCode === null ? "" : ` (${subtenantCode})`;
  return `${fieldName}: ${source} “${sourceValue}” → ${target} “${targetValue}”${place}`;
}
