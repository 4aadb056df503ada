import type { ConnectorCode, EntityType } from "@crossdock/contract";
import type { z } from "zod";

/** Where something is wrong, as a path into the document, and what. Shown to operators: no secrets, no document contents. */
export type Reason = {
  path: string;
  message: string;
  /** As a schema said it; by it the caller tells it in other languages. */
  issue?: z.core.$ZodIssue;
};

export type ReceiveInput = {
  /** The message exactly as it came. */
  body: Uint8Array;
  /** The same, where the caller has parsed it already. */
  json?: unknown;
  /** Names in small letters. */
  headers: Record<string, string>;
  /** What the caller says it is, by the path it was sent to; undefined on webhook paths, which take everything. */
  entityType?: EntityType | undefined;
  settings: unknown;
  /** For tests: what a source marks as one is moved here, and nowhere else. */
  isDevelopment?: boolean;
};

/**
 * `document` is canonical in shape; the caller validates it by `canonicalSchemas` before it goes on. `partOf` names the source's object that
 * it was found in, of which a later message may tell that it has gone, or that this is no longer in it.
 */
export type ReceivedDocument = { entityType: EntityType; document: unknown; partOf?: string };

/**
 * An object of the source and all skus that it has: items and stock that are known as part of it under another sku are gone there. `at`:
 * since when it is so; null: the source doesn't say.
 */
export type Whole = { name: string; skus: string[]; at: string | null };

export type Received =
  /** `remarks`: what the source has and the message doesn't show, for people to know. */
  | { kind: "documents"; documents: ReceivedDocument[]; wholes?: Whole[]; remarks?: Reason[] }
  /** Nothing to move, and nothing wrong: a topic nobody asked for. */
  | { kind: "ignored"; reason: string }
  | { kind: "rejected"; reasons: Reason[] };

/**
 * `none-configured`: the integration point has no secret; the caller decides whether it takes unsigned messages. `stale`: right, but of a
 * time that is too far from ours.
 */
export type SignatureResult = "valid" | "invalid" | "missing" | "stale" | "none-configured";

export type VerifyInput = {
  body: Uint8Array;
  headers: Record<string, string>;
  settings: unknown;
  credentials: unknown;
  /** The caller's clock: schemes that sign a time refuse old messages. */
  now: Date;
};

export type RequestInput = {
  entityType: EntityType;
  /** The canonical document as JSON text, mappings applied. */
  document: string;
  /** Business key. */
  key: string;
  /** What the target calls this object, from an earlier delivery. */
  externalId: string | null;
  settings: unknown;
  credentials: unknown;
  messageId: string;
  /** The caller's clock, for what holds from a time on. */
  now?: Date;
};

export type OutboundRequest = {
  method: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body: string | null;
  /** Names of headers that must not be shown or stored. */
  secretHeaders: readonly string[];
  /** The answer's body carries a secret (a token) and must not be shown or stored. */
  hasSecretAnswer?: boolean;
  /** The answer's status alone decides: a body that can't be read, or breaks off, is no reason to send again. */
  statusDecides?: boolean;
  /** Of the request that begins a delivery: what the document says and the system has no place for. */
  leftOut?: readonly string[];
  /** It goes out with a token of this grant: as `authorization: Bearer`, or in the header that the grant names. */
  grant?: TokenGrant;
  /** Headers that sign the request at the moment it is sent: schemes with a time and a nonce refuse the same signature twice. */
  sign?: (now: Date, nonce: string) => Record<string, string>;
  /** How the answer to this very request is read, where a delivery takes several; the connector's `verdict` calls it. */
  read?: (response: TargetResponse) => Verdict;
};

/** `isVague`: an answer shows that somebody is there, and no more than that: not that deliveries and credentials are taken. */
export type Probe = OutboundRequest & { isVague?: boolean };

/**
 * How an access token is had: by a request of its own, good for many deliveries. A connector remembers nothing, so the caller keeps the
 * token until it expires, and asks for a new one when the target refuses it (401).
 */
