import { type ConnectorCode, type EntityType, connectorCatalogue } from "@crossdock/contract";
import { verdictOfStatus } from "../answers.ts";
import {
  type Connector,
  type Dead,
  type OutboundRequest,
  type Probe,
  type ReceiveInput,
  type Received,
  type RequestInput,
  type TargetResponse,
  type Verdict,
  dead,
  incomplete,
  messageHeaders,
  parseOnce,
  rejected,
} from "../connector.ts";
import { asText } from "../foreign.ts";
import { at } from "../forms.ts";
import { decodeJson, isRecord } from "../json.ts";
import { standardWebhooks, verifiedBy } from "../signatures.ts";
import { authorize } from "./authorization.ts";
import { compileExpression } from "./expression.ts";
import { genericList } from "./list.ts";
import { profiles } from "./profiles.ts";
import { Credentials, Settings } from "./settings.ts";

const settingsOf = parseOnce(Settings);
const credentialsOf = parseOnce(Credentials);

/** The configurable HTTP connector under the name of a catalogue entry: it moves the entity types of the entry's endpoints. */
export function genericConnector(code: ConnectorCode): Connector {
  const entityTypes = connectorCatalogue[code].endpoints.map((endpoint) => endpoint.entityType);
  return {
    code,
    settingsSchema: Settings,
    credentialsSchema: Credentials,
    entityTypes: { deliver: entityTypes, receive: entityTypes },
    receive: (input) => receive(input, entityTypes),
    verify: verifiedBy(standardWebhooks),
    dedupeKey: (headers) => headers["webhook-id"] ?? null,
    request,
    needsExternalId,
    verdict: ({ request, response }) => request.read?.(response) ?? verdictOfStatus(response),
    probe,
    list: genericList(entityTypes),
    unverified: [],
    ...(Object.hasOwn(profiles, code) && { profile: profiles[code] }),
  };
}

/** On webhook paths the message names its entity type in the header `x-crossdock-entity-type`, unless the connector has only one. */
async function receive(input: ReceiveInput, entityTypes: readonly EntityType[]): Promise<Received> {
  const named = input.entityType ?? input.headers["x-crossdock-entity-type"] ?? (entityTypes.length === 1 ? entityTypes[0] : undefined);
  const entityType = entityTypes.find((candidate) => candidate === named);
  if (entityType === undefined) {
    return rejected(
      named === undefined ? "header x-crossdock-entity-type is missing" : `entity type '${named.slice(0, 50)}' is not received`,
    );
  }
  const decoded = input.json === undefined ? decodeJson(input.body) : { kind: "json" as const, value: input.json };
  if (decoded.kind === "rejected") return decoded;
  const expression = settingsOf(input.settings).receive[entityType]?.expression;
  const translated = expression === undefined ? decoded : await translate(expression, decoded.value, input.headers);
  if (translated.kind === "rejected") return translated;
  const { value } = translated;
  // An expression that gives nothing has decided that there is nothing to move.
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return { kind: "ignored", reason: "no document in the message" };
  const documents = Array.isArray(value) ? value : [value];
  return { kind: "documents", documents: documents.map((document: unknown) => ({ entityType, document })) };
}

async function translate(expression: string, value: unknown, headers: Record<string, string>) {
  try {
    return { kind: "json" as const, value: await compileExpression(expression)(value, { headers }) };
  } catch (error) {
    return rejected(`translation failed: ${error instanceof Error ? error.message : "unknown"}`);
  }
}

