import type { IntegrationPoint } from "@crossdock/contract";
import { Suspense } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { parseJson, type Json } from "../ui/json/json-tree.ts";
import { Card } from "../ui/page.tsx";
import { ErrorState, Loading } from "../ui/states.tsx";
import { useList } from "../ui/use-list.ts";
import { RollBackForm, VersionList } from "../ui/version-list.tsx";
import { pointVersionsQuery, useRollBackPoint } from "./operations.ts";

const JsonDiffViewer = lazyPart(() => import("../ui/json/json-diff-viewer.tsx"));

/** What was changed by whom and why, and the way back. */
export function PointVersions({ tenantCode, point }: { tenantCode: string; point: IntegrationPoint }) {
  const t = useText();
  const list = useList(pointVersionsQuery(tenantCode, point.id));
  const rollBack = useRollBackPoint(tenantCode, point);
  const disabledReason = useRoleReason("configure");
  return (
    <Card id="versions" title={t("version.all")}>
      {list.error && <ErrorState detail={list.error.message} onRetry={list.restart} />}
      {list.isPending && <Loading rows={3} />}
      <VersionList
        list={list}
        details={({ version, content }, previous) => {
          // The newest is undone by the one before it.
          const to = version === point.version ? previous?.version : version;
          return (
            <>
              <Suspense fallback={<Loading rows={2} />}>
                <JsonDiffViewer before={previous ? plain(previous.content) : {}} after={plain(content)} label={t("version.changes")} />
              </Suspense>
              {to !== undefined && (
                <>
                  <p className="text-muted">{t("configuration.rollBackKeeps")}</p>
                  <RollBackForm
                    version={to}
                    isBusy={rollBack.isPending}
                    disabledReason={disabledReason}
                    onRollBack={(reason) => rollBack.mutate({ version: to, reason })}
                  />
                </>
              )}
            </>
          );
        }}
      />
    </Card>
  );
}

/** As the viewer wants it: nothing but JSON. */
const plain = (content: object): Json => parseJson(JSON.stringify(content))?.value ?? null;
