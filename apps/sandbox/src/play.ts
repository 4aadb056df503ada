import type { IncomingMessage, ServerResponse } from "node:http";
import { type Answer, json, send } from "./answer.ts";
import type { Behaviour } from "./behaviour.ts";
import type { System } from "./systems.ts";

/** The hot path: decide, store, answer. */
export function play(system: System, request: IncomingMessage, response: ServerResponse, place: Place, rest: string[], body: string): void {
  const { behaviour, dice, ledger } = system;
  const path = `/${rest.join("/")}`;
  const isConcerned = dice.concerns(behaviour, path);
  if (isConcerned && behaviour.mode !== "slow" && behaviour.when === "before") {
    ledger.refuse();
    return misbehave(behaviour, response, place);
  }
  const answer = take[place](system, request, rest, path, body);
  if (!isConcerned) return send(response, answer);
  if (behaviour.mode === "slow") {
    const timer = setTimeout(() => send(response, answer), behaviour.delayMs);
    response.on("close", () => clearTimeout(timer));
    return undefined;
  }
  return misbehave(behaviour, response, place);
}

type Take = (system: System, request: IncomingMessage, rest: string[], path: string, body: string) => Answer;

/** By the first part of the path. */
const take = { generic: takeGeneric, shopify: takeShopify, oauth: giveToken } satisfies Record<string, Take>;
export type Place = keyof typeof take;
export const isPlace = (text: string): text is Place => Object.hasOwn(take, text);

function giveToken({ tokens, behaviour }: System, request: IncomingMessage, _rest: string[], _path: string, body: string): Answer {
  return tokens.issue(headerOf(request, "authorization"), body, behaviour.tokenSeconds);
}

function takeGeneric({ ledger, tokens }: System, request: IncomingMessage, rest: string[], path: string, body: string): Answer {
  const [entity = "", ...keyParts] = rest;
  if (!tokens.admits(headerOf(request, "authorization"))) {
    ledger.refuse();
    return json(401, { error: "invalid_token" });
  }
  if (request.method === "GET") return json(200, ledger.receipts({ entity }).at(-1)?.body ?? null);
  const messageId = messageIdOf(request);
  const receipt = ledger.add({
    method: request.method ?? "POST",
    path,
    entity,
    key: keyOf(request, decodeURIComponentSafely(keyParts.join("/")), messageId),
    messageId,
    body,
  });
  return { status: 200, body: `{"ok":true,"id":"${receipt.sequence}"}` };
}

/** Reads are answered without a receipt; of writes those are recorded that the shop accepted. */
function takeShopify({ ledger, shop, behaviour }: System, request: IncomingMessage, rest: string[], path: string, body: string): Answer {
  const method = request.method ?? "GET";
  const query = new URLSearchParams((request.url ?? "").split("?")[1] ?? "");
  const { status, headers, answer } = shop.answer(
    { method, path, query, body, token: headerOf(request, "x-shopify-access-token") },
    behaviour.bucket,
  );
  if (status >= 400) ledger.refuse();
  else if (method !== "GET" && !path.endsWith("/graphql.json")) {
    const messageId = messageIdOf(request);
    const entity = (rest[3] ?? "").replace(/\.json$/, "");
    ledger.add({ method, path, entity, key: keyOf(request, "", messageId), messageId, body });
  }
  return { ...json(status, answer), headers };
}

function misbehave({ mode, retryAfter }: Behaviour, response: ServerResponse, place: Place): void {
  switch (mode) {
    case "429":
      return send(response, {
        ...json(429, { errors: "Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service." }),
        ...(retryAfter === null ? {} : { headers: { "retry-after": retryAfter.toFixed(1) } }),
      });
    case "500":
      return send(response, json(500, { errors: "Internal Server Error" }));
    case "500-text":
      return send(response, {
        status: 500,
        headers: { "content-type": "text/plain" },
        body: "upstream connect error or disconnect/reset before headers",
      });
    case "200-error":
      return send(
        response,
        place === "shopify" ? json(200, { errors: { base: ["is not valid"] } }) : json(200, { ok: false, errors: ["is not valid"] }),
      );
    case "reset":
      response.socket?.resetAndDestroy();
      return undefined;
    default:
      // hang: the socket stays open and says nothing until the other side gives up.
      return undefined;
  }
}

function keyOf(request: IncomingMessage, fromPath: string, messageId: string | null): string {
  const named = headerOf(request, "x-crossdock-key");
  return (named === null ? fromPath : decodeURIComponentSafely(named)) || messageId || "";
}

function messageIdOf(request: IncomingMessage): string | null {
  return headerOf(request, "x-crossdock-message-id") ?? headerOf(request, "idempotency-key");
}

function headerOf(request: IncomingMessage, name: string): string | null {
  const value = request.headers[name];
  return typeof value === "string" ? value : null;
}

function decodeURIComponentSafely(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
