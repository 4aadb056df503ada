import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { connectors, type Dead, type OutboundRequest, type Retry, type TargetResponse } from "@crossdock/connectors";
import type { ExternalItemKey } from "@crossdock/contract";
import { EgressError } from "../egress/egress-error.ts";
import type { Point } from "../intake/directory.ts";
import { verdictOfFault, type AccessTokens } from "./access-tokens.ts";
import type { DeliveryEgress } from "./debugging.ts";
import { maskAll, secretsIn, secretsOf } from "./recording.ts";
import { untilBack } from "./until-back.ts";

type SendDeps = { egress: DeliveryEgress; accessTokens: AccessTokens };

export type ExchangeDeps = SendDeps & {
  /** The other key, if any, that a target knows by this external id. */
  findOtherKey: (tenantId: number, key: ExternalItemKey, externalId: string) => Promise<string | null>;
  /** Takes one request of the target's rate: milliseconds until it may be sent. */
  reserveRequest: (point: Point) => Promise<number>;
};

/** A delivery that needs more requests than this is going round in circles. */
const requestsMax = 20;

type Exchanged = { request: OutboundRequest; response: TargetResponse | null };
type Failed = Exchanged & (Retry | Dead);
/** What came of the requests of a delivery. */
export type Exchange = (Exchanged & { kind: "delivered"; externalId: string | null; error: null }) | Failed;

/** Sends requests until the connector has its verdict. What is recorded is the last request, which decided. */
export async function exchange(
  deps: ExchangeDeps,
  point: Point,
  item: ExternalItemKey,
  first: OutboundRequest,
  signal: AbortSignal,
): Promise<Exchange> {
  const { entityType } = item;
  let request = first;
  let sent = first;
  for (let count = 1; count <= requestsMax; count += 1) {
    const answered = await send(deps, point, request, signal);
    if (answered.kind !== "answered") return answered;
    const { response } = answered;
    sent = answered.request;
    let verdict = connectors[point.connector].verdict({ entityType, request, response });
    while (verdict.kind === "found") {
      const { externalId, ours, theirs } = verdict;
      const other = await untilBack(() => deps.findOtherKey(point.tenantId, item, externalId), signal);
      verdict = other === null ? ours() : theirs(other);
    }
    if (verdict.kind === "delivered") {
      return { kind: "delivered", request: sent, response, error: null, externalId: keptId(verdict.externalId) };
    }
    if (verdict.kind !== "next") return { ...verdict, request: sent, response };
    if (verdict.afterMs !== undefined) await pause(verdict.afterMs, signal);
    // The engine has counted the first.
    if (point.ratePerSecond !== null) await pause(await untilBack(() => deps.reserveRequest(point), signal), signal);
    request = verdict.request;
  }
  return {
    kind: "dead",
    request: sent,
    response: null,
    error: { class: "too-many-requests", message: `The delivery took more than ${requestsMax} requests.` },
  };
}

/** In characters: as many as an import takes. */
const externalIdLengthMax = 500;

/** One that the database doesn't take, with NUL or too long for its index, would fail every delivery that is stored together with this one. */
export function keptId(externalId: string | undefined): string | null {
  const isStorable = externalId !== undefined && externalId.length <= externalIdLengthMax && !externalId.includes("\0");
  return isStorable ? externalId : null;
}

/** Ends early when the signal says so, which the next request then hears. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** `request` is what was really sent, `token` the access token in it. */
type Answered = { kind: "answered"; request: OutboundRequest; response: TargetResponse; token?: string };

/** Sends one request, with an access token where it wants one. A token that is refused is replaced once. */
async function send(deps: SendDeps, point: Point, request: OutboundRequest, signal: AbortSignal): Promise<Answered | Failed> {
  const first = await sendOnce(deps, point, request, signal);
  if (first.kind !== "answered" || first.token === undefined || first.response.status !== 401) return first;
  return sendOnce(deps, point, request, signal, first.token);
}

async function sendOnce(
  { egress, accessTokens }: SendDeps,
  point: Point,
  request: OutboundRequest,
  signal: AbortSignal,
  refused?: string,
): Promise<Answered | Failed> {
  // The question for a token may be others' too and goes on; who is to stop doesn't wait for it, and the sending below says so.
  const answer = request.grant && (await unlessStopped(accessTokens.get(point, request.grant, refused), signal));
  if (answer?.kind === "fault") return { ...answer.verdict, request: answer.request, response: answer.response };
  const sent = signed(answer ? withToken(request, answer.token) : request);
  try {
    const response = await egress.send(sent, signal);
    return { kind: "answered", request: sent, response, ...(answer && { token: answer.token }) };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return { ...verdictOfFault(error), request: sent, response: null };
  }
}

/** Undefined once the signal says so. It listens no longer than it waits: all deliveries of a worker share the signal. */
async function unlessStopped<Result>(asked: Promise<Result>, signal: AbortSignal): Promise<Result | undefined> {
  const stopped = Promise.withResolvers<undefined>();
  const stop = (): void => stopped.resolve(undefined);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([asked, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Each sending has a signature of its own, retries too. */
function signed(request: OutboundRequest): OutboundRequest {
  if (!request.sign) return request;
  const headers = request.sign(new Date(), randomUUID());
  return { ...request, headers: { ...request.headers, ...headers }, secretHeaders: [...request.secretHeaders, ...Object.keys(headers)] };
}

/** An answer, and how to take out of a text what the system was told in secret and may have repeated. */
export type Sent = TargetResponse & { conceal: (text: string) => string };

/** Sends single requests of a point, with its token or signature, for those who ask a system something without delivering to it. */
export function createSender(
  deps: SendDeps,
): (point: Point, request: OutboundRequest, signal: AbortSignal) => Promise<Sent | Retry | Dead> {
  return async (point, request, signal) => {
    const answered = await send(deps, point, request, signal);
    const secrets = [...(answered.request ? secretsIn(answered.request) : []), ...secretsOf(point.credentials ?? {})];
    const conceal = (text: string): string => maskAll(text, secrets);
    if (answered.kind === "answered") return { ...answered.response, conceal };
    const error = { ...answered.error, message: conceal(answered.error.message) };
    if (answered.kind === "dead") return { kind: "dead", error };
    return { kind: "retry", error, isTargetFault: true };
  };
}

function withToken(request: OutboundRequest, token: string): OutboundRequest {
  const header = request.grant?.header;
  const headers = { ...request.headers, [header ?? "authorization"]: header === undefined ? `Bearer ${token}` : token };
  return { ...request, headers, secretHeaders: [...request.secretHeaders, header ?? "authorization"] };
}
