import type { Note } from "@crossdock/contract";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fillQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let message: string;
let otherMessage: string;
beforeAll(async () => {
  made = await testApp();
  message = (await fillQueues(made, "acme")).deadId;
  otherMessage = (await fillQueues(made, "other")).deadId;
});
afterAll(() => made.close());

const tenant = "/api/v1/tenants/acme";
const ofMessage = (id = message) => `${tenant}/messages/${id}/notes`;
type Account = Parameters<TestApp["call"]>[0];

async function leave(account: Account, text: string): Promise<Note> {
  const answer = await made.call(account, "POST", ofMessage(), { text });
  expect(answer.statusCode).toBe(201);
  return answer.json<Note>();
}
const textsOfMessage = async (): Promise<string[]> =>
  (await made.call("viewer", "GET", ofMessage())).json<{ items: Note[] }>().items.map(({ text }) => text);
const news = async (account: Account) =>
  (await made.call(account, "GET", `${tenant}/notes`)).json<{ items: Note[]; unreadCount: number; nextCursor: string | null }>();

test("a note says who wrote it, on which message, and whose it is to the reader", async () => {
  const note = await leave("user", "  Waits for the ERP  ");
  expect(note).toMatchObject({ text: "Waits for the ERP", authorName: "Uli", via: null, isOwn: true, messageId: message });
  expect(note).toMatchObject({ messageKey: "o-1", queueName: "centra.order" });
  const [seen] = (await made.call("viewer", "GET", ofMessage())).json<{ items: Note[] }>().items;
  expect(seen).toEqual({ ...note, isOwn: false });
});

test.each([
  ["an empty text", { text: "  " }],
  ["a text of more than 2000 characters", { text: "x".repeat(2001) }],
  ["another's name under a person's note", { text: "x", authorName: "Maria Lee" }],
])("%s is refused", async (_what, body) => {
  expect((await made.call("user", "POST", ofMessage(), body)).statusCode).toBe(400);
});

test("only who may operate leaves notes, and only on a message of the tenant", async () => {
  expect((await made.call("viewer", "POST", ofMessage(), { text: "x" })).statusCode).toBe(403);
  expect((await made.call("user", "POST", ofMessage("207990000000001"), { text: "x" })).statusCode).toBe(404);
  expect((await made.call("user", "POST", ofMessage(otherMessage), { text: "x" })).statusCode).toBe(404);
  expect((await made.call("stranger", "GET", `${tenant}/notes`)).statusCode).toBe(404);
  expect((await made.app.inject({ url: `${tenant}/notes` })).statusCode).toBe(401);
});

test("a program hands in what somebody wrote elsewhere, and is named beside it", async () => {
  const created = await made.call("admin", "POST", `${tenant}/api-keys`, { name: "Service desk", role: "user" });
  const headers = { authorization: `Bearer ${created.json<{ key: string }>().key}` };
  const payload = { text: "Asked the shop", authorName: "Maria Lee" };
  const answer = await made.app.inject({ method: "POST", url: ofMessage(), headers, payload });
  expect(answer.json()).toMatchObject({ authorName: "Maria Lee", via: "Service desk", isOwn: true });
  const { items, unreadCount } = (await made.app.inject({ url: `${tenant}/notes`, headers })).json();
  expect([items[0].text, unreadCount]).toEqual(["Asked the shop", 0]);
});

test("a note is removed and restored by its author alone", async () => {
  const { id } = await leave("user", "Never mind");
  expect((await made.call("admin", "DELETE", `${tenant}/notes/${id}`)).statusCode).toBe(403);
  expect((await made.call("user", "DELETE", `${tenant}/notes/${id}`)).statusCode).toBe(204);
  expect(await textsOfMessage()).not.toContain("Never mind");
  expect((await made.call("user", "DELETE", `${tenant}/notes/${id}`)).statusCode).toBe(404);
  expect((await made.call("admin", "POST", `${tenant}/notes/${id}/restore`)).statusCode).toBe(403);
  expect((await made.call("user", "POST", `${tenant}/notes/${id}/restore`)).json()).toMatchObject({ text: "Never mind" });
  expect(await textsOfMessage()).toContain("Never mind");
  expect((await made.call("user", "POST", `${tenant}/notes/${id}/restore`)).statusCode).toBe(404);
});

test("notes of others are unread until they are read; reading never goes back nor ahead of what is there", async () => {
  const read = (upTo: number) => made.call("viewer", "PUT", `${tenant}/notes/read`, { upTo });
  await read((await news("viewer")).items[0]?.id ?? 0);
  expect((await news("viewer")).unreadCount).toBe(0);
  const mine = (await news("user")).unreadCount;
  const first = await leave("user", "one");
  await leave("user", "two");
  expect((await news("viewer")).unreadCount).toBe(2);
  expect((await news("user")).unreadCount).toBe(mine);
  await read(first.id);
  expect((await news("viewer")).unreadCount).toBe(1);
  await read(1);
  expect((await news("viewer")).unreadCount).toBe(1);
  expect((await read(2_000_000_000)).statusCode).toBe(204);
  expect((await news("viewer")).unreadCount).toBe(0);
  await leave("user", "three");
  expect((await news("viewer")).unreadCount).toBe(1);
  expect((await made.call("viewer", "PUT", `${tenant}/notes/read`, { upTo: "x" })).statusCode).toBe(400);
});

test("@name tells the colleagues of that name who may read it, and nobody else", async () => {
  const isTold = async (text: string, account: Account): Promise<boolean | undefined> => {
    const { id } = await leave("user", text);
    return (await news(account)).items.find((note) => note.id === id)?.mentionsCaller;
  };
  expect(await isTold("Please look, @vera.", "viewer")).toBe(true);
  expect(await isTold("@VIEWER: please look", "viewer")).toBe(true);
  expect(await isTold("write to someone@vera", "viewer")).toBe(false);
  expect(await isTold("@vera", "admin")).toBe(false);
  // Stan belongs to another tenant.
  const { id } = await leave("user", "@stan");
  const owner = made.pool("owner", 1);
  expect((await owner.query("select mentions from hub.note where id = $1", [id])).rows).toEqual([{ mentions: [] }]);
});

test("pages of notes are newest first and together hold all", async () => {
  const texts: string[] = [];
  let cursor = "";
  do {
    const page = (await made.call("viewer", "GET", `${tenant}/notes?limit=3${cursor}`)).json();
    texts.push(...page.items.map(({ text }: Note) => text));
    cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`;
  } while (cursor !== "");
  expect(texts.toReversed()).toEqual(await textsOfMessage());
  expect((await made.call("viewer", "GET", `${tenant}/notes?cursor=nonsense`)).json()).toMatchObject({ code: "cursor-invalid" });
});

test("a new note is told to the tenant's open consoles", async () => {
  const listener = new pg.Client({ connectionString: made.ownerUrl });
  await listener.connect();
  await listener.query("listen notes_changed");
  const told = new Promise((resolve) => listener.once("notification", ({ payload }) => resolve(payload)));
  await leave("user", "news");
  expect(await told).toBe("1001");
  await listener.end();
});
