import type { AnswerOf, BodyOf, Fault, Method, ParamsOf, Problem, QueryOf, RouteDefinition } from "@crossdock/contract";
import { answerMaxMs, isTimeOver, request } from "./connection.ts";
import { withAllTexts } from "../i18n/i18n.tsx";
import { ApiError, readProblem } from "./problem.ts";
import { renewSession, session } from "../session/session.ts";

type Input<Route extends RouteDefinition> = {
  params?: ParamsOf<Route>;
  query?: QueryOf<Route>;
  body?: BodyOf<Route>;
  /** The version that the change is based on; the server refuses it when there is a newer one. */
  ifVersion?: number;
  signal?: AbortSignal;
};

/** How long an answer to a change may take, whose body may be large: nobody is kept for good in a dialog that waits for it. */
const changeMaxMs = 120_000;

/** Changes under way, by request. */
const underWay = new Map<string, Promise<unknown>>();

/** What was asked for again so much later is wanted once more. */
const sameWishMs = 10 * 60_000;
/** The idempotency keys of what was posted and got no answer, by request, and what forgets them. */
const lostKeys = new Map<string, { key: string; forgetting: number }>();

/**
 * Calls a route of the contract: `api<Routes["getTenant"]>("GET", "/tenants/:tenantCode", { params: { tenantCode } })`. The same change asked
 * for again before it is answered, as by a double click, or after its answer was lost, is one change.
 */
export function api<Route extends RouteDefinition>(method: Method, path: string, input: Input<Route> = {}): Promise<AnswerOf<Route>> {
  if (method === "GET" || input.signal) return call(method, path, input);
  const wish = JSON.stringify([method, path, input]);
  const known = underWay.get(wish);
  // The same request has the same route, and so the same type of answer.
  if (known) return known as Promise<AnswerOf<Route>>;
  const sent = method === "POST" ? postOnce<Route>(path, input, wish) : call<Route>(method, path, input);
  const answer = sent.finally(() => underWay.delete(wish));
  underWay.set(wish, answer);
  return answer;
}

/** The server creates one thing only under one idempotency key. */
async function postOnce<Route extends RouteDefinition>(path: string, input: Input<Route>, wish: string): Promise<AnswerOf<Route>> {
  const lost = lostKeys.get(wish);
  clearTimeout(lost?.forgetting);
  lostKeys.delete(wish);
  const key = lost?.key ?? newKey();
  try {
    return await call<Route>("POST", path, input, key);
  } catch (error) {
    if (mayBeDone(error)) lostKeys.set(wish, { key, forgetting: window.setTimeout(() => lostKeys.delete(wish), sameWishMs) });
    throw error;
  }
}

/** `crypto.randomUUID` exists in secure contexts only (https or localhost). */
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join("-");

/** Whether it is not known what became of a request: no answer came, or one that says nothing about it. */
export function mayBeDone(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  const { status, code } = error.problem;
  return status === 0 || status >= 500 || code === "request-under-way";
}

function call<Route extends RouteDefinition>(
  method: Method,
  path: string,
  input: Input<Route>,
  idempotencyKey?: string,
): Promise<AnswerOf<Route>> {
  return ask(addressOf<Route>(path, input), {
    method,
    signal: input.signal ?? null,
    headers: {
      ...(input.body !== undefined && { "content-type": "application/json" }),
      ...(input.ifVersion !== undefined && { "if-match": `"${input.ifVersion}"` }),
      ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
    },
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
  });
}

/** Asks for what is read as a whole, be it of no route of the contract. Throws ApiError also where no answer comes in time, or where it breaks off. */
export async function ask<Answer>(url: string, init: RequestInit = {}): Promise<Answer> {
  const isRead = (init.method ?? "GET") === "GET";
  try {
    const response = await authorisedFetch(url, init, isRead ? answerMaxMs : changeMaxMs);
    // An answer without content (204) has no JSON to read.
    return JSON.parse((await response.text()) || "null");
  } catch (error) {
    if (isTimeOver(error)) throw await failure(isRead ? "timed-out" : "unanswered", url);
    // The connection went while the answer came.
    if (error instanceof TypeError) throw await failure("offline", url);
    throw error;
  }
}

/** The address of a route of the contract, for answers that are read while they arrive. */
export function addressOf<Route extends RouteDefinition>(path: string, { params, query }: Pick<Input<Route>, "params" | "query">): string {
  return `/api/v1${fill(path, params)}${queryString(query)}`;
}

/**
 * Sends the bearer token. A request refused because the token ran out goes out once more with a new one. Each time, request and answer may take
 * as long as said, if said.
 */
export async function authorisedFetch(url: string, init: RequestInit, maxMs?: number): Promise<Response> {
  const worn = session.accessToken();
  const response = await sendWithToken(url, init, maxMs);
  if (response.ok) return response;
  const problem = await readProblem(response);
  // Another request, or another tab, may have renewed it meanwhile.
  const isRenewed = problem.msg === "Token is not valid" && ((worn !== null && session.accessToken() !== worn) || (await renewed(url)));
  if (!isRenewed) throw new ApiError(await told(problem, url));
  const again = await sendWithToken(url, init, maxMs);
  if (!again.ok) throw new ApiError(await told(await readProblem(again), url));
  return again;
}

/** Whether there is a new token. */
async function renewed(url: string): Promise<boolean> {
  try {
    return await renewSession();
  } catch {
    throw await failure("offline", url);
  }
}

async function sendWithToken(url: string, init: RequestInit, maxMs: number | undefined): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${session.accessToken()}`);
  const signals = [init.signal ?? [], maxMs === undefined ? [] : AbortSignal.timeout(maxMs)].flat();
  const signal = AbortSignal.any(signals);
  try {
    return await request(url, { ...init, headers, signal });
  } catch (error) {
    throw signal.aborted ? error : await failure("offline", url);
  }
}

/** No answer came. */
async function failure(code: "offline" | "timed-out" | "unanswered", url: string): Promise<ApiError> {
  return new ApiError(await told({ type: "about:blank", title: "No answer", status: 0, code, requestId: "" }, url));
}

/** A refusal in the console's language; in the server's where the texts cannot be loaded, as without a connection. */
async function told(problem: Problem, url: string): Promise<Problem> {
  try {
    const { translated } = await withAllTexts(() => import("./problem-texts.ts"));
    return await translated(problem, url);
  } catch {
    return problem;
  }
}

/** The faults that a check found, in the console's language; without any, no texts are loaded. */
export async function toldFaults<Found extends Omit<Fault, "path">>(faults: Found[]): Promise<Found[]> {
  if (faults.length === 0) return faults;
  const placed = faults.map((fault) => ({ path: "", ...fault }));
  const { errors = [] } = await told({ type: "about:blank", title: "", status: 0, code: "", requestId: "", errors: placed }, "");
  return faults.map((fault, index) => ({ ...fault, message: errors[index]?.message ?? fault.message }));
}

function fill(path: string, params: unknown): string {
  return Object.entries(params ?? {}).reduce(
    (filled, [name, value]) => filled.replace(`:${name}`, encodeURIComponent(String(value))),
    path,
  );
}

function queryString(query: unknown): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const));
  const search = new URLSearchParams();
  for (const [name, value] of pairs) if (value !== undefined && value !== "") search.append(name, String(value));
  return search.size > 0 ? `?${search}` : "";
}
