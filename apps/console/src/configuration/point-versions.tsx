import type { IntegrationPoint } from "@crossdock/contract";
import { lazy, Suspense, useId, useState } from "react";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { parseJson, type Json } from "../ui/json/json-tree.ts";
import { Card } from "../ui/page.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { ExactTime } from "../ui/time.tsx";
import { useList } from "../ui/use-list.ts";
import { pointVersionsQuery, useRollBackPoint, type VersionRow } from "./operations.ts";

const JsonDiffViewer = lazy(() => import("../ui/json/json-diff-viewer.tsx"));

/** What was changed by whom and why, and the way back. */
export function PointVersions({ tenantCode, point }: { tenantCode: string; point: IntegrationPoint }) {
  const t = useText();
  const list = useList(pointVersionsQuery(tenantCode, point.id));
  return (
    <Card title={t("version.all")}>
      {list.error && <ErrorState detail={list.error.message} onRetry={list.restart} />}
      {list.isPending && <Loading rows={3} />}
      <ol>
        {list.rows.map((row, index) => (
          <li key={row.id} className="border-b border-line last:border-b-0">
            <Version
              tenantCode={tenantCode}
              pointId={point.id}
              row={row}
              previous={list.rows[index + 1]}
              isCurrent={row.version === point.version}
            />
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
    </Card>
  );
}

type VersionProps = { tenantCode: string; pointId: number; row: VersionRow; previous: VersionRow | undefined; isCurrent: boolean };

function Version({ tenantCode, pointId, row, previous, isCurrent }: VersionProps) {
  const t = useText();
  const id = useId();
  const [isOpen, setIsOpen] = useState(false);
  const [reason, setReason] = useState("");
  const rollBack = useRollBackPoint(tenantCode, pointId);
  const disabledReason = useIsPermitted("configure") ? null : t("role.adminOnly");
  const { version, madeAt, madeBy, restored, content } = row;
  return (
    <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover">
        <span className="font-semibold">{t("version.title", { version })}</span>
        <ExactTime at={madeAt} />
        <bdi>{madeBy}</bdi>
        {restored !== null && <span className="text-muted">{t("version.restored", { version: restored })}</span>}
        {row.reason && <bdi className="w-full text-muted">{row.reason}</bdi>}
      </summary>
      {isOpen && (
        <div className="grid gap-3 px-4 pb-4">
          <Suspense fallback={<Loading rows={2} />}>
            <JsonDiffViewer before={previous ? plain(previous.content) : {}} after={plain(content)} label={t("version.changes")} />
          </Suspense>
          {!isCurrent && (
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
          )}
        </div>
      )}
    </details>
  );
}

/** As the viewer wants it: nothing but JSON. */
const plain = (content: object): Json => parseJson(JSON.stringify(content))?.value ?? null;
