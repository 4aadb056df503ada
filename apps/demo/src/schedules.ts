import type { EntityType } from "@crossdock/contract";
import type { Client } from "./client.ts";

type Plan = { tenantCode: string; entityType: EntityType; everySeconds?: number; cron?: string } & (
  | { kind: "reconciliation"; /** Code of the integration point that is compared. */ point: string }
  | { kind: "export"; subtenantCode: string }
);

/** What each tenant has done regularly. */
const plans: Plan[] = [
  { tenantCode: "nordhem", kind: "reconciliation", point: "nordhem-se-webshop", entityType: "price", everySeconds: 300 },
  { tenantCode: "nordhem", kind: "export", subtenantCode: "nordhem-b2b", entityType: "item", cron: "0 4 * * *" },
  { tenantCode: "fjellsport", kind: "export", subtenantCode: "fjellsport-se", entityType: "item", everySeconds: 900 },
  { tenantCode: "fjellsport", kind: "export", subtenantCode: "fjellsport-no", entityType: "order", cron: "30 3 * * *" },
  { tenantCode: "maison-lumiere", kind: "export", subtenantCode: "lumiere-fr", entityType: "item", cron: "15 4 * * 1-5" },
];

/** Makes the schedules of tenants that have none. Answers the way to run the exports among them without waiting for their time. */
export async function ensureSchedules(client: Client): Promise<() => Promise<void>> {
  const made: { tenantCode: string; scheduleId: number }[] = [];
  for (const [tenantCode, own] of Map.groupBy(plans, (plan) => plan.tenantCode)) {
    const params = { tenantCode };
    const { items: schedules } = await client.call("listSchedules", { params });
    if (schedules.length > 0) continue;
    const { items: points } = await client.call("listIntegrationPoints", { params });
    for (const plan of own) {
      const { kind, entityType, everySeconds, cron } = plan;
      const of =
        plan.kind === "export"
          ? { subtenantCode: plan.subtenantCode }
          : { integrationPointId: points.find(({ code }) => code === plan.point)?.id };
      const { id } = await client.call("createSchedule", { params, body: { kind, entityType, everySeconds, cron, ...of } });
      if (kind === "export") made.push({ tenantCode, scheduleId: id });
    }
  }
  return async () => {
    for (const params of made) await client.call("runSchedule", { params });
  };
}
