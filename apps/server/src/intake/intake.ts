import type pg from "pg";
import type { Logger } from "pino";
import { connectors, signatureToleranceSeconds } from "@crossdock/connectors";
import { errorCodes, type EntityType, type Fault, type SignatureState } from "@crossdock/contract";
import { inTenantAtOnce } from "../db.ts";
import { withName } from "../errors/arrival-faults.ts";
import { ApiError, codeOf, isDatabaseAway } from "../errors/errors.ts";
import { secretsOf } from "../delivery/recording.ts";
import { faultBecause } from "../errors/faults.ts";
import { sha256 } from "../keys/sha256.ts";
import type { IntakeTrace, Tracing } from "../tracing.ts";
import { keptHeaders, parseContent, parseDocuments, type ContentFault } from "./content.ts";
import type { Directory, Point, TenantDirectory } from "./directory.ts";
import { createGroupCommit } from "./group-commit.ts";
import type { IntakeJob, Receipt, Translation } from "./job.ts";
import { claimBatch, lockBatch, storeBatch } from "./store.ts";
import { routeDocuments, translate, type Grow } from "./translate.ts";
import type { Row, Turn } from "./turns.ts";
import { createWaitingRoom } from "./waiting-room.ts";

/** A raw message at the door: its integration point is known and its sender has been let in. */
export type Arrival = {
  point: Point;
  channel: "hook" | "gateway" | "poll" | "import";
  /** From the path; null where the connector finds it out. */
  entityType: EntityType | null;
  /** Names in lower case, one value each. */
  headers: Record<string, string>;
  body: Buffer;
  signature: SignatureState;
  /** The name under which the sender may send it again, unique within the integration point. */
  dedupeName: string | null;
  /** The external message that an operator replays. */
  replayOf?: string;
};

export type IntakeAnswer = Receipt & {
  /** What made the body unreadable, if that is why it was rejected. */
  fault: ContentFault | null;
};

export type Intake = {
  /**
   * Resolves after the message, its business objects and its queue entries are committed. Throws `unavailable` when nothing was. Messages that one
   * sender hands in one after the other take turns: each is read, and on its way to be stored, before the next is read. When one was not stored
   * and is to come again, nothing more of its row is stored: it would overwrite what came after it.
   */
  receive: (arrival: Arrival, turn?: Turn) => Promise<IntakeAnswer>;
  /** What the message would be made into; nothing is written. */
  check: (arrival: Arrival) => Promise<Translation>;
  /**
   * As `receive`, within the caller's transaction; the translation is what `check` said. Throws `rejected-message`, keeping nothing, and `unavailable` when
   * it may be tried again.
   */
  receiveIn: (client: pg.ClientBase, arrival: Arrival, translation: Translation) => Promise<Receipt>;
  /** For who receives several in one transaction: locks all that they are about, before the first. */
  lock: (client: pg.ClientBase, tenantId: number, messages: readonly { arrival: Arrival; translation: Translation }[]) => Promise<void>;
  /** Canonical documents, valid ones, as one external message, within the caller's transaction. */
  storeDocumentsIn: (client: pg.ClientBase, documents: GivenDocuments) => Promise<Receipt>;
};

type GivenDocuments = { point: Point; entityType: EntityType; documents: readonly object[] };

type Deps = { pool: pg.Pool; directory: Directory; logger: Logger; tracing?: Tracing | null };

/** The most arrivals in one transaction: with that many the commit is already a small part of the cost. */
const batchSizeMax = 500;
/** Bytes of bodies and characters of documents in one transaction, which is then far from the time that a statement may take. */
const batchWeightMax = 16_000_000;
/** The most transactions of one tenant under way: while one waits for the disk, this process or the database works on the other. */
const runningMax = 2;

