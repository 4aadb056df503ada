import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { abilitiesOf } from "../runs/abilities.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { runQuery } from "../runs/run-query.ts";
import { Button } from "../ui/button.tsx";
import { connectorsQuery, integrationPointsQuery } from "../session/workspace.ts";
import { Refusal } from "./answers.tsx";
import { useReconcile } from "./operations.ts";
import { ToolboxForm } from "./toolbox-form.tsx";
import { useTarget } from "./use-target.tsx";

/** Reads a target back and compares it with what it should hold; differences are listed and fixed at the run. */
export default function ReconcileTarget({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const { data: points = [] } = useQuery(integrationPointsQuery(tenantCode));
  const { data: connectors = [] } = useQuery(connectorsQuery);
  const reconcile = useReconcile(tenantCode);
  const target = useTarget(
    points,
    (point) => point.targetTypes.filter((type) => abilitiesOf(connectors, point).lists.includes(type)),
    reconcile.reset,
  );
  const permission = useRoleReason("operate");
  const missing = permission ?? (target.chosen ? null : t("toolbox.pointFirst"));
  return (
    <ToolboxForm onSubmit={() => missing === null && target.chosen && reconcile.mutate(target.chosen)}>
      {target.fields}
      <Button type="submit" look="primary" className="justify-self-start" isBusy={reconcile.isPending} disabledReason={missing}>
        {t("toolbox.compare")}
      </Button>
      <Refusal error={reconcile.error} />
      {reconcile.data && <Comparison tenantCode={tenantCode} runId={reconcile.data.id} />}
    </ToolboxForm>
  );
}

function Comparison({ tenantCode, runId }: { tenantCode: string; runId: number }) {
  const t = useText();
  const { data: run } = useQuery(runQuery(tenantCode, runId));
  if (!run) return null;
  return (
    <div role="status" className="grid gap-2 rounded-card bg-info-soft p-3 text-info">
      <p>{t("toolbox.compared", { done: run.done, differing: run.differing })}</p>
      {run.failure && (
        <p className="text-bad">
          <bdi>{run.failure.message}</bdi>
        </p>
      )}
      <p className="flex flex-wrap gap-3">
        {run.finishedAt !== null && <span className="font-medium">{t("toolbox.ended")}</span>}
        <Link to="/jobstatus-list" search={{ run: String(runId) }} className="underline">
          {t("toolbox.differences")}
        </Link>
      </p>
    </div>
  );
}