async function request(input: RequestInput): Promise<OutboundRequest | Dead> {
  const settings = settingsOf(input.settings);
  const delivery = settings.deliver[input.entityType] ?? { method: "POST" as const };
  if (settings.url === undefined) return incomplete("settings", { url: settings.url });
  const path = fill(delivery.path ?? "/{entityType}", input);
  if (typeof path !== "string") return path;
  const body = delivery.template === undefined ? input.document : await render(delivery.template, input);
  if (typeof body !== "string") return body;
  const untold = delivery.template === undefined ? null : await untoldDeletion(delivery.template, input, body);
  if (untold) return untold;
  const request: OutboundRequest = {
    method: delivery.method,
    url: `${settings.url.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`,
    headers: { ...settings.headers, "content-type": "application/json", ...messageHeaders(input) },
    body,
    secretHeaders: [],
    statusDecides: true,
  };
  const { externalIdPath } = delivery;
  if (externalIdPath !== undefined) request.read = (response) => readExternalId(response, externalIdPath);
  return authorize(request, settings, credentialsOf(input.credentials));
}

/** What is asked without a path for it says only that somebody answers there. */
function probe(input: { settings: unknown; credentials: unknown }): Probe | Dead {
  const settings = settingsOf(input.settings);
  if (settings.url === undefined) return { ...dead("no-address", "without an address there is nothing to ask"), fields: ["url"] };
  const { testPath, testMethod: method, headers } = settings;
  const url = testPath === undefined ? settings.url : at(settings.url, testPath);
  const question: OutboundRequest = { method, url, headers: { accept: "*/*", ...headers }, body: null, secretHeaders: [] };
  const request = authorize(question, settings, credentialsOf(input.credentials));
  return "kind" in request ? request : { ...request, isVague: testPath === undefined };
}

/** Templates are given it, whether they use it or not. */
function needsExternalId({ entityType, settings }: Pick<RequestInput, "entityType" | "settings">): boolean {
  const { path = "", template } = settingsOf(settings).deliver[entityType] ?? {};
  return template !== undefined || path.includes("{externalId}");
}

/**
 * Values are encoded, so that no key can reach another path. That does not help with dots: URL parsers resolve `..` even when it is
 * encoded, so a value of dots alone is refused.
 */
function fill(path: string, { key, externalId, entityType }: RequestInput): string | Dead {
  if (path.includes("{externalId}") && externalId === null) {
    return dead("configuration", "the path needs {externalId}, and the target has not named one yet");
  }
  const values: Record<string, string> = { "{key}": key, "{externalId}": externalId ?? "", "{entityType}": entityType };
  const used = Object.keys(values).filter((name) => path.includes(name));
  if (used.some((name) => /^\.{1,2}$/.test(values[name] ?? ""))) return dead("key", "a key of dots alone can't stand in a path");
  return path.replace(/\{(?:key|externalId|entityType)\}/g, (name) => encodeURIComponent(values[name] ?? ""));
}

async function render(template: string, { document, key, externalId, entityType }: RequestInput): Promise<string | Dead> {
  try {
    const result = await compileExpression(template)(JSON.parse(document), { key, externalId, entityType });
    return result === undefined ? dead("template", "the template gives nothing for this document") : JSON.stringify(result);
  } catch (error) {
    return dead("template", `the template failed: ${error instanceof Error ? error.message : "unknown"}`);
  }
}

/** Whether the target would be told the same of the item if its source had not deleted it. */
async function untoldDeletion(template: string, input: RequestInput, body: string): Promise<Dead | null> {
  if (input.entityType !== "item") return null;
  const { deletedAt, ...item } = JSON.parse(input.document);
  if (deletedAt == null) return null;
  if ((await render(template, { ...input, document: JSON.stringify({ ...item, isActive: true }) })) !== body) return null;
  return dead(
    "not-sold",
    "the template tells the same of an item that its source deleted as of one that is sold: let it say isActive or deletedAt",
  );
}

function readExternalId(response: TargetResponse, path: string): Verdict {
  const verdict = verdictOfStatus(response);
  if (verdict.kind !== "delivered") return verdict;
  const decoded = decodeJson(Buffer.from(response.body));
  let value: unknown = decoded.kind === "json" ? decoded.value : undefined;
  for (const name of path.split(".")) value = isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  // Delivered all the same: the answer's shape is no reason to send it twice. A blank id would lead a path to the whole
  // collection.
  const externalId = asText(value);
  return externalId.trim() === "" ? verdict : { kind: "delivered", externalId };
}
