import { type CanonicalDocuments, type ConnectorCode, EntityType, canonicalSchemas } from "@crossdock/contract";
import { z } from "zod";
import { verdictOfStatus } from "./answers.ts";
import {
  type Connector,
  type Dead,
  type ExpectedInput,
  type List,
  type ListedObject,
  type Listing,
  type OutboundRequest,
  type Pull,
  type PullInput,
  type Reason,
  type ReceiveInput,
  type Received,
  type ReceivedDocument,
  type RequestInput,
  type Retry,
  type Whole,
  dead,
  parseOnce,
  reasonsOf,
  rejected,
} from "./connector.ts";
import { decodeJson, isRecord } from "./json.ts";
import { type LeavesOut, type Omission, withLeftOut } from "./left-out.ts";
import { asItStands } from "./order-standing.ts";
import { periodFault } from "./price-guards.ts";
import { type PriceReading, priceAs } from "./price-tax.ts";
import { type SignatureScheme, standardWebhooks, verifiedBy, webhookSecrets, withoutWebhookSecrets } from "./signatures.ts";
import { forgiving, isDeleted } from "./unsold-items.ts";

/** One document on its way to a system whose settings and credentials have been read. */
export type Delivery<Type extends EntityType, Settings, Credentials> = {
  document: CanonicalDocuments[Type];
  input: RequestInput;
  settings: Settings;
  credentials: Credentials;
};

/** What a request needs to know beside a document; `input` where it is for one message. */
export type ContextOf<Settings, Credentials> = { settings: Settings; credentials: Credentials; input?: RequestInput };

/** What one object of a source holds. */
type Translated = { documents: ReceivedDocument[]; wholes?: Whole[] };

/** One object of a source as canonical documents, or what is wrong with it. */
type Translator<Settings> = (object: unknown, settings: Settings) => Translated | { reasons: Reason[] };

type PullContext<Settings, Credentials> = Omit<PullInput, "settings" | "credentials"> & { settings: Settings; credentials: Credentials };

type Deliverers<Settings, Credentials> = {
  [Type in EntityType]?: (delivery: Delivery<Type, Settings, Credentials>) => OutboundRequest | Dead;
};

/** What a system shows of one entity type, and how a document should look there. */
type Reader<Type extends EntityType, Settings, Credentials> = {
  next: (context: PullContext<Settings, Credentials>) => Listing | Dead;
  expected: (document: CanonicalDocuments[Type], settings: Settings) => ListedObject | null;
};

type Readers<Settings, Credentials> = { [Type in EntityType]?: Reader<Type, Settings, Credentials> };

/** What becomes of prices in a system. */
type PriceKeeping = {
  /** Whether the system keeps from when and until when such a price holds; where this is missing it has no place for it. */
  keepsPeriod?: (price: CanonicalDocuments["price"]) => boolean;
  /** How many places of a net price it keeps, where that is more than the currency has. */
  netPricePlaces?: number;
};

type Definition<Settings extends z.ZodObject, Credentials extends z.ZodObject> = PriceKeeping & {
  code: ConnectorCode;
  settings: Settings;
  credentials: Credentials;
  unverified: readonly string[];
  deliver: Deliverers<z.output<Settings>, z.output<Credentials>>;
  leavesOut?: LeavesOut<z.output<Settings>>;
  receive?: { [Type in EntityType]?: Translator<z.output<Settings>> };
  /** The entity type of a message on a webhook path; null: nothing to move; undefined: its sender has to say. */
  topicOf?: (headers: Record<string, string>, payload: unknown) => EntityType | null | undefined;
  /** What a message on a webhook path says has gone; null: it says nothing of the kind. */
  goneIn?: (payload: unknown) => Whole[] | null;
  /** The objects of a message, where it may hold several. */
  objectsOf?: (payload: unknown) => unknown[];
  unwrap?: (body: Uint8Array) => Uint8Array;
  /** How webhooks are signed: left out, by Standard Webhooks, for adapters in front of a system that doesn't sign. */
  signature?: SignatureScheme;
  asksForEcho?: boolean;
  dedupeKey?: Connector["dedupeKey"];
  probe: (context: { settings: z.output<Settings>; credentials: z.output<Credentials> }) => OutboundRequest | Dead;
  pull?: { [Type in EntityType]?: (context: PullContext<z.output<Settings>, z.output<Credentials>>) => Pull | Dead };
  list?: Readers<z.output<Settings>, z.output<Credentials>>;
};

