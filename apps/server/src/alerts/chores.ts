import type { Deps } from "../deps.ts";
import { parseAllowList } from "../egress/addresses.ts";
import { createEgress } from "../egress/egress.ts";
import type { Chore } from "../loops.ts";
import { tellChannels } from "./notices.ts";
import { pruneAlerts, watchAll } from "./watch.ts";
import { createSender } from "./webhooks.ts";

const hourMs = 3_600_000;

type AlertWorkers = { chores: Chore[]; stop: () => Promise<void> };

/** What the scheduler does for alerts. `stop` after the chores have ended. */
export function startAlertWorkers(deps: Deps): AlertWorkers {
  const { config, pools, keys } = deps;
  const egress = createEgress({ allow: parseAllowList(config.egressAllow) });
  const sender = createSender(deps, { pool: pools.app, egress, key: keys.webhooks });
  return {
    chores: [
      { name: "watch", everyMs: 5_000, run: (signal) => watchAll(pools, tellChannels.bind(null, deps), signal) },
      { name: "send alerts", everyMs: 1_000, run: (signal) => sender.begin(signal) },
      { name: "prune alerts", everyMs: hourMs, run: () => pruneAlerts(pools) },
    ],
    stop: async () => {
      // What hangs is broken off, and tried again by whoever comes next.
      await egress.close();
      await sender.settled();
    },
  };
}
