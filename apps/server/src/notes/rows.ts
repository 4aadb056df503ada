import type pg from "pg";
import type { Note } from "@crossdock/contract";
import type { Principal } from "../access/access.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { mayOpenSql } from "../access/tenant-people.ts";

/** Who asks, as notes know people: one of the two is null. */
type Reader = { userId: number | null; apiKeyId: number | null };

export function readerOf(principal: Principal): Reader {
  return principal.kind === "user" ? { userId: principal.userId, apiKeyId: null } : { userId: null, apiKeyId: principal.apiKeyId };
}

// $1 tenant, $2 user and $3 API key of the reader.
const columns = `
  note.id, note.message_id as "messageId", note.message_key as "messageKey", note.queue_name as "queueName", note.author_name as "authorName",
  (select api_key.name from hub.api_key where api_key.tenant_id = note.tenant_id and api_key.id = note.api_key_id) as via,
  coalesce(note.author_id = $2::integer or note.api_key_id = $3::integer, false) as "isOwn",
  coalesce($2::integer = any(note.mentions), false) as "mentionsCaller", note.text, queue.iso(note.created_at) as "createdAt"`;

const newestSql = `
  select ${columns} from hub.note
  where note.tenant_id = $1 and note.removed_at is null and ($4::integer is null or note.id < $4)
  order by note.id desc limit $5`;

export async function listNewest(client: pg.ClientBase, tenantId: number, reader: Reader, before: number | null, limit: number) {
  return (await client.query<Note>(newestSql, [tenantId, reader.userId, reader.apiKeyId, before, limit])).rows;
}

const ofMessageSql = `
  select * from (
    select ${columns} from hub.note
    where note.tenant_id = $1 and note.message_id = $4 and note.removed_at is null
    order by note.id desc limit 200
  ) newest order by id`;

export async function listOfMessage(client: pg.ClientBase, tenantId: number, reader: Reader, messageId: string): Promise<Note[]> {
  return (await client.query<Note>(ofMessageSql, [tenantId, reader.userId, reader.apiKeyId, messageId])).rows;
}

const unreadSql = `
  with reader as (
    select coalesce((select up_to from hub.note_read where tenant_id = $1 and user_id = $2), 0) as up_to
  )
  select up_to as "readUpTo", (
    select count(*) from (
      select from hub.note
      where tenant_id = $1 and removed_at is null and author_id is distinct from $2 and id > reader.up_to
      limit 100
    ) unread
  )::integer as "unreadCount"
  from reader`;

type Unread = { readUpTo: number; unreadCount: number };

export async function readUnread(client: pg.ClientBase, tenantId: number, userId: number): Promise<Unread> {
  return (await client.query<Unread>(unreadSql, [tenantId, userId])).rows[0] ?? { readUpTo: 0, unreadCount: 0 };
}

// Never ahead of the newest note, which would hide notes still to come, and never back.
const markReadSql = `
  insert into hub.note_read (tenant_id, user_id, up_to)
  select $1, $2, least($3, coalesce((select max(id) from hub.note where tenant_id = $1), 0))
  on conflict (tenant_id, user_id) do update set up_to = greatest(note_read.up_to, excluded.up_to)`;

export async function markRead(client: pg.ClientBase, tenantId: number, userId: number, upTo: number): Promise<void> {
  await client.query(markReadSql, [tenantId, userId, upTo]);
}

type NewNote = { messageId: string; messageKey: string; queueName: string; authorName: string; text: string };

const insertSql = `
  insert into hub.note (tenant_id, author_id, api_key_id, message_id, message_key, queue_name, author_name, text, mentions)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
  returning ${columns}`;

// Who may read the tenant's notes, by the names that @ takes.
const mentionedSql = `
  select person.id from hub."user" person
  where ${mayOpenSql}
    and array[split_part(person.email, '@', 1), lower(replace(person.name, ' ', '')), lower(split_part(person.name, ' ', 1))] && $2::text[]`;

export async function insertNote(client: pg.ClientBase, tenantId: number, reader: Reader, note: NewNote): Promise<Note> {
  const names = [...note.text.matchAll(/(?<![\p{L}\p{N}])@([\p{L}\p{N}._+-]*[\p{L}\p{N}])/gu)].map(([, name = ""]) => name.toLowerCase());
  const mentioned = names.length === 0 ? [] : (await client.query<{ id: number }>(mentionedSql, [tenantId, names])).rows;
  const { messageId, messageKey, queueName, authorName, text } = note;
  const values = [messageId, messageKey, queueName, authorName, text, mentioned.map(({ id }) => id)];
  const { rows } = await client.query<Note>(insertSql, [tenantId, reader.userId, reader.apiKeyId, ...values]);
  if (!rows[0]) throw new Error("the insert answered no note");
  return rows[0];
}

const lockSql = `select ${columns} from hub.note where note.tenant_id = $1 and note.id = $4 and (note.removed_at is null) = $5 for update`;

/** Removes a note of the reader's own, or puts it back. Throws not-found, or permission-missing when it is somebody else's. */
export async function setRemoved(
  client: pg.ClientBase,
  tenantId: number,
  reader: Reader,
  noteId: number,
  isRemoved: boolean,
): Promise<Note> {
  const { rows } = await client.query<Note>(lockSql, [tenantId, reader.userId, reader.apiKeyId, noteId, isRemoved]);
  if (!rows[0]) throw notFound();
  if (!rows[0].isOwn) throw new ApiError("permission-missing", because("note-author"));
  const removedAt = isRemoved ? "now()" : "null";
  await client.query(`update hub.note set removed_at = ${removedAt} where tenant_id = $1 and id = $2`, [tenantId, noteId]);
  return rows[0];
}
