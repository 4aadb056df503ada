import { setTimeout as sleep } from "node:timers/promises";
import type { Dead, ListedPage, OutboundRequest, Page, Retry, TargetResponse, Told } from "@crossdock/connectors";
import { connectors } from "@crossdock/connectors";
import type { EntityType } from "@crossdock/contract";
import { inTenant } from "../db.ts";
import type { Sent } from "../delivery/exchange.ts";
import type { Deps } from "../deps.ts";
import { because } from "../errors/faults.ts";
import type { Point } from "../intake/directory.ts";
import { sha256 } from "../keys/sha256.ts";
import { type ClaimedRun, LeaseLost, renewRun, writeLines } from "./runs.ts";

export type Send = (point: Point, request: OutboundRequest, signal: AbortSignal) => Promise<Sent | Retry | Dead>;

type AskDeps = { pools: Deps["pools"]; send: Send };
type Asked = { run: ClaimedRun; point: Point; entityType: EntityType; cursor: string | null; now?: Date; signal: AbortSignal };

/** How often one page is tried in all when the system's failures are temporary. */
const triesMax = 4;
const waitMsMax = 60_000;
/** Refused credentials wait for a person: asked with them again and again, a system may lock the account. */
const refusals: ReadonlySet<string> = new Set(["http-401", "authorization"]);
/** The most requests for one page; a system that goes round in circles ends there. */
const stepsMax = 100;

const unable: Dead = { kind: "dead", error: { class: "not-supported", message: "this system can't be asked" } };
const endless: Dead = { kind: "dead", error: { class: "too-many-requests", message: `A page took more than ${stepsMax} requests.` } };

/** What a run was handed last, at which place, and how often in a row before that. */
const lastGiven = new WeakMap<ClaimedRun, { cursor: string | null; digest: string; repeats: number }>();

/**
 * Whether a page that says that another follows leads nowhere: it names itself as the next, or comes for the third time in a row, as of a system
 * that doesn't heed which page it is asked for. One that heeds no time gives its first page twice, before its pages are counted.
 */
export function isSamePage(run: ClaimedRun, cursor: string | null, next: string | null, objects: readonly unknown[]): boolean {
  const digest = sha256(JSON.stringify(objects)).toString("base64");
  const last = lastGiven.get(run);
  const isRepeated = last !== undefined && last.cursor !== cursor && objects.length > 0 && last.digest === digest;
  const repeats = isRepeated ? last.repeats + 1 : 0;
  lastGiven.set(run, { cursor, digest, repeats });
  return next === cursor || repeats > 1;
}

/** The next page of what a source has to hand out. */
export function fetchPage(deps: AskDeps, asked: Asked): Promise<Page | Dead> {
  return withRetries(deps, asked, () =>
    answerTo<Page>(deps, asked, connectors[asked.point.connector].pull?.next(inputOf(asked)) ?? unable),
  );
}

/** The next page of what a target holds. */
export function fetchListed(deps: AskDeps, asked: Asked): Promise<ListedPage | Dead> {
  return withRetries(deps, asked, () =>
    answerTo<ListedPage>(deps, asked, connectors[asked.point.connector].list?.next(inputOf(asked)) ?? unable),
  );
}

type Question<Answered> = {
  request: OutboundRequest;
  read: (response: TargetResponse) => Told<Answered, Question<Answered>> | Promise<Told<Answered, Question<Answered>>>;
};

async function answerTo<Answered extends { kind: string }>(
  { send }: AskDeps,
  { point, signal }: Asked,
  first: Question<Answered> | Dead,
): Promise<Answered | Retry | Dead> {
  if ("kind" in first) return first;
  let question = first;
  for (let step = 0; step < stepsMax; step += 1) {
    const response = await send(point, question.request, signal);
    if ("kind" in response) return response;
    const told = await question.read(response);
    if (isRefusal(told)) return { ...told, error: { ...told.error, message: response.conceal(told.error.message) } };
    if (!isQuestion(told)) return told;
    question = told.question;
  }
  return endless;
}

function inputOf({ entityType, cursor, now, point: { settings, credentials } }: Asked) {
  return { entityType, cursor, settings, credentials, ...(now && { now }) };
}

/** Repeats what fails temporarily, and says so in the run's log. Throws LeaseLost when the run is to end meanwhile. */
async function withRetries<Result extends { kind: string }>(
  { pools }: AskDeps,
  { run, signal }: Asked,
  ask: () => Promise<Result | Retry | Dead>,
): Promise<Result | Dead> {
  for (let tried = 1; ; tried += 1) {
    const result = await ask();
    if (!isRetry(result)) return result;
    // The request was abandoned, which says nothing about the system.
    if (signal.aborted) throw new LeaseLost();
    const { error, retryAfterMs } = result;
    if (tried >= triesMax || (retryAfterMs ?? 0) > waitMsMax || refusals.has(error.class)) return { kind: "dead", error };
    const waitMs = retryAfterMs ?? 2 ** tried * 500;
    await inTenant(pools.worker, run.tenantId, (client) =>
      writeLines(client, run, "warning", because("run-tried-again", { fault: error.message, seconds: Math.ceil(waitMs / 1000) }).detail),
    );
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
    const { isCancelling } = await renewRun(pools.worker, run);
    if (signal.aborted || isCancelling) throw new LeaseLost();
  }
}

function isRetry(result: { kind: string }): result is Retry {
  return result.kind === "retry";
}

function isRefusal(told: { kind: string }): told is Retry | Dead {
  return told.kind === "retry" || told.kind === "dead";
}

function isQuestion<Asked>(told: { kind: string } | { kind: "question"; question: Asked }): told is { kind: "question"; question: Asked } {
  return told.kind === "question";
}