export type TokenGrant = { request: OutboundRequest; read: (response: TargetResponse) => AccessToken | Retry | Dead; header?: string };

/** `expiresInSeconds` is null where the answer doesn't say. */
export type AccessToken = { kind: "token"; token: string; expiresInSeconds: number | null };

/** Header names in small letters. */
export type TargetResponse = { status: number; headers: Record<string, string>; body: string };

export type DeliveryError = { class: string; message: string };

/** `fields`: names of the settings or credentials that are missing or don't fit, where that is all that is wrong. */
export type Dead = { kind: "dead"; error: DeliveryError; fields?: string[] };

/** `isTargetFault`: says something about the target as a whole (5xx, 429, refused credentials), so it counts for the circuit. */
export type Retry = { kind: "retry"; error: DeliveryError; retryAfterMs?: number; isTargetFault: boolean };

export type Verdict =
  /** `externalId` is kept for the next delivery of the same object; undefined leaves what is known. */
  | { kind: "delivered"; externalId?: string }
  | Retry
  | Dead
  /** The delivery goes on with another request; `afterMs` later where the target was asked to work and its result is looked for. */
  | { kind: "next"; request: OutboundRequest; afterMs?: number }
  /**
   * The object of this external id looks like the document's by something that several may share, such as an e-mail address or a tracking
   * number. The caller knows whether another key of ours has that id: then it goes on with `theirs`, else with `ours`.
   */
  | { kind: "found"; externalId: string; ours: () => Verdict; theirs: (key: string) => Verdict };

export type PullInput = {
  entityType: EntityType;
  /** Where the last page ended; null: from the beginning. Only the connector reads it. */
  cursor: string | null;
  settings: unknown;
  credentials: unknown;
  /** A source's time far ahead of it moves no cursor, as nothing would ever be newer. Without it, times are believed. */
  now?: Date;
};

/** `name`: the same object in the same state has the same name, under which a content is taken once until another one comes. Null: it has none. */
export type PulledMessage = { body: string; name: string | null };

/**
 * `cursor` is where the next page begins; it is kept once the messages are. `confirm` tells the source that they have been taken, and is
 * sent after that, so that a crash between the two brings them again instead of losing them.
 */
export type Page = { kind: "page"; messages: PulledMessage[]; cursor: string | null; hasMore: boolean; confirm?: OutboundRequest[] };

/** What a system answers: what was asked for, or something that leads to another question. */
export type Told<Answered, Question> = Answered | Retry | Dead | { kind: "question"; question: Question };

/** One question to a source. */
export type Pull = { request: OutboundRequest; read: (response: TargetResponse) => Told<Page, Pull> };

/** An object as a system shows it, reduced to what can be compared: path → text, null where it holds nothing. */
export type ListedObject = {
  key: string;
  fields: Record<string, string | null>;
  /** Of an object that is expected: it is no difference where the system has none. */
  mayBeMissing?: boolean;
};

/** `next` is the cursor of the next page; null: this was the last one. */
export type ListedPage = { kind: "listed"; objects: ListedObject[]; next: string | null };

/** One question to a target about what it holds. */
export type Listing = {
  request: OutboundRequest;
  read: (response: TargetResponse) => Told<ListedPage, Listing> | Promise<Told<ListedPage, Listing>>;
};

export type ExpectedInput = { entityType: EntityType; document: Record<string, unknown>; settings: unknown };

/** Reads back what a target holds. Only fields are shown that the connector delivers and the system tells. */
export type List = {
  entityTypes: readonly EntityType[];
  /** Never throws for any input. */
  next(input: PullInput): Listing | Dead;
  /** A canonical document as the listing shows it when all is right; null: this target is not to have it. Throws for one that doesn't fit its schema. */
  expected(input: ExpectedInput): ListedObject | null;
};

/**
 * The adapter for one kind of commerce system. All of it is pure: bytes, documents and settings in, data out. It never opens a
 * connection, reads a clock (except where one is handed in) or remembers anything between calls.
 */