export function createIntake({ pool, directory, logger, tracing = null }: Deps): Intake {
  const room = createWaitingRoom();
  const group = createGroupCommit<IntakeJob, Receipt | null>({
    sizeMax: batchSizeMax,
    weightOf,
    weightMax: batchWeightMax,
    runningMax,
    keysOf: orderedKeys,
    isPoison: isContentError,
    run,
  });

  /** Null stands for those whose row has failed: these were left out. */
  async function run(tenantId: number, jobs: IntakeJob[]): Promise<(Receipt | null)[]> {
    const wanted = jobs.filter(({ row }) => !row?.hasFailed);
    if (wanted.length === 0) return jobs.map(() => null);
    try {
      const receipts = await withRetries(() => inTenantAtOnce(pool, tenantId, (client) => claimBatch(client, tenantId, wanted)));
      const receiptOf = new Map(wanted.map((job, index) => [job, receipts[index]]));
      return jobs.map((job) => receiptOf.get(job) ?? null);
    } catch (error) {
      // Here, as those that wait for these may run as soon as this has ended.
      if (!isContentError(error)) for (const { row } of wanted) if (row) row.hasFailed = true;
      throw error;
    }
  }

  async function store(job: IntakeJob): Promise<Receipt | null> {
    const { tenantId } = job.point;
    try {
      return await group.submit(tenantId, job);
    } catch (error) {
      if (!isContentError(error)) throw new ApiError("unavailable", { retryAfterSeconds: 5, cause: error });
      // The translation is what the database refused; the raw bytes can always be kept.
      logger.error({ err: error, tenantId, integrationPointId: job.point.id }, "a translated message could not be stored");
      const reasons = [withName({ path: "", message: "The translated message could not be stored." })];
      return group.submit(tenantId, { ...job, dedupeKey: null, translation: { kind: "rejected", reasons } });
    }
  }

  async function receive(arrival: Arrival, turn?: Turn): Promise<IntakeAnswer> {
    const { grow, leave } = room.take(arrival.point.tenantId, arrival.body.length);
    try {
      return await traced(arrival, async (traceparent) => {
        await turn?.isMine;
        if (turn?.row.hasFailed) throw afterFailed();
        const { translation, fault } = (await tooLarge(arrival, directory)) ?? (await read(arrival, directory, logger, grow));
        const stored = store(toJob(arrival, translation, traceparent, turn?.row));
        turn?.pass();
        const receipt = await stored;
        if (receipt === null) throw afterFailed();
        return { ...receipt, fault };
      });
    } finally {
      leave();
    }
  }

  /** The traceparent that `work` gives to its messages is null when the arrival is not traced. */
  async function traced<Result extends Receipt>(
    { point, channel, headers }: Pick<Arrival, "point" | "channel" | "headers">,
    work: (traceparent: string | null) => Promise<Result>,
  ): Promise<Result> {
    const trace = tracing && beginTrace(tracing, point, channel, headers);
    if (!trace) return work(null);
    try {
      const receipt = await work(trace.traceparent);
      trace.end(receipt);
      return receipt;
    } catch (error) {
      trace.end(null);
      throw error;
    }
  }

  return {
    receive: async (arrival, turn) => {
      try {
        return await receive(arrival, turn);
      } catch (error) {
        if (turn && isToBeTriedAgain(error)) turn.row.hasFailed = true;
        throw error;
      } finally {
        turn?.pass();
      }
    },
    check: async (arrival) => (await read(arrival, directory, logger)).translation,
    receiveIn: (client, arrival, translation) =>
      traced(arrival, async (traceparent) => {
        if (translation.kind === "rejected")
          throw new ApiError("rejected-message", { detail: "Nothing was kept.", errors: translation.reasons });
        return storeOne(client, toJob(arrival, translation, traceparent));
      }),
    lock: (client, tenantId, messages) =>
      lockBatch(
        client,
        tenantId,
        messages.map(({ arrival, translation }) => toJob(arrival, translation, null)),
      ),
    storeDocumentsIn: async (client, { point, entityType, documents }) => {
      const translation = await routeDocuments(documents, entityType, point, await directory.of(point.tenantId));
      const body = Buffer.from(documents.map((document) => JSON.stringify(document)).join("\n"));
      const headers = { "content-type": "application/x-ndjson" };
      const arrival = { point, channel: "import", entityType, headers, body, signature: "not-applicable", dedupeName: null } as const;
      return traced(arrival, (traceparent) => storeOne(client, toJob(arrival, translation, traceparent)));
    },
  };
}

