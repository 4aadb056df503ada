import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { entityTypeLabels, entityTypes } from "../entity-types.ts";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session.ts";
import { Button } from "../ui/button.tsx";
import { ComboboxField } from "../ui/combobox-field.tsx";
import { SelectField } from "../ui/field.tsx";
import { connectorsQuery, integrationPointOptions, integrationPointsQuery } from "../workspace.ts";
import { Refusal } from "./answers.tsx";
import { backgroundRunQuery, useReconcile } from "./operations.ts";

/** Reads a target back and compares it with what it should hold; differences are listed and fixed at the run. */
export function ReconcileTarget({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const [pointId, setPointId] = useState("");
  const [entityType, setEntityType] = useState(entityTypes[0] ?? "item");
  const { data: points = [] } = useQuery(integrationPointsQuery(tenantCode));
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const reconcile = useReconcile(tenantCode);
  const permission = useIsPermitted("operate") ? null : t("role.operatorOnly");
  const listed = (connector: string) => connectors.find(({ code }) => code === connector)?.lists ?? [];
  const targets = points.filter(
    ({ direction, connector, entityTypes: own }) => direction !== "source" && own.some((type) => listed(connector).includes(type)),
  );
  const point = targets.find(({ id }) => String(id) === pointId);
  const types = entityTypes.filter((type) => !point || (point.entityTypes.includes(type) && listed(point.connector).includes(type)));
  const chosen = types.includes(entityType) ? entityType : types[0];
  const missing = permission ?? (point && chosen ? null : t("toolbox.pointFirst"));
  return (
    <form
      className="grid gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (missing === null && chosen) reconcile.mutate({ integrationPointId: Number(pointId), entityType: chosen });
      }}
    >
      <ComboboxField
        label={t("external.integrationPoint")}
        value={pointId}
        onChange={(value) => {
          setPointId(value);
          reconcile.reset();
        }}
        options={integrationPointOptions(targets)}
        placeholder={t("mappings.choose")}
      />
      <SelectField
        label={t("message.entityType")}
        value={chosen ?? ""}
        onChange={(value) => setEntityType(types.find((type) => type === value) ?? entityType)}
        options={types.map((type) => ({ value: type, label: t(entityTypeLabels[type]) }))}
      />
      <Button type="submit" look="primary" className="justify-self-start" isBusy={reconcile.isPending} disabledReason={missing}>
        {t("toolbox.compare")}
      </Button>
      <Refusal error={reconcile.error} />
      {reconcile.data && <Comparison tenantCode={tenantCode} runId={reconcile.data.id} />}
    </form>
  );
}

function Comparison({ tenantCode, runId }: { tenantCode: string; runId: number }) {
  const t = useText();
  const { data: run } = useQuery(backgroundRunQuery(tenantCode, runId));
  if (!run) return null;
  return (
    <div role="status" className="grid gap-2 rounded-card bg-info-soft p-3 text-info">
      <p>{t("toolbox.compared", { done: run.done, differing: run.differing })}</p>
      {run.fault !== null && <p className="text-bad">{run.fault}</p>}
      <p className="flex flex-wrap gap-3">
        {run.finishedAt !== null && <span className="font-medium">{t("toolbox.ended")}</span>}
        <Link to="/jobstatus-list" search={{ run: String(runId) }} className="underline">
          {t("toolbox.differences")}
        </Link>
      </p>
    </div>
  );
}
