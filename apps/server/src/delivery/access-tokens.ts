import type { AccessToken, Dead, OutboundRequest, Retry, TargetResponse, TokenGrant } from "@crossdock/connectors";
import { EgressError } from "../egress/egress-error.ts";
import type { Egress } from "../egress/egress.ts";
import type { Point } from "../intake/directory.ts";
import { sha256 } from "../keys/sha256.ts";

type TokenFault = { kind: "fault"; request: OutboundRequest; response: TargetResponse | null; verdict: Retry | Dead };

export type AccessTokens = {
  /** The integration point's token, kept or fetched. `refused` is one that the target no longer takes: the answer is another one. */
  get: (point: Pick<Point, "tenantId" | "id">, grant: TokenGrant, refused?: string) => Promise<AccessToken | TokenFault>;
};

/** Tokens kept at most; the oldest gives way. */
const sizeMax = 10_000;
/** A token is not used in its last part, as a delivery under way takes its time: a tenth of its life, at most a minute. */
const marginShare = 0.1;
const marginMsMax = 60_000;
/** Where the answer doesn't say how long the token lives. */
const lifetimeSeconds = 300;
const lifetimeSecondsMax = 86_400;

type Kept = { fingerprint: string; answer: Promise<AccessToken | TokenFault>; goodUntil: number };

/** Keeps the access tokens of integration points in memory, nowhere else. Deliveries that want one at the same time share one request. */
export function createAccessTokens(egress: Egress, now: () => number = () => performance.now()): AccessTokens {
  const kept = new Map<string, Kept>();

  function renew(key: string, grant: TokenGrant): Kept["answer"] {
    const begun = now();
    const entry: Kept = { fingerprint: fingerprintOf(grant), answer: ask(egress, grant), goodUntil: Infinity };
    entry.answer.then(
      (answer) => {
        if (answer.kind === "token") entry.goodUntil = begun + usableMs(answer);
        // A fault is told to those who wait for it; whoever comes next tries again.
        else forget(key, entry);
      },
      () => forget(key, entry),
    );
    const [oldest] = kept.keys();
    if (oldest !== undefined && kept.size >= sizeMax) kept.delete(oldest);
    kept.set(key, entry);
    return entry.answer;
  }

  function forget(key: string, entry: Kept): void {
    if (kept.get(key) === entry) kept.delete(key);
  }

  return {
    async get(point, grant, refused) {
      const key = `${point.tenantId} ${point.id}`;
      const known = kept.get(key);
      if (!known || known.fingerprint !== fingerprintOf(grant) || now() >= known.goodUntil) return renew(key, grant);
      const answer = await known.answer;
      if (refused === undefined || answer.kind === "fault" || answer.token !== refused) return answer;
      // Several may have been refused with the same token; the first of them asks for the next.
      const present = kept.get(key);
      return present === undefined || present === known ? renew(key, grant) : present.answer;
    },
  };
}

async function ask(egress: Egress, { request, read }: TokenGrant): Promise<AccessToken | TokenFault> {
  try {
    const response = await egress.send(request);
    const answer = read(response);
    return answer.kind === "token" ? answer : { kind: "fault", request, response, verdict: answer };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return { kind: "fault", request, response: null, verdict: verdictOfFault(error) };
  }
}

/** What an exchange without an answer means for the delivery. */
export function verdictOfFault({ fault, message, isPermanent }: EgressError): Retry | Dead {
  const error = { class: fault, message };
  // The worker stops while the target may be taking it: another try, and at once, but no fault of the target.
  if (fault === "aborted") return { kind: "retry", error, isTargetFault: false, retryAfterMs: 0 };
  return isPermanent ? { kind: "dead", error } : { kind: "retry", error, isTargetFault: true };
}

/** Another address, client or scope gives another token. */
function fingerprintOf({ request: { url, headers, body } }: TokenGrant): string {
  return sha256(JSON.stringify([url, headers, body])).toString("base64");
}

function usableMs({ expiresInSeconds }: AccessToken): number {
  const lifetimeMs = Math.min(expiresInSeconds ?? lifetimeSeconds, lifetimeSecondsMax) * 1000;
  return lifetimeMs - Math.min(lifetimeMs * marginShare, marginMsMax);
}
