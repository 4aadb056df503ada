import type pg from "pg";
import type { MessageTrace } from "@crossdock/contract";
import { laneOf, listMessages, type MessageDetail, type MessageSummary } from "@crossdock/queue";
import { toMessage } from "./rows.ts";
import { readSubtenantCodes } from "../subtenants/codes.ts";
import { isLatestWins } from "../targets.ts";

type ExternalMessage = NonNullable<MessageTrace["externalMessage"]>;

const externalMessageSql = `
  select message.id, point.connector as source, message.state, queue.iso(message.received_at) as "receivedAt",
    message.content_type as "contentType"
  from hub.external_message message
  join hub.integration_point point on point.tenant_id = message.tenant_id and point.id = message.integration_point_id
  where message.tenant_id = $1 and message.id = $2`;

/** How many messages of the lane are read, both sides together. */
const laneSize = 200;
/** The most messages that one object of one external message became: one per target. */
const siblingsMax = 100;

/** The chain that a message is part of. */
export async function readTrace(client: pg.ClientBase, tenantId: number, message: MessageDetail): Promise<MessageTrace> {
  const codes = await readSubtenantCodes(client, tenantId);
  const { originId, key } = message;
  const siblings =
    originId === null ? [message] : (await listMessages(client, { tenantId, filter: { originId, keys: [key] }, limit: siblingsMax })).items;
  const lane = await laneOf(client, { tenantId, messageId: message.messageId, limit: laneSize });
  return {
    externalMessage: originId === null ? null : await findExternalMessage(client, tenantId, originId),
    entity: message.entityVersion === null ? null : { entityType: message.entityType, key, version: message.entityVersion },
    messages: siblings.map((sibling) => toMessage(sibling, codes)),
    lane: {
      ...placeInLane(lane, message.messageId),
      waiting: aroundInLane(lane, message.messageId).map((other) => toMessage(other, codes)),
    },
  };
}

async function findExternalMessage(client: pg.ClientBase, tenantId: number, id: string): Promise<ExternalMessage | null> {
  return (await client.query<ExternalMessage>(externalMessageSql, [tenantId, id])).rows[0] ?? null;
}

const waiting = new Set(["ready", "in-hand", "retrying", "parked", "dead"]);
const holding = new Set(["retrying", "dead"]);
const isWaiting = (message: MessageSummary): boolean => waiting.has(message.state);

/** How many waiting messages are shown on each side of one. */
const neighboursMax = 10;

function aroundInLane(lane: MessageSummary[], messageId: string): MessageSummary[] {
  const waitingOnes = lane.filter(isWaiting);
  const place = waitingOnes.findIndex((message) => message.messageId === messageId);
  return place < 0 ? [] : waitingOnes.slice(Math.max(0, place - neighboursMax), place + neighboursMax + 1);
}

function placeInLane(lane: MessageSummary[], messageId: string): Omit<MessageTrace["lane"], "waiting"> {
  const place = lane.findIndex((message) => message.messageId === messageId);
  // Where the newest wins nothing is held: it passes what failed.
  const holder = lane.slice(0, place + 1).find((message) => holding.has(message.state) && !isLatestWins(message.entityType));
  return {
    ahead: lane.slice(0, Math.max(place, 0)).filter(isWaiting).length,
    behind: lane.slice(place + 1).filter(isWaiting).length,
    heldBy: holder?.messageId ?? null,
  };
}
