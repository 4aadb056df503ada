import { sandboxSystem } from "./sandbox-client.ts";

type Behaviour = Parameters<ReturnType<typeof sandboxSystem>["behave"]>[0];
/** `system` behaves so from second `from` for `seconds`, in a cycle of ten minutes. */
type Spell = { system: string; from: number; seconds: number; behaviour: Behaviour };

const cycleSeconds = 600;
const spells: Spell[] = [
  { system: "sitoo", from: 15, seconds: 50, behaviour: { mode: "500", rate: 0.6 } },
  { system: "centra", from: 120, seconds: 40, behaviour: { mode: "429", rate: 0.5, retryAfter: 4 } },
  { system: "bigcommerce", from: 220, seconds: 45, behaviour: { mode: "500-text", rate: 1 } },
  { system: "magento", from: 330, seconds: 60, behaviour: { mode: "slow", rate: 0.3, delayMs: 2500 } },
  { system: "brink", from: 430, seconds: 30, behaviour: { mode: "reset", rate: 0.4 } },
  { system: "sitoo", from: 500, seconds: 30, behaviour: { mode: "hang", rate: 0.2 } },
];

/** Receipts that the sandbox may hold for one system before it is told to forget them: a demo may run for weeks. */
const receiptsMax = 20_000;

/** The shop's own limit is that of a small plan; the demo's catalogue would take an hour to get through it. */
export function prepareShop(sandboxUrl: string): Promise<void> {
  return sandboxSystem(sandboxUrl, "nordhem-se").behave({ mode: "ok", bucket: { size: 400, leakPerSecond: 100 } });
}

/** Lets the targets fail now and then, as real ones do; called once a second with the seconds since the start. */
export async function changeWeather(sandboxUrl: string, second: number): Promise<void> {
  const now = second % cycleSeconds;
  for (const { system, from, seconds, behaviour } of spells) {
    if (now === from) await sandboxSystem(sandboxUrl, system).behave(behaviour);
    if (now === from + seconds) await sandboxSystem(sandboxUrl, system).behave({ mode: "ok" });
  }
  if (now === cycleSeconds - 1) await tidyUp(sandboxUrl);
}

async function tidyUp(sandboxUrl: string): Promise<void> {
  for (const name of ["erp", "sitoo", "centra", "bigcommerce", "magento", "brink", "colect", "nuorder", "nordhem-se"]) {
    const system = sandboxSystem(sandboxUrl, name);
    if ((await system.counts()).received > receiptsMax) await system.forget();
  }
}
