import type pg from "pg";
import { publish, type NewMessage } from "@crossdock/queue";
import { inOrder } from "../db.ts";
import { storable } from "../delivery/recording.ts";
import { tellExternalNews } from "../external-messages/news.ts";
import { decide, lockEntities, lockWholes, writeEntities, writeWholes, type Entities, type Wholes } from "./entities.ts";
import { claimIds, findEarlier } from "./intake-keys.ts";
import type { Draft, IntakeJob, Receipt } from "./job.ts";
import { pack } from "./pack.ts";

/** Writes a batch of one tenant: raw messages, business objects, messages to their queues. Receipts in the order of the jobs. */
export async function storeBatch(client: pg.ClientBase, tenantId: number, jobs: readonly IntakeJob[]): Promise<Receipt[]> {
  const write = await claimBatch(client, tenantId, jobs);
  return write();
}

/** Locks what the jobs' documents are about, in the order of every batch, for who stores them one after the other. */
export async function lockBatch(client: pg.ClientBase, tenantId: number, jobs: readonly IntakeJob[]): Promise<void> {
  await lockEntities(client, tenantId, jobs, await lockWholes(client, tenantId, jobs));
}

/**
 * The first half of `storeBatch`: takes ids, claims the senders' keys and locks the business objects. Resolves with the other half, which
 * sends all its statements before it waits for any.
 */
export async function claimBatch(client: pg.ClientBase, tenantId: number, jobs: readonly IntakeJob[]): Promise<() => Promise<Receipt[]>> {
  const wholes = await lockWholes(client, tenantId, jobs);
  const [ids, entities] = await inOrder([claimIds(client, tenantId, jobs), lockEntities(client, tenantId, jobs, wholes)]);
  const drafts = new Map<IntakeJob, Draft>();
  for (const [index, job] of jobs.entries()) {
    const id = ids[index] ?? null;
    if (id !== null)
      drafts.set(job, { job, id, state: "accepted", reasons: [], documents: [], messages: [], gone: [], pulledQueueIds: [] });
  }
  for (const draft of drafts.values()) decide(draft, entities, wholes);
  return () => writeBatch(client, tenantId, jobs, drafts, entities, wholes);
}

async function writeBatch(
  client: pg.ClientBase,
  tenantId: number,
  jobs: readonly IntakeJob[],
  drafts: ReadonlyMap<IntakeJob, Draft>,
  entities: Entities,
  wholes: Wholes,
): Promise<Receipt[]> {
  const fresh = [...drafts.values()];
  const repeated = jobs.filter((job) => !drafts.has(job));
  // The engine itself announces what was published.
  const isNews = fresh.length > 0 && fresh.every(({ messages }) => messages.length === 0) && isNewsDue(tenantId);
  const [, , , messageIds, , earlier] = await inOrder([
    writeEntities(client, tenantId, entities),
    writeWholes(client, tenantId, wholes),
    insertExternalMessages(client, tenantId, fresh),
    publishAll(client, fresh),
    isNews ? tellExternalNews(client, tenantId) : Promise.resolve(),
    findEarlier(client, tenantId, repeated),
  ]);
  return jobs.map((job) => {
    const draft = drafts.get(job);
    if (!draft) return earlier(job);
    return {
      externalMessageId: draft.id,
      state: draft.state,
      reasons: draft.reasons,
      documents: draft.documents,
      messageIds: messageIds.get(draft) ?? [],
      isDuplicate: false,
      isKeyReused: false,
    };
  });
}

const insertExternalMessagesSql = `
  insert into hub.external_message (tenant_id, id, subtenant_id, integration_point_id, channel, entity_type, business_key, state, signature,
    content_type, headers, reasons, replay_of, body)
  select $1, id, subtenant_id, integration_point_id, channel, entity_type, business_key, state, signature, content_type, headers, reasons, replay_of,
    substring($2::bytea from position for length)
  from unnest($3::bigint[], $4::integer[], $5::integer[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
      $13::text[], $14::bigint[], $15::integer[], $16::integer[])
    as input (id, subtenant_id, integration_point_id, channel, entity_type, business_key, state, signature, content_type, headers, reasons, replay_of,
      position, length)`;

async function insertExternalMessages(client: pg.ClientBase, tenantId: number, drafts: Draft[]): Promise<void> {
  if (drafts.length === 0) return;
  const bodies = pack(drafts.map(({ job }) => job.body));
  const firsts = drafts.map(({ job, gone }) =>
    job.translation.kind === "documents" ? (job.translation.records[0] ?? gone[0]) : undefined,
  );
  await client.query({
    name: "intake-external-messages",
    text: insertExternalMessagesSql,
    values: [
      tenantId,
      bodies.bytes,
      drafts.map(({ id }) => id),
      drafts.map(({ job }) => job.point.subtenantId),
      drafts.map(({ job }) => job.point.id),
      drafts.map(({ job }) => job.channel),
      drafts.map(({ job }, index) => firsts[index]?.entityType ?? job.entityType),
      firsts.map((record) => record?.key ?? null),
      drafts.map(({ state }) => state),
      drafts.map(({ job }) => job.signature),
      drafts.map(({ job }) => job.contentType),
      drafts.map(({ job }) => job.headers),
      drafts.map(({ reasons }) => (reasons.length > 0 ? JSON.stringify(reasons, storablePart) : null)),
      drafts.map(({ job }) => job.replayOf),
      bodies.positions,
      bodies.lengths,
    ],
  });
}

/** What a reason repeats of a message, such as the name of a field, may have half of a character; lists read reasons as JSON by the database. */
const storablePart = (_name: string, part: unknown): unknown => (typeof part === "string" ? storable(part) : part);

const lastNews = new Map<number, number>();

/** Whether to tell live consoles now of what was kept without a message: this process does so at most once a second for each tenant. */
function isNewsDue(tenantId: number): boolean {
  const now = performance.now();
  if (now - (lastNews.get(tenantId) ?? -Infinity) < 1000) return false;
  lastNews.set(tenantId, now);
  return true;
}

/** The channel that names queues whose next message an outside worker may be waiting for. The engine's own channel is for its workers. */
export const pulledChannel = "queue_pulled";

/** A payload has fewer than 8,000 bytes; an empty one stands for any queue. */
function pulledPayload(queueIds: ReadonlySet<number>): string {
  const payload = [...queueIds].join(",");
  return payload.length < 8_000 ? payload : "";
}

/** Publishes, and tells outside workers of the queues that they wait for. Returns the ids in the order of the messages. */
export async function publishRouted(client: pg.ClientBase, messages: NewMessage[], pulled: ReadonlySet<number>): Promise<string[]> {
  const [ids] = await inOrder([
    publish(client, messages),
    pulled.size > 0 ? client.query("select pg_notify($1, $2)", [pulledChannel, pulledPayload(pulled)]) : Promise.resolve(),
  ]);
  return ids;
}

async function publishAll(client: pg.ClientBase, drafts: Draft[]): Promise<Map<Draft, string[]>> {
  const published = new Map<Draft, string[]>();
  const messages = drafts.flatMap((draft) => draft.messages);
  if (messages.length === 0) return published;
  const ids = await publishRouted(client, messages, new Set(drafts.flatMap((draft) => draft.pulledQueueIds)));
  let position = 0;
  for (const draft of drafts) {
    published.set(draft, ids.slice(position, position + draft.messages.length));
    position += draft.messages.length;
  }
  return published;
}
