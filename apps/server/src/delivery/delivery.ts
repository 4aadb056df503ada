import type { ExternalItemKey } from "@crossdock/contract";
import { createWorker, reserveRate, type Handler } from "@crossdock/queue";
import { inTenant, inTenantAtOnce } from "../db.ts";
import type { Deps } from "../deps.ts";
import { parseAllowList } from "../egress/addresses.ts";
import { createEgress } from "../egress/egress.ts";
import { createDirectory } from "../intake/directory.ts";
import { createGroupCommit } from "../intake/group-commit.ts";
import type { Meter } from "../meter.ts";
import { createAccessTokens } from "./access-tokens.ts";
import { storeDebugRecord } from "./debugging.ts";
import { createHandler } from "./deliver.ts";
import { createEventLog } from "./event-log.ts";
import { findExternalItems, findOtherKey, storeDeliveries, type CompletedDelivery, type ExternalItem } from "./external-items.ts";

/** Look-ups and writes of one statement at most. */
const batchSizeMax = 500;

export type RunningDelivery = {
  /** What is in hand is finished or goes back to its queue; then connections are closed. */
  stop: () => Promise<void>;
};

/** Starts the worker of this process: takes messages from the queues and delivers them over HTTP. */
export async function startDelivery({ config, pools, logger, keys, meter, tracing }: Deps): Promise<RunningDelivery> {
  const directory = createDirectory(pools.worker, { keys, logger });
  const egress = createEgress({ allow: parseAllowList(config.egressAllow) });
  const lookUps = createGroupCommit<ExternalItemKey, ExternalItem | null>({
    sizeMax: batchSizeMax,
    run: (tenantId, wanted) => inTenantAtOnce(pools.worker, tenantId, (client) => () => findExternalItems(client, tenantId, wanted)),
  });
  const writes = createGroupCommit<CompletedDelivery, undefined>({
    sizeMax: batchSizeMax,
    run: async (tenantId, deliveries) => {
      await inTenantAtOnce(pools.worker, tenantId, (client) => () => storeDeliveries(client, tenantId, deliveries));
      return deliveries.map(() => undefined);
    },
  });
  const handler = createHandler({
    directory,
    egress,
    accessTokens: createAccessTokens(egress),
    logger,
    tracing,
    findExternalItem: lookUps.submit,
    findOtherKey: (tenantId, item, externalId) =>
      inTenant(pools.worker, tenantId, (client) => findOtherKey(client, tenantId, item, externalId)),
    storeDelivery: writes.submit,
    reserveRequest: ({ tenantId, id }) => reserveRate(pools.worker, { tenantId, targetId: id }),
    storeDebugRecord: (tenantId, record) => inTenant(pools.worker, tenantId, (client) => storeDebugRecord(client, tenantId, record)),
  });
  const worker = createWorker(pools.worker, {
    concurrency: config.workerConcurrency,
    handler: meter ? timed(handler, meter) : handler,
    onEvent: createEventLog(logger),
  });
  await directory.ready;
  await worker.start();
  return {
    stop: async () => {
      await worker.stop();
      await egress.close();
      await directory.close();
    },
  };
}

function timed(handler: Handler, { attempt }: Meter): Handler {
  return async (delivery, signal) => {
    const begun = performance.now();
    const outcome = await handler(delivery, signal);
    attempt(outcome.kind, (performance.now() - begun) / 1000);
    return outcome;
  };
}
