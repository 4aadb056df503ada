import type { CanonicalDocuments, EntityType } from "@crossdock/contract";
import type { OutboundRequest } from "./connector.ts";

type Fields<Document> = readonly (keyof Document & string)[];

/** Fields that a system has no place for, or that its connector doesn't send. */
export type Omission<Document, Settings> = Fields<Document> | ((document: Document, settings: Settings) => Fields<Document>);

/** By entity type; `left-out.test.ts` keeps it true. */
export type LeavesOut<Settings> = { [Type in EntityType]?: Omission<CanonicalDocuments[Type], Settings> };

/** Fields that are not sent, and lists of which no more than so many entries are. */
export function besideFirst<Document extends object>(
  ...fields: readonly ((keyof Document & string) | readonly [list: keyof Document & string, count: number])[]
): (document: Document) => Fields<Document> {
  return (document) =>
    fields.flatMap((field) => {
      if (typeof field === "string") return [field];
      const [list, count] = field;
      return lengthOf(document[list]) > count ? [list] : [];
    });
}

const lengthOf = (list: unknown): number => (Array.isArray(list) ? list.length : 0);

/** Names in the request what of this very document stays behind, for people to know. */
export function withLeftOut<Document extends object, Settings, Refusal extends { kind: string }>(
  request: OutboundRequest | Refusal,
  omission: Omission<Document, Settings> | undefined,
  document: Document,
  settings: Settings,
): OutboundRequest | Refusal {
  if ("kind" in request || omission === undefined) return request;
  const fields = typeof omission === "function" ? omission(document, settings) : omission;
  const leftOut = fields.filter((field) => saysSomething(document[field]));
  return leftOut.length === 0 ? request : { ...request, leftOut };
}

/** That something is active is what everybody takes for granted. */
function saysSomething(value: unknown): boolean {
  return value != null && value !== true && !(typeof value === "object" && Object.keys(value).length === 0);
}
