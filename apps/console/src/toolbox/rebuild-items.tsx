import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { entityTypeLabels, entityTypes } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { ComboboxField } from "../ui/combobox-field.tsx";
import { SelectField, TextField } from "../ui/field.tsx";
import { integrationPointOptions, integrationPointsQuery } from "../workspace.ts";
import { Refusal } from "./answers.tsx";
import { backgroundRunQuery, cancelRun, useOperation } from "./operations.ts";

/** Puts back what is missing of a target's external items; first only counted, then done, and shown as it goes on. */
export function RebuildItems({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const [pointId, setPointId] = useState("");
  const [entityType, setEntityType] = useState(entityTypes[0] ?? "item");
  const [keyPrefix, setKeyPrefix] = useState("");
  const { data: points = [] } = useQuery(integrationPointsQuery(tenantCode));
  const rebuild = useOperation(tenantCode, "run");
  const permission = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const targets = points.filter(({ direction }) => direction !== "source");
  const point = targets.find(({ id }) => String(id) === pointId);
  const types = entityTypes.filter((type) => !point || point.entityTypes.includes(type));
  const chosen = types.includes(entityType) ? entityType : types[0];
  const missing = permission ?? (point && chosen ? null : t("toolbox.pointFirst"));
  function ask(isDryRun: boolean): void {
    if (missing !== null || !chosen) return;
    const prefix = keyPrefix.trim();
    rebuild.mutate({
      operation: "rebuild-external-items",
      integrationPointId: Number(pointId),
      entityType: chosen,
      isDryRun,
      ...(prefix !== "" && { keyPrefix: prefix }),
    });
  }
  const isTrial = rebuild.variables?.operation === "rebuild-external-items" && rebuild.variables.isDryRun === true;
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        ask(true);
      }}
    >
      <ComboboxField
        label={t("external.integrationPoint")}
        value={pointId}
        onChange={setPointId}
        options={integrationPointOptions(targets)}
        placeholder={t("mappings.choose")}
      />
      <SelectField
        label={t("message.entityType")}
        value={chosen ?? ""}
        onChange={(value) => setEntityType(types.find((type) => type === value) ?? entityType)}
        options={types.map((type) => ({ value: type, label: t(entityTypeLabels[type]) }))}
      />
      <TextField
        id="toolbox-rebuild-prefix"
        label={t("toolbox.keyPrefix")}
        dir="ltr"
        maxLength={500}
        value={keyPrefix}
        onChange={(event) => setKeyPrefix(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" isBusy={rebuild.isPending} disabledReason={missing}>
          {t("toolbox.dryRun")}
        </Button>
        <Button look="primary" isBusy={rebuild.isPending} disabledReason={missing} onClick={() => ask(false)}>
          {t("toolbox.rebuildNow")}
        </Button>
      </div>
      <Refusal error={rebuild.error} />
      {rebuild.data && <RebuildProgress tenantCode={tenantCode} runId={rebuild.data.runId} isTrial={isTrial} />}
    </form>
  );
}

function RebuildProgress({ tenantCode, runId, isTrial }: { tenantCode: string; runId: number; isTrial: boolean }) {
  const t = useText();
  const client = useQueryClient();
  const { data: run } = useQuery(backgroundRunQuery(tenantCode, runId));
  const cancel = useMutation({
    mutationFn: () => cancelRun(tenantCode, runId),
    onSettled: () => client.invalidateQueries({ queryKey: ["tenant", tenantCode] }),
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
      {run.fault !== null && <p className="text-bad">{run.fault}</p>}
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