/**
 * Whatever is larger than the tenant accepts is refused at the door; where no sender waits for an answer, as in a poll, it is kept as rejected. Null: it is not
 * too large.
 */
async function tooLarge(
  { point, channel, body }: Arrival,
  directory: Directory,
): Promise<{ translation: Translation; fault: ContentFault | null } | null> {
  const { messageBytesMax } = await directory.of(point.tenantId);
  if (messageBytesMax === null || body.length <= messageBytesMax) return null;
  const message = `The tenant takes messages of up to ${messageBytesMax} bytes.`;
  if (channel === "hook" || channel === "gateway") throw new ApiError("too-large", { detail: message });
  return { translation: { kind: "rejected", reasons: [withName({ path: "", message })] }, fault: null };
}

async function storeOne(client: pg.ClientBase, job: IntakeJob): Promise<Receipt> {
  try {
    const [receipt] = await storeBatch(client, job.point.tenantId, [job]);
    if (!receipt) throw new Error("a stored message got no receipt");
    return receipt;
  } catch (error) {
    if (isPassing(error)) throw new ApiError("unavailable", { retryAfterSeconds: 1, cause: error });
    if (isContentError(error))
      throw new ApiError("rejected-message", { detail: "The translated message could not be stored.", cause: error });
    throw error;
  }
}

type Read = { translation: Translation; fault: ContentFault | null };

async function read(arrival: Arrival, directory: Directory, logger: Logger, grow?: Grow): Promise<Read> {
  const { translation, fault } = await readUnnamed(arrival, directory, logger, grow);
  if (translation.kind === "documents") return { translation, fault };
  return { translation: { ...translation, reasons: translation.reasons.map(withName) }, fault };
}

async function readUnnamed(arrival: Arrival, directory: Directory, logger: Logger, grow?: Grow): Promise<Read> {
  const { point, channel, signature } = arrival;
  // What a sender without a valid signature wrote is kept for the operator, but not read.
  const unproven = unprovenBecause(signature);
  if (unproven) return { translation: { kind: "rejected", reasons: [unproven] }, fault: null };
  const tenant = await directory.of(point.tenantId);
  try {
    return await (channel === "import" ? readImported(arrival, tenant, grow) : readSent(arrival, tenant, grow));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (isDatabaseAway(error)) throw new ApiError("unavailable", { retryAfterSeconds: 5, cause: error });
    // A fault of ours, or settings that the connector no longer understands: the message is kept and can be replayed once it is mended.
    logger.error({ err: error, tenantId: point.tenantId, integrationPointId: point.id }, "a message could not be translated");
    const reasons = [{ path: "", message: "The translation failed; the server's log says why." }];
    return { translation: { kind: "rejected", reasons }, fault: null };
  }
}

async function readSent({ point, entityType, headers, body }: Arrival, tenant: TenantDirectory, grow?: Grow): Promise<Read> {
  const unwrapped = connectors[point.connector].unwrap?.(body);
  const content = parseContent(unwrapped ? Buffer.from(unwrapped) : body);
  if ("fault" in content) return unreadable("", content.fault);
  return { translation: await translate({ body, json: content.json, headers, entityType }, point, tenant, grow), fault: null };
}

/** What an import kept is canonical already: no connector would understand it. */
async function readImported({ point, entityType, body }: Arrival, tenant: TenantDirectory, grow?: Grow): Promise<Read> {
  if (entityType === null) throw new Error("imported documents have no type");
  const content = parseDocuments(body);
  if ("fault" in content) return unreadable(`${entityType}[${content.at}]`, content.fault);
  return { translation: await routeDocuments(content.documents, entityType, point, tenant, grow), fault: null };
}

function unreadable(path: string, fault: ContentFault): Read {
  return { translation: { kind: "rejected", reasons: [{ path, message: fault.message }] }, fault };
}