export type Connector = {
  code: ConnectorCode;
  settingsSchema: z.ZodObject;
  credentialsSchema: z.ZodObject;
  entityTypes: { deliver: readonly EntityType[]; receive: readonly EntityType[] };
  /** One raw message as canonical documents, or the reasons why not. Never throws for any input. */
  receive(input: ReceiveInput): Promise<Received>;
  verify(input: VerifyInput): SignatureResult;
  /** The system sends nothing to an address of webhooks that does not answer a GET with what its parameter `echo` says. */
  asksForEcho?: boolean;
  /** The JSON of a message that comes in a wrapper, such as a form. */
  unwrap?(body: Uint8Array): Uint8Array;
  /** What the source calls this message; the same message sent again has the same. Null: it has no name. */
  dedupeKey(headers: Record<string, string>, body: Uint8Array): string | null;
  /** The (first) request that delivers a document; `Retry`: it is not to be sent yet. Never throws for any input. */
  request(input: RequestInput): Promise<OutboundRequest | Retry | Dead>;
  /** Whether `request` looks at the external id; where this is missing it does. A delivery that doesn't is spared the look-up. */
  needsExternalId?(input: Pick<RequestInput, "entityType" | "settings">): boolean;
  /** What the answer means. `request` is the object that `request` or an earlier verdict gave. */
  verdict(input: { entityType: EntityType; request: OutboundRequest; response: TargetResponse }): Verdict;
  /** Conventions of the system that were inferred and not seen, for people to know before they rely on them. */
  unverified: readonly string[];
  /** A question that changes nothing and is answered only with right settings and credentials; `delivered` says that they are. */
  probe?(input: { settings: unknown; credentials: unknown }): Probe | Dead;
  /** Entity types that can be pulled, and how the next page is asked for. Never throws for any input. */
  pull?: { entityTypes: readonly EntityType[]; next(input: PullInput): Pull | Dead };
  list?: List;
  /** Where one code stands for a native connector and the generic one: which of them these settings are for. */
  servedBy?(settings: unknown): Pick<Connector, "settingsSchema" | "credentialsSchema" | "unverified" | "probe" | "pull" | "list">;
  /** Settings to begin with, where the system has no connector of its own but is known well enough. */
  profile?: Record<string, unknown>;
};

/** Carried by every delivery, so that a target can recognise one it has had: the same message has the same id at every attempt. */
export function messageHeaders({ messageId, key }: RequestInput): Record<string, string> {
  return { "idempotency-key": messageId, "x-crossdock-message-id": messageId, "x-crossdock-key": encodeURIComponent(key) };
}

export function dead(errorClass: string, message: string): Dead {
  return { kind: "dead", error: { class: errorClass, message } };
}

/** Nothing can be asked as long as one of these is undefined; it says which they are. */
export function incomplete(part: "settings" | "credentials", needed: Record<string, unknown>): Dead {
  const fields = Object.keys(needed).filter((name) => needed[name] === undefined);
  return { ...dead("configuration", `${part}: ${fields.join(" and ")} ${fields.length === 1 ? "is" : "are"} missing`), fields };
}

/** What is wrong with an object that its schema refused. */
export function reasonsOf(error: z.ZodError): Reason[] {
  return error.issues.map((issue) => ({ path: issue.path.map(String).join("."), message: issue.message, issue }));
}

export function rejected(message: string): Extract<Received, { kind: "rejected" }> {
  return { kind: "rejected", reasons: [{ path: "", message }] };
}

/** Parses once per object: settings and credentials come as the same objects for thousands of messages. Throws ZodError. */
export function parseOnce<Schema extends z.ZodType>(schema: Schema): (value: unknown) => z.output<Schema> {
  const parsed = new WeakMap<object, z.output<Schema>>();
  return (value) => {
    if (typeof value !== "object" || value === null) return schema.parse(value);
    const known = parsed.get(value);
    if (known !== undefined) return known;
    const result = schema.parse(value);
    parsed.set(value, result);
    return result;
  };
}
