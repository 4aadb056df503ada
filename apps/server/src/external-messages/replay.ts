import { EntityType, type ExternalMessageCheck } from "@crossdock/contract";
import type pg from "pg";
import { z } from "zod";
import { ApiError, notFound } from "../errors/errors.ts";
import { because, faultBecause } from "../errors/faults.ts";
import { isSecretHeader, mask } from "../masking/headers.ts";
import { closedBecause, type Point, type TenantDirectory } from "../intake/directory.ts";
import type { Arrival } from "../intake/intake.ts";
import type { Masking } from "../masking/masking.ts";
import type { Translation } from "../intake/job.ts";

export type Correction = { body?: string | undefined };

/**
 * A kept message on its way through intake once more. The operator vouches for it, so its signature is not asked for; what the sender named
 * by its path is what it was kept under. Throws not-found, and conflict when its integration point takes nothing in.
 */
export async function toArrival(
  client: pg.ClientBase,
  tenant: TenantDirectory,
  tenantId: number,
  id: string,
  { body }: Correction,
): Promise<Arrival> {
  const kept = await findKept(client, tenantId, id);
  if (!kept) throw notFound();
  const point = tenant.points.get(kept.integrationPointId);
  if (!point || point.sourceTypes.length === 0) throw new ApiError("conflict", because("point-takes-nothing"));
  const closed = closedBecause(tenant, point);
  if (closed !== null) throw new ApiError("conflict", because(closed));
  return {
    point,
    channel: kept.channel,
    // A webhook's type is found out by the connector, as it was the first time.
    entityType: kept.channel === "hook" || kept.entityType === null ? null : EntityType.parse(kept.entityType),
    headers: kept.headers,
    body: body === undefined ? kept.body : Buffer.from(unmasked(body, kept.body, tenant.masking)),
    signature: "not-applicable",
    dedupeName: null,
    replayOf: id,
  };
}

export function toCheck(translation: Translation): ExternalMessageCheck {
  if (translation.kind !== "documents") return { state: translation.kind, reasons: translation.reasons, documents: [] };
  return {
    state: "accepted",
    reasons: translation.remarks,
    documents: translation.records.map(({ entityType, key, routes }) => ({ entityType, key, queues: routes.length })),
  };
}

/** What the operator left masked is put back. */
function unmasked(body: string, kept: Buffer, masking: Masking): string {
  const { text, refused } = masking.restore(body, kept.toString("utf8"));
  if (refused.length === 0) return text;
  throw new ApiError("validation-failed", { errors: refused.map((pointer) => faultBecause(`body${pointer}`, "mask-misplaced")) });
}

const Headers = z.record(z.string(), z.union([z.string(), z.array(z.string())]));

/** Secrets are masked when a message is kept; what older versions of the server kept is masked when it is shown. */
export function readHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(Headers.parse(JSON.parse(text))).map(([name, value]) => [name, isSecretHeader(name) ? mask : [value].flat().join(", ")]),
  );
}

/** What a message is sent through intake with once more. */
type Kept = {
  integrationPointId: Point["id"];
  channel: "hook" | "gateway" | "poll" | "import";
  entityType: string | null;
  headers: Record<string, string>;
  body: Buffer;
};

const keptSql = `
  select integration_point_id as "integrationPointId", channel, entity_type as "entityType", headers, body
  from hub.external_message where tenant_id = $1 and id = $2`;

async function findKept(client: pg.ClientBase, tenantId: number, id: string): Promise<Kept | null> {
  const [row] = (await client.query<Omit<Kept, "headers"> & { headers: string }>(keptSql, [tenantId, id])).rows;
  return row ? { ...row, headers: readHeaders(row.headers) } : null;
}
