import type { EntityType } from "@crossdock/contract";
import { verdictOfStatus } from "../answers.ts";
import {
  type Dead,
  type List,
  type ListedObject,
  type ListedPage,
  type Listing,
  type Retry,
  type TargetResponse,
  dead,
  incomplete,
  parseOnce,
} from "../connector.ts";
import { decodeJson, isRecord } from "../json.ts";
import { notUnderstood } from "../json-call.ts";
import { fieldsOfDocument, keyOfFields, listed } from "../listing.ts";
import { authorize } from "./authorization.ts";
import { compileExpression } from "./expression.ts";
import { Credentials, Settings } from "./settings.ts";

const settingsOf = parseOnce(Settings);
const credentialsOf = parseOnce(Credentials);

type Configured = NonNullable<Settings["list"][EntityType]>;

/** Listings as the settings describe them: of each object the fields that the system answers. */
export function genericList(entityTypes: readonly EntityType[]): List {
  return {
    entityTypes,
    next({ entityType, cursor, settings: given, credentials }): Listing | Dead {
      const settings = settingsOf(given);
      const configured = settings.list[entityType];
      if (configured === undefined) return dead("configuration", `settings: list.${entityType} is missing`);
      if (settings.url === undefined) return incomplete("settings", { url: settings.url });
      const address = new URL(`${settings.url.replace(/\/+$/, "")}/${configured.path.replace(/^\/+/, "")}`);
      const page = cursor ?? "1";
      if (configured.pageParameter !== undefined && (cursor !== null || configured.next === undefined))
        address.searchParams.set(configured.pageParameter, page);
      const request = authorize(
        {
          method: "GET",
          url: address.toString(),
          headers: { ...settings.headers, accept: "application/json" },
          body: null,
          secretHeaders: [],
        },
        settings,
        credentialsOf(credentials),
      );
      if ("kind" in request) return request;
      return { request, read: (response) => readPage(entityType, configured, page, response) };
    },
    expected({ entityType, document }): ListedObject | null {
      const fields = fieldsOfDocument(document);
      const key = keyOfFields(entityType, fields);
      return key === null ? null : { key, fields, ...(document["deletedAt"] != null && { mayBeMissing: true }) };
    },
  };
}

async function readPage(
  entityType: EntityType,
  configured: Configured,
  page: string,
  response: TargetResponse,
): Promise<ListedPage | Retry | Dead> {
  const verdict = verdictOfStatus(response);
  if (verdict.kind === "dead" || verdict.kind === "retry") return verdict;
  const decoded = decodeJson(Buffer.from(response.body));
  if (decoded.kind === "rejected") return notUnderstood("JSON", response.body);
  try {
    const objects = await evaluate(configured.expression, decoded.value);
    const documents = (Array.isArray(objects) ? objects : objects === undefined ? [] : [objects]).filter(isRecord);
    const found = documents.flatMap((document) => {
      const fields = fieldsOfDocument(document);
      const key = keyOfFields(entityType, fields);
      return key === null ? [] : [{ key, fields }];
    });
    if (documents.length > 0 && found.length === 0) return dead("unexpected-answer", `the listed objects don't name their ${entityType}`);
    return listed(found, await following(configured, page, documents.length, decoded.value));
  } catch (error) {
    return dead("translation", `the listing could not be translated: ${error instanceof Error ? error.message : "unknown"}`);
  }
}

async function evaluate(expression: string | undefined, value: unknown): Promise<unknown> {
  return expression === undefined ? value : compileExpression(expression)(value, {});
}

async function following({ pageParameter, next }: Configured, page: string, count: number, answer: unknown): Promise<string | null> {
  if (pageParameter === undefined) return null;
  if (next === undefined) return count === 0 ? null : String(Number(page) + 1);
  const named = await evaluate(next, answer);
  return typeof named === "string" || typeof named === "number" ? String(named) : null;
}
