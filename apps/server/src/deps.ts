import { resolve } from "node:path";
import type { Logger } from "pino";
import type { Config } from "./config.ts";
import type { Pools } from "./db.ts";
import type { Meter } from "./meter.ts";
import { createKeyRing, readKeySecrets, type KeyRing } from "./keys/key-ring.ts";
import { deriveKey } from "./keys/sealing.ts";
import type { Tracing } from "./tracing.ts";

/** Keys derived from the installation's secret, one per purpose. */
export type Keys = {
  accessToken: Buffer;
  refreshToken: Buffer;
  apiKeys: Buffer;
  credentials: KeyRing;
  codes: Buffer;
  guesses: Buffer;
  mail: Buffer;
  /** Of the secrets that alerts' webhooks are signed with. */
  webhooks: Buffer;
  masking: Buffer;
};

export function createKeys(secret: string, { credentialKeys, dataDir }: Pick<Config, "credentialKeys" | "dataDir">): Keys {
  return {
    accessToken: deriveKey(secret, "access tokens"),
    refreshToken: deriveKey(secret, "refresh tokens"),
    apiKeys: deriveKey(secret, "API keys"),
    credentials: createKeyRing(() => readKeySecrets({ configured: credentialKeys, dataDir: resolve(dataDir), secret })),
    codes: deriveKey(secret, "mailed codes"),
    guesses: deriveKey(secret, "sign-in failures"),
    mail: deriveKey(secret, "mail"),
    webhooks: deriveKey(secret, "webhooks"),
    masking: deriveKey(secret, "masking"),
  };
}

/** What the parts of a process are wired with. `meter` and `tracing` are null when nobody asked for them. */
export type Deps = { config: Config; pools: Pools; logger: Logger; keys: Keys; meter: Meter | null; tracing: Tracing | null };
