import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { emptyQueues, failMessage, fillQueues, type FilledQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let owner: pg.Pool;
let queues: FilledQueues;
let fingerprint: string;
beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 1);
});
beforeEach(async () => {
  await emptyQueues(owner);
  queues = await fillQueues(made, "acme");
  fingerprint = (await group()).fingerprint;
});
afterAll(() => made.close());

const base = "/api/v1/tenants/acme";
type Account = Parameters<TestApp["call"]>[0];
const group = async () => (await made.call("viewer", "GET", `${base}/dead-letter-groups`)).json().items[0];
const triage = (account: Account, change: object) =>
  made.call(account, "PUT", `${base}/dead-letter-groups/triage`, {
    fingerprint,
    version: 0,
    status: "investigating",
    ownerId: null,
    ...change,
  });
const fail = () => failMessage(made, "acme", { queueId: queues.orderQueueId, key: "o-7", errorClass: "rejected", kind: "dead" });

test("owner, status and comment stand on the group for everybody, with who changed it", async () => {
  expect((await group()).triage).toMatchObject({ status: "new", owner: null, version: 0 });
  const written = await triage("user", { ownerId: 2, comment: "Asked the supplier" });
  expect(written.json()).toMatchObject({
    status: "investigating",
    owner: { id: 2, name: "Uli" },
    comment: "Asked the supplier",
    version: 1,
  });
  expect((await group()).triage).toEqual(written.json());
  expect((await made.call("viewer", "GET", `${base}/dead-letters/${queues.deadId}`)).json().triage).toEqual(written.json());
});

test("of two operators the second is refused, sees who changed what, and goes on from there", async () => {
  const answers = await Promise.all([triage("user", { comment: "mine" }), triage("admin", { status: "waiting-for-partner" })]);
  const [winner] = answers.filter(({ statusCode }) => statusCode === 200).map((answer) => answer.json());
  const [refused] = answers.filter(({ statusCode }) => statusCode === 409).map((answer) => answer.json());
  expect(refused).toMatchObject({
    code: "changed-meanwhile",
    current: winner,
    detail: `${winner.changedBy} changed this error meanwhile.`,
  });
  expect((await group()).triage).toEqual(winner);
  expect((await triage("admin", { version: 1, status: "resolved" })).json()).toMatchObject({ status: "resolved", version: 2 });
  expect((await triage("user", { version: 1 })).json()).toMatchObject({ status: 409, current: { status: "resolved", changedBy: "Ada" } });
});

test("what was resolved is new again when it fails again, and its owner stays", async () => {
  const { lastAt } = await group();
  await triage("user", { status: "resolved", ownerId: 2, seenUpTo: lastAt });
  expect((await group()).triage.status).toBe("resolved");
  await fail();
  expect((await group()).triage).toMatchObject({ status: "new", owner: { id: 2 } });
});

test("an error whose owner may work here no more is worked on, and keeps the owner until it is given to somebody else", async () => {
  await triage("user", { ownerId: 2 });
  await owner.query(`update hub."user" set role = 'viewer' where id = 2`);
  try {
    expect((await triage("admin", { version: 1, ownerId: 2, status: "resolved" })).json()).toMatchObject({
      status: "resolved",
      owner: { id: 2, name: "Uli" },
    });
    expect((await triage("admin", { version: 2, ownerId: null })).statusCode).toBe(200);
    expect((await triage("admin", { version: 3, ownerId: 2 })).statusCode).toBe(404);
  } finally {
    await owner.query(`update hub."user" set role = 'user' where id = 2`);
  }
});

test("a failure that its resolver had not seen makes the error new", async () => {
  const { lastAt } = await group();
  await fail();
  await triage("user", { status: "resolved", seenUpTo: lastAt });
  expect((await group()).triage.status).toBe("new");
});

test("an error is ignored until the time named", async () => {
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  await triage("user", { status: "ignored", ignoredUntil: inAnHour });
  const { status, ignoredUntil } = (await group()).triage;
  expect([status, Date.parse(ignoredUntil)]).toEqual(["ignored", Date.parse(inAnHour)]);
  const over = await triage("user", { version: 1, status: "ignored", ignoredUntil: "2001-01-01T00:00:00Z" });
  expect(over.json()).toMatchObject({ status: 400, reason: "time-passed", errors: [{ path: "body/ignoredUntil", reason: "time-passed" }] });
  await owner.query("update hub.dead_letter_triage set ignored_until = now()");
  expect((await group()).triage).toMatchObject({ status: "new", ignoredUntil: null });
});

test("what is known of an error outlives its dead letters", async () => {
  await triage("user", { comment: "Known" });
  await made.call("user", "POST", `${base}/dead-letters/requeue`, { fingerprint });
  expect(await group()).toBeUndefined();
  expect((await triage("user", { version: 1, comment: "Still known" })).statusCode).toBe(200);
  await fail();
  expect((await group()).triage).toMatchObject({ comment: "Still known", version: 2 });
});

test("a change that contradicts itself or names what isn't there is refused and changes nothing", async () => {
  const refused: [what: string, change: object, status: number][] = [
    ["a time without the status that takes one", { ignoredUntil: "2030-01-01T00:00:00Z" }, 400],
    ["the status without its time", { status: "ignored" }, 400],
    ["an unknown status", { status: "lost" }, 400],
    ["an unknown error", { fingerprint: "none" }, 404],
    ["an owner from another tenant", { ownerId: 4 }, 404],
    ["an owner who may only look", { ownerId: 3 }, 404],
  ];
  for (const [what, change, status] of refused) expect([what, (await triage("user", change)).statusCode]).toEqual([what, status]);
  expect((await group()).triage.version).toBe(0);
});

test("a viewer reads who works on an error and changes nothing", async () => {
  expect((await triage("viewer", {})).statusCode).toBe(403);
  const { items } = (await made.call("viewer", "GET", `${base}/operators`)).json();
  expect(items).toEqual([
    { id: 1, name: "Ada" },
    { id: 2, name: "Uli" },
  ]);
  const readers = (await made.call("viewer", "GET", `${base}/operators?readers=true`)).json();
  expect(readers.items).toEqual([...items, { id: 3, name: "Vera" }]);
});