/** A connector out of what makes a system its own. */
export function nativeConnector<Settings extends z.ZodObject, Credentials extends z.ZodObject>(
  definition: Definition<Settings, Credentials>,
): Connector {
  const settingsOf = parseOnce(definition.settings);
  const { deliver, leavesOut = {}, receive = {}, pull, list, signature = standardWebhooks } = definition;
  const credentialsOf = parseOnce(z.preprocess(withoutWebhookSecrets, definition.credentials));
  const open = ({ settings, credentials }: { settings: unknown; credentials: unknown }) => ({
    settings: settingsOf(settings),
    credentials: credentialsOf(credentials),
  });
  return {
    code: definition.code,
    settingsSchema: definition.settings,
    credentialsSchema: definition.credentials.extend(webhookSecrets(signature)),
    entityTypes: { deliver: typesIn(deliver), receive: typesIn(receive) },
    unverified: definition.unverified,
    receive: async (input) => receiveBy(definition, input, settingsOf(input.settings)),
    verify: verifiedBy(signature),
    asksForEcho: definition.asksForEcho ?? false,
    ...(definition.unwrap && { unwrap: definition.unwrap }),
    dedupeKey: definition.dedupeKey ?? (() => null),
    request: async (input) => deliverBy(deliver, leavesOut, input, open(input), definition),
    verdict: ({ request, response }) => request.read?.(response) ?? verdictOfStatus(response),
    probe: (input) => definition.probe(open(input)),
    ...(pull && {
      pull: {
        entityTypes: typesIn(pull),
        next: (input: PullInput) =>
          pull[input.entityType]?.({ ...input, ...open(input) }) ?? dead("not-supported", `${input.entityType} can't be pulled`),
      },
    }),
    ...(list && { list: readersToList(list, open, settingsOf, definition) }),
  };
}

/** `open` and `settingsOf` read settings and credentials. */
function readersToList<Settings, Credentials>(
  readers: Readers<Settings, Credentials>,
  open: (input: PullInput) => { settings: Settings; credentials: Credentials },
  settingsOf: (settings: unknown) => Settings,
  keeping: PriceKeeping,
): List {
  return {
    entityTypes: typesIn(readers),
    next: (input) =>
      readers[input.entityType]?.next({ ...input, ...open(input) }) ?? dead("not-supported", `${input.entityType} can't be read back`),
    expected: (input) => expectedBy(readers, input, settingsOf(input.settings), keeping),
  };
}

function expectedBy<Settings, Credentials>(
  readers: Readers<Settings, Credentials>,
  { entityType, document }: ExpectedInput,
  settings: Settings,
  keeping: PriceKeeping,
): ListedObject | null {
  const table: Record<EntityType, () => ListedObject | null | undefined> = {
    item: () => {
      const item = canonicalSchemas.item.parse(document);
      const expected = readers.item?.expected(item, settings);
      return expected && isDeleted(item) ? { ...expected, mayBeMissing: true } : expected;
    },
    price: () => {
      const price = pricesIn(settings, canonicalSchemas.price.parse(document), keeping);
      return price && readers.price?.expected(price, settings);
    },
    stock: () => readers.stock?.expected(canonicalSchemas.stock.parse(document), settings),
    order: () => readers.order?.expected(asItStands(canonicalSchemas.order.parse(document)), settings),
    shipment: () => readers.shipment?.expected(canonicalSchemas.shipment.parse(document), settings),
    customer: () => readers.customer?.expected(canonicalSchemas.customer.parse(document), settings),
  };
  return table[entityType]() ?? null;
}

function deliverBy<Settings, Credentials>(
  deliver: Deliverers<Settings, Credentials>,
  leavesOut: LeavesOut<Settings>,
  input: RequestInput,
  context: { settings: Settings; credentials: Credentials },
  keeping: PriceKeeping,
): OutboundRequest | Retry | Dead {
  const table: Record<EntityType, () => OutboundRequest | Retry | Dead> = {
    item: () => run(deliver.item && itemOrLess(deliver.item), canonicalSchemas.item, input, context, leavesOut.item),
    price: () => run(deliver.price && pricing(deliver.price, keeping), canonicalSchemas.price, input, context, leavesOut.price),
    stock: () => run(deliver.stock, canonicalSchemas.stock, input, context, leavesOut.stock),
    order: () => run(deliver.order && standing(deliver.order), canonicalSchemas.order, input, context, leavesOut.order),
    shipment: () => run(deliver.shipment, canonicalSchemas.shipment, input, context, leavesOut.shipment),
    customer: () => run(deliver.customer, canonicalSchemas.customer, input, context, leavesOut.customer),
  };
  return table[input.entityType]();
}

function itemOrLess<Delivery extends { document: CanonicalDocuments["item"] }>(
  deliver: (delivery: Delivery) => OutboundRequest | Dead,
): (delivery: Delivery) => OutboundRequest | Dead {
  return (delivery) => {
    const request = deliver(delivery);
    return isDeleted(delivery.document) && !("kind" in request) ? forgiving(request) : request;
  };
}

function typesIn(table: object): EntityType[] {
  return EntityType.options.filter((type) => type in table);
}

/** What holds for prices everywhere. What the system never takes is told at once, not when the price begins. */
function pricing<Price extends { document: CanonicalDocuments["price"]; input: RequestInput; settings: unknown }>(
  deliver: (delivery: Price) => OutboundRequest | Dead,
  { keepsPeriod, netPricePlaces }: PriceKeeping,
): (delivery: Price) => OutboundRequest | Retry | Dead {
  return (delivery) => {
    const { input, settings } = delivery;
    const document = priceAs(readingOf(settings), delivery.document, netPricePlaces);
    if ("kind" in document) return document;
    const request = deliver({ ...delivery, document });
    if ("kind" in request || keepsPeriod?.(document) === true) return request;
    return periodFault(document, input.now) ?? request;
  };
}