function unprovenBecause(signature: SignatureState): Fault | null {
  if (signature === "invalid") return faultBecause("", "signature-wrong");
  if (signature === "missing") return faultBecause("", "signature-missing");
  return signature === "stale" ? faultBecause("", "signature-time", { minutes: signatureToleranceSeconds / 60 }) : null;
}

function beginTrace(tracing: Tracing, point: Point, channel: Arrival["channel"], headers: Arrival["headers"]): IntakeTrace | null {
  const { tenantId, subtenantId, id: integrationPointId, connector } = point;
  return tracing.receive({ tenantId, subtenantId, integrationPointId, connector, channel, headers });
}

function toJob(arrival: Arrival, translation: Translation, traceparent: string | null, row: Row | null = null): IntakeJob {
  const { point, channel, entityType, headers, body, signature, replayOf = null } = arrival;
  return {
    point,
    channel,
    entityType,
    signature,
    contentType: headers["content-type"] ?? null,
    headers: JSON.stringify(keptHeaders(headers, secretsOf(point.credentials ?? {}))),
    body,
    dedupeKey: dedupeKeyOf(arrival, translation.kind === "rejected"),
    replayOf,
    translation,
    row,
    traceparent,
  };
}

/**
 * A rejected message claims no key, so that its sender may correct it and send it under the same one. A polled message claims its name for
 * its content, until another content comes under it: an object may change twice within the second that its source's times are rounded to, or once more after
 * it was handed out, and be in the end what it was before. So does a rejected one, which otherwise would be kept again at each poll.
 */
function dedupeKeyOf({ point, channel, body, dedupeName }: Arrival, isRejected: boolean): IntakeJob["dedupeKey"] {
  const mayChange = channel === "poll";
  if (dedupeName === null || (isRejected && !mayChange)) return null;
  // By other settings the same may become another document: asked for everything again, its source corrects what was read wrongly.
  const read = mayChange ? JSON.stringify([point.settings, point.sourceTypes]) : "";
  const content = sha256(Buffer.concat([Buffer.from(read), body]));
  // What is no longer rejected, as settings were corrected, is news.
  const bodyHash = isRejected ? sha256(`rejected ${content.toString("hex")}`) : content;
  return { hash: sha256(`${point.id} ${dedupeName}`), bodyHash, mayChange };
}

function weightOf({ body, translation }: IntakeJob): number {
  const records = translation.kind === "documents" ? translation.records : [];
  return records.reduce((weight, { text }) => weight + text.length, body.length);
}

/** The keys by which arrivals keep their order: the message's business objects, those of its source, and its sender's name for it. */
function orderedKeys({ point, dedupeKey, translation }: IntakeJob): string[] {
  const { records, wholes } = translation.kind === "documents" ? translation : { records: [], wholes: [] };
  const keys = [
    ...records.map(({ entityType, key }) => `${point.subtenantId} ${entityType} ${key}`),
    ...wholes.map(({ name }) => `whole ${name}`),
  ];
  return dedupeKey === null ? keys : [...keys, dedupeKey.hash.toString("latin1")];
}

const afterFailed = (): ApiError =>
  new ApiError("unavailable", { retryAfterSeconds: 5, detail: "One before it was not stored. Send this one again after that." });

function isToBeTriedAgain(error: unknown): boolean {
  return !(error instanceof ApiError) || errorCodes[error.code].status >= 500;
}

/** Errors that the jobs' values cause: bad data, violated constraints, exceeded limits (SQLSTATE classes 22, 23, 54). */
function isContentError(error: unknown): boolean {
  return /^(22|23|54)/.test(codeOf(error));
}

/** Serialisation failure, deadlock, or an object that another process created at the same moment: the same batch succeeds when run again. */
function isPassing(error: unknown): boolean {
  const state = codeOf(error);
  if (state === "40001" || state === "40P01") return true;
  return state === "23505" && typeof error === "object" && error !== null && "table" in error && error.table === "entity_version";
}

const triesMax = 5;

async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === triesMax || !isPassing(error)) throw error;
    }
  }
}
