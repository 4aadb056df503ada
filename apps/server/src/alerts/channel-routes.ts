import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { routes, type AlertChannel, type alertChannelRoutesAt } from "@crossdock/contract";
import { mayCaller, type Principal } from "../access/access.ts";
import type { AppParts } from "../app-parts.ts";
import { change, installation } from "../api/change.ts";
import { drawId, inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { parseAllowList } from "../egress/addresses.ts";
import { createEgress } from "../egress/egress.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";
import { checkVersion, tagVersion } from "../api/versions.ts";
import { scopeOfInstallation, scopeOfTenant, type Scope } from "../api/scopes.ts";
import { registerDeliveriesAt, type Tools } from "./channel-delivery-routes.ts";
import { getChannel, insertChannel, listChannels, removeChannel, requireUsers, rotateSecret, writeChannel } from "./channel-rows.ts";
import { makeSecret, sealSecret } from "./webhooks.ts";

const intervalSeconds = 300;
/** Short, as a person waits for the test's answer. */
const testMsMax = 10_000;

type Parts = Pick<AppParts, "mail">;

export function registerAlertChannels(app: FastifyInstance, deps: Deps, { mail }: Parts): void {
  const egress = createEgress({ allow: parseAllowList(deps.config.egressAllow), totalTimeoutMs: testMsMax });
  app.addHook("onClose", () => egress.close());
  const parts = { mail, egress };
  registerAt(app, deps, parts, scopeOfTenant, {
    list: routes.listAlertChannels,
    create: routes.createAlertChannel,
    update: routes.updateAlertChannel,
    remove: routes.removeAlertChannel,
    rotate: routes.rotateAlertChannel,
    test: routes.testAlertChannel,
    listDeliveries: routes.listAlertDeliveries,
  });
  registerAt(app, deps, parts, scopeOfInstallation, {
    list: routes.listInstallationAlertChannels,
    create: routes.createInstallationAlertChannel,
    update: routes.updateInstallationAlertChannel,
    remove: routes.removeInstallationAlertChannel,
    rotate: routes.rotateInstallationAlertChannel,
    test: routes.testInstallationAlertChannel,
    listDeliveries: routes.listInstallationAlertDeliveries,
  });
}

/** The path of a webhook's address is often its secret. */
function shownTo(principal: Principal, tenantId: number, channel: AlertChannel): AlertChannel {
  const isTrusted = mayCaller(principal, tenantId === installation ? "administer" : "configure");
  return isTrusted || channel.url === null ? channel : { ...channel, url: `${new URL(channel.url).origin}/…` };
}

/** For the audit log, whose readers may lack the right to see more. */
const withoutPath = (channel: AlertChannel): AlertChannel =>
  channel.url === null ? channel : { ...channel, url: `${new URL(channel.url).origin}/…` };

function registerAt(app: FastifyInstance, deps: Deps, tools: Tools, scopeOf: Scope, at: ReturnType<typeof alertChannelRoutesAt>): void {
  const { pools, keys } = deps;
  registerDeliveriesAt(app, deps, tools, scopeOf, at);

  addRoute(app, at.list, (context) => {
    const tenantId = scopeOf(context);
    return inTenant(pools.readOnly, tenantId, async (client) => ({
      items: (await listChannels(client, tenantId)).map((channel) => shownTo(context.principal, tenantId, channel)),
    }));
  });

  addRoute(app, at.create, (context) => {
    const tenantId = scopeOf(context);
    const { kind, name, isActive = true, userIds = [], url = null } = context.body;
    const secret = kind === "webhook" ? makeSecret() : null;
    const create = async (client: pg.ClientBase, trail: { after?: unknown }) => {
      await requireUsers(client, tenantId, userIds);
      // Drawn first, as the secret is sealed for its row's id.
      const id = await drawId(client, "hub.alert_channel");
      const sealed = secret === null ? null : sealSecret(keys.webhooks, tenantId, id, secret);
      const seconds = context.body.intervalSeconds ?? intervalSeconds;
      await insertChannel(client, tenantId, { id, kind, name, isActive, userIds, url, secret: sealed, intervalSeconds: seconds });
      const channel = await getChannel(client, tenantId, id);
      trail.after = withoutPath(channel);
      return { ...channel, secret };
    };
    return createOnce(pools.app, tenantId, context, create, {
      keepOnly: ({ id, secret }) => (secret === null ? null : because("channel-shown-then", { id: String(id), name })),
    });
  });

  addRoute(app, at.update, (context) => {
    const tenantId = scopeOf(context);
    const { body, params, request, reply } = context;
    return change(pools.app, request, async (client, trail) => {
      const stored = await getChannel(client, tenantId, params.channelId, "lock");
      checkVersion(request, stored);
      trail.before = withoutPath(stored);
      // Somebody who was named before may have left since.
      const added = body.userIds?.filter((id) => !stored.userIds.includes(id)) ?? [];
      await requireUsers(client, tenantId, added);
      if (body.url !== undefined && stored.kind === "email") throw new ApiError("bad-request", because("email-without-address"));
      await writeChannel(client, tenantId, stored.id, {
        name: body.name ?? stored.name,
        isActive: body.isActive ?? stored.isActive,
        userIds: body.userIds ?? stored.userIds,
        url: body.url ?? stored.url,
        intervalSeconds: body.intervalSeconds ?? stored.intervalSeconds,
      });
      const channel = await getChannel(client, tenantId, stored.id);
      trail.after = withoutPath(channel);
      return tagVersion(reply, channel);
    });
  });

  addRoute(app, at.remove, (context) => {
    const tenantId = scopeOf(context);
    return change(pools.app, context.request, async (client, trail) => {
      trail.before = withoutPath(await getChannel(client, tenantId, context.params.channelId, "lock"));
      await removeChannel(client, tenantId, context.params.channelId);
      return undefined;
    });
  });

  addRoute(app, at.rotate, (context) => {
    const tenantId = scopeOf(context);
    return change(pools.app, context.request, async (client, trail) => {
      const stored = await getChannel(client, tenantId, context.params.channelId, "lock");
      if (stored.kind === "email") throw new ApiError("conflict", because("email-without-secret"));
      trail.before = withoutPath(stored);
      const secret = makeSecret();
      await rotateSecret(client, tenantId, stored.id, sealSecret(keys.webhooks, tenantId, stored.id, secret));
      const channel = await getChannel(client, tenantId, stored.id);
      trail.after = withoutPath(channel);
      return { ...channel, secret };
    });
  });
}
