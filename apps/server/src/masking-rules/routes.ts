import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { defaultMaskedFields, routes, type MaskingRules } from "@crossdock/contract";
import { change } from "../api/change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors/errors.ts";
import { readMasking } from "../masking/masking.ts";
import { addRoute } from "../api/route.ts";
import { checkVersion, tagVersion } from "../api/versions.ts";
import { readSource } from "./sources.ts";

const getSql = `select fields, version from hub.masking where tenant_id = $1`;
const writeSql = `
  insert into hub.masking as kept (tenant_id, fields) values ($1, $2)
  on conflict (tenant_id) do update set fields = excluded.fields, version = kept.version + 1, changed_at = now()
  returning fields, version`;

export function registerMaskingRules(app: FastifyInstance, { pools, keys }: Deps): void {
  addRoute(app, routes.getMaskingRules, ({ tenant: { tenantId }, reply }) =>
    inTenant(pools.readOnly, tenantId, async (client) => tagVersion(reply, await readRules(client, tenantId))),
  );

  addRoute(app, routes.updateMaskingRules, ({ tenant: { tenantId }, body, request, reply }) =>
    change(pools.app, request, async (client, trail) => {
      // Of two at once the second one waits here and is told of the first.
      await client.query("select from hub.tenant where id = $1 for no key update", [tenantId]);
      const stored = await readRules(client, tenantId);
      checkVersion(request, stored);
      trail.before = stored;
      const { rows } = await client.query<{ fields: string[]; version: number }>(writeSql, [tenantId, [...new Set(body.fields)]]);
      if (!rows[0]) throw new Error("the rules were not written");
      return tagVersion(reply, { ...rows[0], isDefault: false });
    }),
  );

  addRoute(app, routes.revealValue, ({ tenant: { tenantId }, body: { source, pointer }, request }) =>
    change(pools.app, request, async (client, trail) => {
      const text = await readSource(client, tenantId, source);
      const { valueAt } = await readMasking(client, tenantId, keys.masking);
      const value = text === null ? null : valueAt(text, pointer);
      if (value === null) throw notFound();
      trail.target = {
        kind: source.kind,
        id: "key" in source ? source.key : "messageId" in source ? source.messageId : source.externalMessageId,
      };
      trail.after = { ...source, pointer };
      return { value };
    }),
  );
}

async function readRules(client: pg.ClientBase, tenantId: number): Promise<MaskingRules> {
  const [row] = (await client.query<{ fields: string[]; version: number }>(getSql, [tenantId])).rows;
  return row ? { ...row, isDefault: false } : { fields: defaultMaskedFields, isDefault: true, version: 0 };
}
