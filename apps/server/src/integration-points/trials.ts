import type { FastifyInstance } from "fastify";
import { routes, type ConnectorCode } from "@crossdock/contract";
import type pg from "pg";
import { mayCaller } from "../access/access.ts";
import type { AppParts } from "../app-parts.ts";
import { change } from "../api/change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { parseAllowList } from "../egress/addresses.ts";
import { createEgress } from "../egress/egress.ts";
import { notFound } from "../errors/errors.ts";
import { compareWays, readCompared } from "../impact/impact.ts";
import { readLastMessages } from "../impact/messages.ts";
import { addRoute } from "../api/route.ts";
import { checkCredentials, checkSettings } from "./check.ts";
import { testConnection } from "../delivery/connection-test.ts";
import { getIntegrationPoint } from "./rows.ts";
import { openStored, refuseElsewhere, withSecrets } from "./secrets.ts";

/** Short, as a person waits for the answer. */
const testTimeoutMs = 15_000;

/** What a configuration does or would do, before it is saved. */
export function registerConfigurationTrials(app: FastifyInstance, { pools, keys, config }: Deps, directory: AppParts["directory"]): void {
  const egress = createEgress({ allow: parseAllowList(config.egressAllow), totalTimeoutMs: testTimeoutMs });
  app.addHook("onClose", () => egress.close());

  type Tested = { id: number; connector: ConnectorCode; settings: Record<string, unknown>; given: object };

  async function storedCredentials(client: pg.ClientBase, tenantId: number, { id, connector, settings, given }: Tested) {
    const point = await getIntegrationPoint(client, tenantId, id);
    // Secrets for one kind of system must not reach another kind.
    if (point.connector !== connector) throw notFound();
    refuseElsewhere(point, settings, given);
    return openStored(client, { keys: keys.credentials, tenantId, point }, given);
  }

  addRoute(app, routes.testConnection, async ({ tenant: { tenantId }, body, request }) => {
    const { connector, integrationPointId: id } = body;
    const settings = checkSettings(connector, body.settings);
    const given = body.credentials;
    const stored =
      id === undefined
        ? {}
        : await inTenant(pools.app, tenantId, (client) => storedCredentials(client, tenantId, { id, connector, settings, given }));
    const credentials = checkCredentials(connector, { ...stored, ...given }, settings);
    const answer = await testConnection(egress, { connector, settings, credentials });
    return change(pools.app, request, async (_client, trail) => {
      // Stored secrets were sent out at the caller's wish, which is worth an audit event whatever the answer.
      trail.target = { kind: "integration-points", id: id === undefined ? null : String(id) };
      trail.after = { connector, url: answer.url, result: answer.result, status: answer.status };
      return answer;
    });
  });

  addRoute(app, routes.previewIntegrationPoint, async ({ tenant, params: { integrationPointId: id }, body, principal }) => {
    const { tenantId } = tenant;
    const configuration = await directory.fresh(tenantId);
    const point = configuration.points.get(id);
    if (!point) throw notFound();
    const settings = body.change.settings ? checkSettings(point.connector, body.change.settings) : point.settings;
    const { secrets } = body.change;
    const credentials = secrets
      ? checkCredentials(point.connector, withSecrets(point.credentials ?? {}, secrets), settings)
      : point.credentials;
    const proposed = { ...point, settings, credentials };
    const { mappingsOf } = configuration;
    const compared = await inTenant(pools.readOnly, tenantId, async (client) =>
      readCompared(client, tenantId, await readLastMessages(client, tenantId, { targetIds: [id], size: body.size })),
    );
    const ways = { before: { mappingsOf, pointOf: () => point }, after: { mappingsOf, pointOf: () => proposed } };
    return compareWays(compared, { ways, masking: configuration.masking, mayReveal: mayCaller(principal, "reveal") });
  });
}
