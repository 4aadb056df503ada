import type { IncomingMessage, ServerResponse } from "node:http";
import { type Answer, json, send } from "./answer.ts";
import type { Call, Reply } from "./personality.ts";
import { type PersonalityName, isPersonality } from "./personalities.ts";
import type { System } from "./systems.ts";

/** The hot path: decide, store, answer. */
export function play(system: System, request: IncomingMessage, response: ServerResponse, place: Place, rest: string[], body: string): void {
  const { behaviour, dice, ledger } = system;
  const path = `/${rest.join("/")}`;
  const isConcerned = dice.concerns(behaviour, path);
  if (isConcerned && behaviour.mode !== "slow" && behaviour.when === "before") {
    ledger.refuse();
    return misbehave(system, request, response, place, path, body);
  }
  const answer = isPersonality(place) ? takePlayed(system, place, request, path, body) : take[place](system, request, rest, path, body);
  if (!isConcerned) return send(response, answer);
  if (behaviour.mode === "slow") {
    const timer = setTimeout(() => send(response, answer), behaviour.delayMs);
    response.on("close", () => clearTimeout(timer));
    return undefined;
  }
  return misbehave(system, request, response, place, path, body);
}

type Take = (system: System, request: IncomingMessage, rest: string[], path: string, body: string) => Answer;

/** By the first part of the path. */
const take = { generic: takeGeneric, shopify: takeShopify, oauth: giveToken } satisfies Record<string, Take>;
type Place = keyof typeof take | PersonalityName;
export const isPlace = (text: string): text is Place => Object.hasOwn(take, text) || isPersonality(text);

/** Of what changes something those requests are recorded that the system accepted. */
function takePlayed(system: System, name: PersonalityName, request: IncomingMessage, path: string, body: string): Answer {
  const call = callOf(request, path, body);
  const reply = system.as(name).answer(call);
  const messageId = messageIdOf(request);
  if (reply.status >= 400) system.ledger.refuse();
  else if (call.method !== "GET" && messageId !== null)
    system.ledger.add({ method: call.method, path, entity: name, key: keyOf(request, "", messageId), messageId, body });
  return answerOf(reply);
}

function callOf(request: IncomingMessage, path: string, body: string): Call {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([header, value]) => [header, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
  return { method: request.method ?? "GET", path, query: new URLSearchParams((request.url ?? "").split("?")[1] ?? ""), headers, body };
}

function answerOf({ status, headers, body }: Reply): Answer {
  const text = typeof body === "string" ? body : body === null ? "" : JSON.stringify(body);
  return { status, body: text, ...(headers && { headers }) };
}

function giveToken({ tokens, behaviour }: System, request: IncomingMessage, _rest: string[], _path: string, body: string): Answer {
  return tokens.issue(headerOf(request, "authorization"), body, behaviour.tokenSeconds);
}

function takeGeneric({ ledger, tokens }: System, request: IncomingMessage, rest: string[], path: string, body: string): Answer {
  const [entity = "", ...keyParts] = rest;
  if (!tokens.admits(headerOf(request, "authorization"))) {
    ledger.refuse();
    return json(401, { error: "invalid_token" });
  }
  if (request.method === "GET") {
    const page = new URLSearchParams((request.url ?? "").split("?")[1] ?? "").get("page");
    return page === null ? json(200, ledger.receipts({ entity }).at(-1)?.body ?? null) : json(200, pageOf(ledger, entity, Number(page)));
  }
  if (request.method === "HEAD" || request.method === "OPTIONS") return { status: 204, body: "" };
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

const genericPageSize = 200;

/** What it was told of each object last, in the order of their first arrival. */
function pageOf(ledger: System["ledger"], entity: string, page: number): unknown[] {
  const objects = new Map(ledger.receipts({ entity }).map(({ key, body }) => [key, body]));
  const texts = [...objects.values()].slice((page - 1) * genericPageSize, page * genericPageSize);
  return texts.flatMap((text) => (text === null ? [] : [JSON.parse(text) as unknown]));
}

/** Reads are answered without a receipt; of writes those are recorded that the shop accepted. */
function takeShopify(system: System, request: IncomingMessage, rest: string[], path: string, body: string): Answer {
  const { ledger, shop, tokens, behaviour } = system;
  if (path === "/admin/oauth/access_token") return tokens.issueByForm(body, behaviour.tokenSeconds);
  const method = request.method ?? "GET";
  const token = headerOf(request, "x-shopify-access-token");
  const query = new URLSearchParams((request.url ?? "").split("?")[1] ?? "");
  const { status, headers, answer } = shop.answer(
    { method, path, query, body, token: tokens.admits(token) ? token : null },
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

function misbehave(system: System, request: IncomingMessage, response: ServerResponse, place: Place, path: string, body: string): void {
  const { mode, retryAfter } = system.behaviour;
  if (isPersonality(place) && mode === "429") return send(response, answerOf(system.as(place).throttled(retryAfter)));
  if (isPersonality(place) && mode === "200-error")
    return send(response, answerOf(system.as(place).refusedSoftly(callOf(request, path, body))));
  switch (mode) {
    case "429":
      return send(response, {
        ...json(429, { errors: "Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service." }),
        ...(retryAfter === null ? {} : { headers: { "retry-after": retryAfter.toFixed(1) } }),
      });
    case "500":
      return send(
        response,
        isGraphql(place, path) ? json(200, { errors: [internalError] }) : json(500, { errors: "Internal Server Error" }),
      );
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
    case "malformed":
      return send(response, { status: 200, headers: { "content-type": "text/html" }, body: "<html><body>Just a moment" });
    case "reset":
      response.socket?.resetAndDestroy();
      return undefined;
    default:
      // hang: the socket stays open and says nothing until the other side gives up.
      for (const tell of system.onHang) tell();
      system.onHang.clear();
      return undefined;
  }
}

/** Shopify's GraphQL answers 200 where its REST answers 500. */
const internalError = {
  message: "Internal error. Looks like something went wrong on our end.",
  extensions: { code: "INTERNAL_SERVER_ERROR", requestId: "1b355a21-7117-44c5-8d8b-8948082f40a8" },
};

function isGraphql(place: Place, path: string): boolean {
  return place === "shopify" && path.endsWith("/graphql.json");
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
