import type { ExternalItemKey, Fault, JobKind, JobSubject } from "@crossdock/contract";
import type pg from "pg";
import { ApiError } from "../errors/errors.ts";
import { itemIdOf } from "../external-items/item-id.ts";
import { removeItems, restoreItems } from "../external-items/rows.ts";
import { removeExternalMessages, restoreExternalMessages } from "../external-messages/changes.ts";
import { toArrival } from "../external-messages/replay.ts";
import { tellExternalNews } from "../external-messages/news.ts";
import type { Directory } from "../intake/directory.ts";
import type { Arrival, Intake } from "../intake/intake.ts";
import type { Translation } from "../intake/job.ts";
import { faultsDetail, type ItemResult } from "./rows.ts";

/** What it takes to send messages through intake once more. */
export type Replaying = { directory: Directory; intake: Intake };

type ExternalJob = { id: number; subject: JobSubject; kind: JobKind; cursor: string; undoOf: number | null; actorName: string };

type Item = ExternalItemKey & { messageId: string; isOfFormerSystem: boolean };

const itemsSql = `
  select item.message_id as "messageId", item.integration_point_id as "integrationPointId", item.entity_type as "entityType", item.business_key as key,
    item.system is distinct from point.system as "isOfFormerSystem"
  from hub.job_item item
  left join hub.integration_point point on point.tenant_id = item.tenant_id and point.id = item.integration_point_id
  where item.tenant_id = $1 and item.job_id = $2 and item.message_id > $3 order by item.message_id limit $4`;

/** Messages of one transaction that go through intake, and bytes of theirs after which no more are read. */
const replaySize = 100;
const replayBytesMax = 8 * 1024 * 1024;
/** For so long messages are read, which may take seconds each, and then stored: who sends the same objects meanwhile waits for their locks. */
const replayMsMax = 1_000;

/** The next items of the job, carried out in the batch's transaction. */
export async function runExternal(
  client: pg.ClientBase,
  tenantId: number,
  job: ExternalJob,
  size: number,
  replaying: Replaying | null,
): Promise<ItemResult[]> {
  const limit = job.kind === "replay" ? Math.min(size, replaySize) : size;
  const { rows: items } = await client.query<Item>(itemsSql, [tenantId, job.id, job.cursor, limit]);
  if (items.length === 0) return [];
  if (job.kind === "replay") return ofPresentSystem(items, (own) => replayAll(client, tenantId, own, present(replaying)));
  if (job.subject === "external-messages") return changeMessages(client, tenantId, job, items);
  return ofPresentSystem(items, (own) =>
    job.kind === "remove" ? removeAll(client, tenantId, job, own) : restoreAll(client, tenantId, own),
  );
}

/**
 * What belongs to a system that an address leads to no more since the job was made is passed over: in another system its ids are other objects. Of the
 * items those are taken first that are alike, as the rest has to wait for what is not done of them.
 */
async function ofPresentSystem(items: readonly Item[], carryOut: (own: readonly Item[]) => Promise<ItemResult[]>): Promise<ItemResult[]> {
  const isOfFormer = items[0]?.isOfFormerSystem ?? false;
  const others = items.findIndex(({ isOfFormerSystem }) => isOfFormerSystem !== isOfFormer);
  const alike = others === -1 ? items : items.slice(0, others);
  return isOfFormer ? idsOf(alike).map((messageId) => ({ messageId, outcome: "skipped", detail: null })) : carryOut(alike);
}

const idsOf = (items: readonly Item[]): string[] => items.map(({ messageId }) => messageId);

async function changeMessages(client: pg.ClientBase, tenantId: number, job: ExternalJob, items: readonly Item[]): Promise<ItemResult[]> {
  const ids = idsOf(items);
  const change = { tenantId, ids, job };
  const changed =
    job.kind === "remove"
      ? await removeExternalMessages(client, { ...change, by: job.actorName })
      : await restoreExternalMessages(client, change);
  const done = new Set(changed);
  return ids.map((messageId) => ({ messageId, outcome: done.has(messageId) ? "done" : "skipped", detail: null }));
}

