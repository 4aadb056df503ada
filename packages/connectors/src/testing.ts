import { setTimeout as sleep } from "node:timers/promises";
import type { EntityType } from "@crossdock/contract";
import {
  type AccessToken,
  type Connector,
  type Dead,
  type ListedObject,
  type Listing,
  type OutboundRequest,
  type Page,
  type Pull,
  type Retry,
  type TargetResponse,
  type Verdict,
  dead,
} from "./connector.ts";

/** What a delivery came to, and how many requests it took. */
export type Outcome = { verdict: Exclude<Verdict, { kind: "next" | "found" }>; calls: string[]; bodies: string[] };

type Point = { settings: object; credentials: object };

/** Drives a connector over real HTTP as the server does: tokens kept and renewed once when refused, waits kept short. */
export class Driver {
  readonly #connector: Connector;
  #token: AccessToken | null = null;
  /** External ids that other keys have, with these. */
  readonly others = new Map<string, string>();

  constructor(connector: Connector) {
    this.#connector = connector;
  }

  async deliver(
    point: Point,
    entityType: EntityType,
    document: object,
    externalId: string | null = null,
    messageId = "1",
    key = "key",
    signal: AbortSignal | null = null,
  ): Promise<Outcome> {
    const first = await this.#connector.request({
      entityType,
      document: JSON.stringify(document),
      key,
      externalId,
      messageId,
      now: new Date(),
      ...point,
    });
    const calls: string[] = [];
    const bodies: string[] = [];
    if ("kind" in first) return { verdict: first, calls, bodies };
    let request = first;
    for (;;) {
      calls.push(`${request.method} ${new URL(request.url).pathname.split("/").slice(3).join("/")}`);
      if (request.body !== null) bodies.push(request.body);
      const response = await this.#send(request, signal);
      const verdict = "kind" in response ? response : settled(this.#connector.verdict({ entityType, request, response }), this.others);
      if (verdict.kind !== "next") return { verdict, calls, bodies };
      request = verdict.request;
      if (verdict.afterMs !== undefined) await sleep(1);
    }
  }

  async probe(point: Point): Promise<Verdict> {
    const request = this.#connector.probe?.(point);
    if (request === undefined) throw new Error("there is no probe");
    if ("kind" in request) return request;
    const response = await this.#send(request);
    return "kind" in response ? response : this.#connector.verdict({ entityType: "item", request, response });
  }

  async pull(point: Point, entityType: EntityType, cursor: string | null): Promise<Page | Retry | Dead> {
    const first = this.#connector.pull?.next({ entityType, cursor, ...point });
    if (first === undefined) throw new Error("there is no pull");
    if ("kind" in first) return first;
    let pull: Pull = first;
    for (;;) {
      const response = await this.#send(pull.request);
      const result = "kind" in response ? response : pull.read(response);
      if (result.kind !== "question") return result;
      pull = result.question;
    }
  }

  /** Everything that the target holds of a type, page by page. */
  async list(point: Point, entityType: EntityType): Promise<{ objects: ListedObject[]; pages: number } | Retry | Dead> {
    const objects: ListedObject[] = [];
    let cursor: string | null = null;
    for (let pages = 1; ; pages += 1) {
      let listing: Listing | Dead = this.#connector.list?.next({ entityType, cursor, ...point }) ?? dead("not-supported", "no listing");
      for (;;) {
        if ("kind" in listing) return listing;
        const response = await this.#send(listing.request);
        const result: Awaited<ReturnType<Listing["read"]>> = "kind" in response ? response : await listing.read(response);
        if (result.kind === "retry" || result.kind === "dead") return result;
        if (result.kind === "question") {
          listing = result.question;
          continue;
        }
        objects.push(...result.objects);
        cursor = result.next;
        break;
      }
      if (cursor === null) return { objects, pages };
    }
  }

  async #send(request: OutboundRequest, signal: AbortSignal | null = null): Promise<TargetResponse | Retry | Dead> {
    if (!request.grant) return exchange(request, signal);
    for (let isSecond = false; ; isSecond = true) {
      if (this.#token === null) {
        const granted = await exchange(request.grant.request, signal);
        const token = "kind" in granted ? granted : request.grant.read(granted);
        if (token.kind !== "token") return token;
        this.#token = token;
      }
      const headers = { ...request.headers, authorization: `Bearer ${this.#token.token}` };
      const response = await exchange({ ...request, headers }, signal);
      if ("kind" in response || response.status !== 401 || isSecond) return response;
      this.#token = null;
    }
  }
}

/** What becomes of an object that was found, as the server knows whose it is. */
export function settled(verdict: Verdict, others: ReadonlyMap<string, string> = new Map()): Exclude<Verdict, { kind: "found" }> {
  if (verdict.kind !== "found") return verdict;
  const other = others.get(verdict.externalId);
  return settled(other === undefined ? verdict.ours() : verdict.theirs(other), others);
}

async function exchange(
  { method, url, headers, body, sign }: OutboundRequest,
  signal: AbortSignal | null = null,
): Promise<TargetResponse | Retry> {
  try {
    const response = await fetch(url, { method, headers: { ...headers, ...sign?.(new Date(), crypto.randomUUID()) }, body, signal });
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() };
  } catch {
    return { kind: "retry", error: { class: "connection-lost", message: "the connection was lost" }, isTargetFault: true };
  }
}
