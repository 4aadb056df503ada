import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { testDatabase, testSecret } from "@crossdock/db/testing";
import { readConfig } from "./config.ts";
import { closePools, createPools } from "./db.ts";
import { createKeys, type Deps } from "./deps.ts";

/** What a process is wired with, on a fresh database. `close` ends the pools and drops it. */
export async function testDeps(
  environment: Record<string, string> = {},
): Promise<{ deps: Deps; ownerUrl: string; close: (app?: FastifyInstance) => Promise<void> }> {
  const database = await testDatabase();
  const logger = pino({ level: "silent" });
  const config = readConfig({ CROSSDOCK_DEMO: "0", ...environment });
  const pools = createPools({ appUrl: database.appUrl, workerUrl: database.workerUrl, size: 8, logger });
  const deps: Deps = { config, pools, logger, keys: createKeys(testSecret) };
  return {
    deps,
    ownerUrl: database.ownerUrl,
    close: async (app) => {
      await app?.close();
      await closePools(pools);
      await database.drop();
    },
  };
}
