import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { MessageId, routes, type DeadLetterSelection } from "@crossdock/contract";
import {
  deadNeighbours,
  deadOfGroup,
  getMessage,
  listDead,
  removeDead,
  requeueDead,
  type DeadNeighbour,
  type MessageFilter,
} from "@crossdock/queue";
import type { z } from "zod";
import { actorName } from "../access/actor.ts";
import { readCursor } from "../api/cursors.ts";
import { change } from "../api/change.ts";
import { requireFuture } from "../api/future.ts";
import { readConcealing } from "../masking/concealing.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors/errors.ts";
import { addListRoute } from "../api/list-route.ts";
import { operate } from "../messages/actions.ts";
import { toMessageFilter } from "../messages/filter.ts";
import { readMessageDocuments, toDeadLetter, toPage } from "../messages/rows.ts";
import { isSlowInState, prepareScan, rowsBy, type ScanAsked } from "../messages/scan.ts";
import { addRoute } from "../api/route.ts";
import { addScanRoute, walkScan } from "../api/scanning.ts";
import { readSubtenantCodes } from "../subtenants/codes.ts";
import { listOperators, listReaders } from "../access/tenant-people.ts";
import { beginGroups, readGroups } from "./groups.ts";
import { readLastFailure, readTriage, untouched, writeTriage } from "./triage.ts";

/** The most messages that one call changes, so that its transaction stays short; the caller calls again while there are more. */
const batchSize = 1000;

export function registerDeadLetters(app: FastifyInstance, deps: Deps): void {
  const { pools, keys } = deps;
  const scanFor = (asked: ScanAsked) => prepareScan(deps, asked, { ofList: ofDead, begin: rowsBy(toDeadLetter) });
  addListRoute(
    app,
    deps,
    { list: routes.listDeadLetters, exported: routes.exportDeadLetters },
    ({ tenant: { tenantId }, principal, query }, signal) =>
      inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        const concealing = await readConcealing(client, { tenantId, principal, key: keys.masking });
        const filter = await toMessageFilter(client, tenantId, query, concealing);
        const page = await listDead(client, { tenantId, filter, cursor: readCursor(MessageId, query.cursor), limit: query.limit });
        return toPage(client, tenantId, page, toDeadLetter);
      }),
    {
      documents: readMessageDocuments,
      walk: ({ tenant, principal, query }, signal) =>
        isSlowInState(query) ? walkScan(pools.readOnly, tenant.tenantId, () => scanFor({ tenant, principal, query }), signal) : null,
    },
  );

  addScanRoute(app, deps, routes.scanDeadLetters, scanFor);

  addRoute(app, routes.listDeadLetterGroups, ({ tenant: { tenantId }, principal, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const concealing = await readConcealing(client, { tenantId, principal, key: keys.masking });
      return readGroups(client, tenantId, await toMessageFilter(client, tenantId, query, concealing));
    }),
  );

  addScanRoute(app, deps, routes.scanDeadLetterGroups, (asked) => prepareScan(deps, asked, { ofList: ofDead, begin: beginGroups }));

  addRoute(app, routes.triageDeadLetterGroup, ({ tenant: { tenantId }, principal, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      trail.target = { kind: "dead-letter-groups", id: body.fingerprint };
      requireFuture("ignoredUntil", body.ignoredUntil);
      const lastAt = await readLastFailure(client, tenantId, body.fingerprint);
      trail.before = (await readTriage(client, tenantId, [{ fingerprint: body.fingerprint, lastAt }])).get(body.fingerprint);
      return writeTriage(client, tenantId, body, await actorName(client, tenantId, principal));
    }),
  );

  addRoute(app, routes.getDeadLetter, ({ tenant: { tenantId }, params: { messageId } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const message = await getMessage(client, { tenantId, messageId });
      if (message?.state !== "dead") throw notFound();
      const deadLetter = toDeadLetter(message, await readSubtenantCodes(client, tenantId));
      const fingerprint = message.fingerprint ?? "";
      const lastAt = await readLastFailure(client, tenantId, fingerprint);
      const triage = await readTriage(client, tenantId, [{ fingerprint, lastAt }]);
      const { previous, next } = await deadNeighbours(client, { tenantId, fingerprint, messageId });
      return { ...deadLetter, triage: triage.get(fingerprint) ?? untouched, previous: toNeighbour(previous), next: toNeighbour(next) };
    }),
  );

  addRoute(app, routes.listOperators, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => ({
      items: query.readers ? await listReaders(client, tenantId) : await listOperators(client, tenantId),
    })),
  );

  addRoute(app, routes.requeueDeadLetters, ({ tenant: { tenantId }, principal, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      const { wanted, hasMore } = await read(client, tenantId, body);
      const operation = { tenantId, principal, verb: "requeue", wanted, trail } as const;
      return { ...(await operate(client, operation, () => requeueDead(client, { tenantId, messageIds: wanted }))), hasMore };
    }),
  );

  addRoute(app, routes.removeDeadLetters, ({ tenant: { tenantId }, principal, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      const { wanted, hasMore } = await read(client, tenantId, body);
      const operation = { tenantId, principal, verb: "remove", wanted, trail } as const;
      return { ...(await operate(client, operation, (by) => removeDead(client, { tenantId, messageIds: wanted, by }))), hasMore };
    }),
  );
}

const ofDead = (filter: MessageFilter): MessageFilter => ({ ...filter, state: "dead" });

type Selection = z.output<typeof DeadLetterSelection>;

/** The dead letters that one call is about; for a group, as many as one call takes. */
async function read(client: pg.ClientBase, tenantId: number, selection: Selection): Promise<{ wanted: string[]; hasMore: boolean }> {
  if ("ids" in selection) return { wanted: selection.ids, hasMore: false };
  const wanted = await deadOfGroup(client, { tenantId, fingerprint: selection.fingerprint, limit: batchSize });
  return { wanted, hasMore: wanted.length === batchSize };
}

function toNeighbour(neighbour: DeadNeighbour | null) {
  return neighbour && { id: neighbour.messageId, queueName: neighbour.queueName };
}
