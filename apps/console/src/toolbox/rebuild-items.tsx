import { useMutation, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useFailureNotice } from "../api/failure-notice.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { runQuery } from "../runs/run-query.ts";
import { Button } from "../ui/button.tsx";
import { TextField } from "../ui/field.tsx";
import { useRefresh } from "../live/use-refresh.ts";
import { integrationPointsQuery } from "../session/workspace.ts";
import { Refusal } from "./answers.tsx";
import { cancelRun, useOperation } from "./operations.ts";
import { DryRunFirst, ToolboxForm } from "./toolbox-form.tsx";
import { useTarget } from "./use-target.tsx";

/** Puts back what is missing of a target's external items; first only counted, then done, and shown as it goes on. */
export default function RebuildItems({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const [keyPrefix, setKeyPrefix] = useState("");
  const { data: points = [] } = useQuery(integrationPointsQuery(tenantCode));
  const rebuild = useOperation(tenantCode, "run");
  const target = useTarget(points, ({ targetTypes }) => targetTypes, rebuild.reset);
  const permission = useRoleReason("operate");
  const missing = permission ?? (target.chosen ? null : t("toolbox.pointFirst"));
  function ask(isDryRun: boolean): void {
    if (missing !== null || !target.chosen) return;
    const prefix = keyPrefix.trim();
    rebuild.mutate({ operation: "rebuild-external-items", ...target.chosen, isDryRun, ...(prefix !== "" && { keyPrefix: prefix }) });
  }
  const isTrial = rebuild.variables?.operation === "rebuild-external-items" && rebuild.variables.isDryRun === true;
  return (
    <ToolboxForm onSubmit={() => ask(true)}>
      {target.fields}
      <TextField
        id="toolbox-rebuild-prefix"
        label={t("toolbox.keyPrefix")}
        dir="ltr"
        maxLength={500}
        value={keyPrefix}
        onChange={(event) => {
          setKeyPrefix(event.target.value);
          rebuild.reset();
        }}
      />
      <DryRunFirst action={t("toolbox.rebuildNow")} isBusy={rebuild.isPending} disabledReason={missing} onRun={() => ask(false)} />
      <Refusal error={rebuild.error} />
      {rebuild.data && <RebuildProgress tenantCode={tenantCode} runId={rebuild.data.runId} isTrial={isTrial} />}
    </ToolboxForm>
  );
}

function RebuildProgress({ tenantCode, runId, isTrial }: { tenantCode: string; runId: number; isTrial: boolean }) {
  const t = useText();
  const refresh = useRefresh(tenantCode);
  const { data: run } = useQuery(runQuery(tenantCode, runId));
  const cancel = useMutation({
    mutationFn: () => cancelRun(tenantCode, runId),
    onError: useFailureNotice(),
    onSettled: refresh,
  });
  if (!run) return null;
  const counts = { done: run.done, rebuilt: run.accepted, known: run.unchanged, lost: run.rejected };
  return (
    <div role="status" className="grid gap-2 rounded-card bg-info-soft p-3 text-info">
      <progress
        className="w-full"
        aria-label={t("jobStatus.progress")}
        max={Math.max(run.total ?? run.done, 1)}
        value={run.finishedAt ? Math.max(run.total ?? run.done, 1) : run.done}
      />
      <p>{isTrial ? t("toolbox.wouldRebuild", counts) : t("toolbox.rebuilt", counts)}</p>
      {run.failure && (
        <p className="text-bad">
          <bdi>{run.failure.message}</bdi>
        </p>
      )}
      <div className="flex flex-wrap items-center gap-3">
        {run.finishedAt === null ? (
          <Button isBusy={cancel.isPending} onClick={() => cancel.mutate()}>
            {t("jobStatus.cancelRun")}
          </Button>
        ) : (
          <span className="font-medium">{t("toolbox.ended")}</span>
        )}
        <Link to="/jobstatus-list" search={{ run: String(runId) }} className="underline">
          {t("menu.jobStatus")}
        </Link>
      </div>
    </div>
  );
}
