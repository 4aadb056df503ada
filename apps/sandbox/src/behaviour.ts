/** How a system answers for now. */
const modes = ["ok", "429", "500", "500-text", "hang", "reset", "slow", "200-error", "malformed"] as const;
export type Mode = (typeof modes)[number];

export type Behaviour = {
  mode: Mode;
  /** Share of the requests that it concerns, 0 to 1. Spread evenly, not by chance, so that runs repeat. */
  rate: number;
  /** Seconds, sent with 429 as a decimal as Shopify does; null sends none. */
  retryAfter: number | null;
  /** For `slow`. */
  delayMs: number;
  /** Only paths of this pattern, in which * stands for anything; null: all. */
  only: string | null;
  /** `after`: the request is taken and stored, and only its answer fails, as when a connection breaks too late. */
  when: "before" | "after";
  /** Shopify's leaky bucket: requests it holds, and how many leak out per second. */
  bucket: { size: number; leakPerSecond: number };
  /** How long an access token is said to be good. */
  tokenSeconds: number;
};

export const usual: Behaviour = {
  mode: "ok",
  rate: 1,
  retryAfter: 2,
  delayMs: 1_000,
  only: null,
  when: "before",
  bucket: { size: 400, leakPerSecond: 20 },
  tokenSeconds: 3_600,
};

/** The behaviour that a control message asks for, or what is wrong with it. */
export function readBehaviour(message: unknown): Behaviour | string {
  if (typeof message !== "object" || message === null || Array.isArray(message)) return "must be a JSON object";
  const behaviour: Behaviour = { ...usual };
  for (const [name, value] of Object.entries(message)) {
    if (name === "mode" && isMode(value)) behaviour.mode = value;
    else if (name === "rate" && typeof value === "number" && value >= 0 && value <= 1) behaviour.rate = value;
    else if (name === "retryAfter" && (value === null || isCount(value))) behaviour.retryAfter = value;
    else if (name === "delayMs" && isCount(value)) behaviour.delayMs = value;
    else if (name === "tokenSeconds" && isCount(value)) behaviour.tokenSeconds = value;
    else if (name === "only" && (value === null || typeof value === "string")) behaviour.only = value;
    else if (name === "when" && (value === "before" || value === "after")) behaviour.when = value;
    else if (name === "bucket" && isBucket(value)) behaviour.bucket = value;
    else return `${name} is unknown or has no allowed value`;
  }
  return behaviour;
}

function isMode(value: unknown): value is Mode {
  return modes.some((mode) => mode === value);
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 86_400_000;
}

function isBucket(value: unknown): value is Behaviour["bucket"] {
  return (
    typeof value === "object" &&
    value !== null &&
    "size" in value &&
    isCount(value.size) &&
    "leakPerSecond" in value &&
    isCount(value.leakPerSecond)
  );
}

/** Decides request by request whether the behaviour concerns it. */
export class Dice {
  #sum = 0;

  concerns({ mode, rate, only }: Behaviour, path: string): boolean {
    if (mode === "ok" || (only !== null && !matches(only, path))) return false;
    this.#sum += rate;
    if (this.#sum < 1) return false;
    this.#sum -= 1;
    return true;
  }
}

function matches(pattern: string, path: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  if (!path.startsWith(first)) return false;
  let position = first.length;
  for (const [index, part] of rest.entries()) {
    if (index === rest.length - 1 && part !== "") return path.length - part.length >= position && path.endsWith(part);
    const found = path.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return rest.length > 0 || position === path.length;
}