/** Of systems that have the setting; the others know how they take prices. */
function readingOf(settings: unknown): PriceReading {
  const reading = isRecord(settings) ? settings["priceReading"] : undefined;
  return reading === "with-tax" || reading === "without-tax" ? reading : "as-they-come";
}

/** Where no rate tells how to get to it, the target holds none that could be right. */
function pricesIn(
  settings: unknown,
  price: CanonicalDocuments["price"],
  { netPricePlaces }: PriceKeeping,
): CanonicalDocuments["price"] | null {
  const turned = priceAs(readingOf(settings), price, netPricePlaces);
  return "kind" in turned ? null : turned;
}

function standing<Order extends { document: CanonicalDocuments["order"] }>(
  deliver: (delivery: Order) => OutboundRequest | Dead,
): (delivery: Order) => OutboundRequest | Dead {
  return (delivery) => deliver({ ...delivery, document: asItStands(delivery.document) });
}

/** Parses the document again: mappings may have put a value into it that its schema refuses. */
function run<Document extends object, Settings, Context extends { settings: Settings }>(
  deliver: ((delivery: { document: Document; input: RequestInput } & Context) => OutboundRequest | Retry | Dead) | undefined,
  schema: z.ZodType<Document>,
  input: RequestInput,
  context: Context,
  omission: Omission<Document, Settings> | undefined,
): OutboundRequest | Retry | Dead {
  if (!deliver) return dead("not-supported", `this system takes no ${input.entityType} by its connector`);
  const result = schema.safeParse(JSON.parse(input.document));
  if (result.success) return withLeftOut(deliver({ document: result.data, input, ...context }), omission, result.data, context.settings);
  const paths = result.error.issues.map((issue) => issue.path.join(".")).join(", ");
  return dead("validation", `the document doesn't fit its schema at ${paths}`);
}

/** A translator that reads the object by `schema` first. */
export function translator<Schema extends z.ZodType, Settings>(
  schema: Schema,
  documentsOf: (object: z.output<Schema>, settings: Settings) => ReceivedDocument[],
  wholeOf?: (object: z.output<Schema>) => Whole,
): Translator<Settings> {
  return (object, settings) => {
    const result = schema.safeParse(object);
    if (result.success) return { documents: documentsOf(result.data, settings), ...(wholeOf && { wholes: [wholeOf(result.data)] }) };
    return { reasons: reasonsOf(result.error) };
  };
}

/** A translator for what the system itself tells, where an adapter of its owner's sends documents in our own form, known by the name of their key. */
export function orOurs<Settings>(entityType: EntityType, ourKey: string, translate: Translator<Settings>): Translator<Settings> {
  return (object, settings) =>
    isRecord(object) && ourKey in object ? { documents: [{ entityType, document: object }] } : translate(object, settings);
}

function receiveBy<Settings extends z.ZodObject>(
  {
    receive = {},
    topicOf,
    goneIn,
    objectsOf,
    unwrap,
  }: Pick<Definition<Settings, z.ZodObject>, "receive" | "topicOf" | "goneIn" | "objectsOf" | "unwrap">,
  input: ReceiveInput,
  settings: z.output<Settings>,
): Received {
  const decoded = input.json === undefined ? decodeJson(unwrap?.(input.body) ?? input.body) : { kind: "json" as const, value: input.json };
  if (decoded.kind === "rejected") return decoded;
  const gone = input.entityType === undefined ? goneIn?.(decoded.value) : null;
  if (gone) return { kind: "documents", documents: [], wholes: gone };
  const entityType = input.entityType ?? namedIn(input.headers) ?? topicOf?.(input.headers, decoded.value);
  if (entityType === null) return { kind: "ignored", reason: "a topic that has nothing to move" };
  if (entityType === undefined) return rejected("header x-crossdock-entity-type is missing");
  const objects = objectsOf?.(decoded.value) ?? (Array.isArray(decoded.value) ? decoded.value : [decoded.value]);
  const translate = receive[entityType];
  // What the system's own form is not known of comes in ours, through an adapter of the system's owner.
  if (!translate) return { kind: "documents", documents: objects.map((document) => ({ entityType, document })) };
  const documents: ReceivedDocument[] = [];
  const wholes: Whole[] = [];
  for (const [index, object] of objects.entries()) {
    const result = translate(object, settings);
    if ("reasons" in result) {
      const at = objects.length > 1 ? `${index}.` : "";
      return { kind: "rejected", reasons: result.reasons.map((reason) => ({ ...reason, path: `${at}${reason.path}` })) };
    }
    documents.push(...result.documents);
    wholes.push(...(result.wholes ?? []));
  }
  return documents.length === 0 ? { kind: "ignored", reason: "no document in the message" } : { kind: "documents", documents, wholes };
}

function namedIn(headers: Record<string, string>): EntityType | undefined {
  const name = headers["x-crossdock-entity-type"];
  return EntityType.options.find((type) => type === name);
}