async function removeAll(client: pg.ClientBase, tenantId: number, job: ExternalJob, items: readonly Item[]): Promise<ItemResult[]> {
  const removed = await removeItems(client, tenantId, [...items], job.actorName, job.undoOf);
  if (removed.length > 0) await tellExternalNews(client, tenantId);
  const numbers = new Map(removed.map((item) => [itemIdOf(item), item.id]));
  return items.map((item) => {
    const successorId = numbers.get(itemIdOf(item));
    const { messageId } = item;
    return successorId === undefined
      ? { messageId, outcome: "skipped", detail: null }
      : { messageId, outcome: "done", detail: null, successorId };
  });
}

async function restoreAll(client: pg.ClientBase, tenantId: number, items: readonly Item[]): Promise<ItemResult[]> {
  const back = await restoreItems(client, tenantId, idsOf(items));
  const done = new Set(back.filter(({ isRestored }) => isRestored).map(({ id }) => id));
  if (done.size > 0) await tellExternalNews(client, tenantId);
  return idsOf(items).map((messageId) => ({ messageId, outcome: done.has(messageId) ? "done" : "skipped", detail: null }));
}

type Reading = { messageId: string } & ({ arrival: Arrival; translation: Translation } | { failed: ApiError });

/** What the first items were made into, as far as time and bytes allow. */
async function readSome(
  client: pg.ClientBase,
  tenantId: number,
  items: readonly Item[],
  { directory, intake }: Replaying,
): Promise<Reading[]> {
  const readings: Reading[] = [];
  const begun = performance.now();
  const configuration = await directory.of(tenantId);
  let bytes = 0;
  for (const { messageId } of items) {
    if (performance.now() - begun > replayMsMax || bytes > replayBytesMax) break;
    try {
      const arrival = await toArrival(client, configuration, tenantId, messageId, {});
      bytes += arrival.body.length;
      readings.push({ messageId, arrival, translation: await intake.check(arrival) });
    } catch (error) {
      readings.push({ messageId, failed: refusalOf(error) });
    }
  }
  return readings;
}

/**
 * One after the other in the order in which they came; what one may not do leaves the others alone. All that they are about is locked beforehand, in the
 * order in which intake does: in that of the messages, this and whoever sends the same objects would wait for each other.
 */
async function replayAll(client: pg.ClientBase, tenantId: number, items: readonly Item[], replaying: Replaying): Promise<ItemResult[]> {
  const readings = await readSome(client, tenantId, items, replaying);
  await replaying.intake.lock(
    client,
    tenantId,
    readings.filter((reading) => "arrival" in reading),
  );
  const results: ItemResult[] = [];
  const begun = performance.now();
  for (const reading of readings) {
    if (performance.now() - begun > replayMsMax) break;
    const { messageId } = reading;
    await client.query("savepoint item");
    try {
      if ("failed" in reading) throw reading.failed;
      const { externalMessageId } = await replaying.intake.receiveIn(client, reading.arrival, reading.translation);
      results.push({ messageId, outcome: "done", detail: null, successorId: externalMessageId });
      await client.query("release savepoint item");
    } catch (error) {
      const refusal = refusalOf(error);
      await client.query("rollback to savepoint item");
      results.push({ messageId, outcome: "failed", detail: faultsDetail(faultsOf(refusal)) });
    }
  }
  return results;
}

/** A temporary failure is tried again with the whole batch. */
function refusalOf(error: unknown): ApiError {
  if (!(error instanceof ApiError) || error.code === "unavailable") throw error;
  return error;
}

function faultsOf({ message, extras: { errors = [], reason, values } }: ApiError): Fault[] {
  return errors.length > 0 ? errors : [{ path: "", message, ...(reason && { reason, ...(values && { values }) }) }];
}

/** Only a process that can replay takes such jobs. */
function present(replaying: Replaying | null): Replaying {
  if (replaying === null) throw new Error("this process replays nothing");
  return replaying;
}
