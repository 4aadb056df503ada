import { fillSearch } from "@crossdock/queue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant, inTenantUntil } from "../db.ts";
import { fillQueues, type FilledQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let queues: FilledQueues;
beforeAll(async () => {
  made = await testApp();
  queues = await fillQueues(made, "acme");
  while ((await fillSearch(made.deps.pools.worker, 1000)) > 0);
});
afterAll(() => made.close());

const base = "/api/v1/tenants/acme";
type Page = { items: { id: string }[] };
type Line = Page & { searchedTo: string | null; nextCursor: string | null; isEnd: boolean };

const list = async (query: Record<string, string>) => {
  const answer = await made.call("user", "GET", `${base}/messages?${new URLSearchParams(query).toString()}`);
  return answer.json<Page>().items.map(({ id }) => id);
};
const scan = async (query: Record<string, string>) => {
  const answer = await made.call("user", "GET", `${base}/message-scan?${new URLSearchParams(query).toString()}`);
  return {
    type: answer.headers["content-type"],
    lines: answer.body
      .trimEnd()
      .split("\n")
      .map((line): Line => JSON.parse(line)),
  };
};
const idsOf = (lines: Line[]) => lines.flatMap((line) => line.items.map(({ id }) => id));

test("one search takes a business key, a message's id, an external item's id and words of the payload", async () => {
  const { readyId, deadId, behindId } = queues;
  expect(await list({ search: "o-1" })).toEqual([behindId, deadId]);
  expect(await list({ search: readyId })).toEqual([readyId]);
  await inTenant(made.deps.pools.app, 1001, (client) =>
    client.query(
      `insert into hub.external_item (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash, message_id)
       values (1001, $1, 'item', 'a-1', 1101, 'gid-77', 'x', $2)`,
      [queues.integrationPointId, readyId],
    ),
  );
  expect(await list({ search: "gid-77" })).toEqual([readyId]);
  expect(await list({ search: "gid-77", state: "dead" })).toEqual([]);
});

test.each([
  [{ httpStatus: "422" }, ["dead"]],
  [{ errorClass: "http-503" }, ["retrying"]],
  [{ attemptsMin: "1" }, ["retrying", "dead"]],
  [{ payload: "$.change > 1" }, ["behind"]],
  [{ payload: '$.orderNumber = "o-1"', state: "dead" }, ["dead"]],
  [{ payload: '$.orderNumber = "o-1"', httpStatus: "503" }, []],
] as const)("list and scan answer %o alike", async (query, expected) => {
  const named = { dead: queues.deadId, retrying: queues.retryingId, behind: queues.behindId };
  const ids = expected.map((name) => named[name]);
  expect(await list(query)).toEqual(ids);
  expect(idsOf((await scan(query)).lines)).toEqual(ids);
});

test("a payload filter that can't be read is refused with the reason", async () => {
  const answer = await made.call("user", "GET", `${base}/messages?payload=${encodeURIComponent("$.sku = 85123A")}`);
  expect(answer.json()).toMatchObject({ status: 400, code: "validation-failed", detail: expect.stringContaining("in quotes") });
});

test("a scan says when it has looked at everything, and goes on where its limit ended it", async () => {
  const whole = await scan({ search: "o-" });
  expect(whole.type).toContain("application/x-ndjson");
  expect(idsOf(whole.lines)).toEqual([queues.retryingId, queues.behindId, queues.deadId]);
  expect(whole.lines.at(-1)).toMatchObject({ isEnd: true, nextCursor: null, searchedTo: null });
  const first = await scan({ search: "o-", limit: "2" });
  expect(idsOf(first.lines)).toEqual([queues.retryingId, queues.behindId]);
  expect(first.lines.at(-1)).toMatchObject({ isEnd: true, nextCursor: expect.any(String), searchedTo: expect.any(String) });
  expect(idsOf((await scan({ search: "o-", cursor: first.lines.at(-1)?.nextCursor ?? "" })).lines)).toEqual([queues.deadId]);
});

const runningSql = "select count(*)::integer as count from pg_stat_activity where query = $1 and state = 'active'";

test("hanging up cancels the statement in the database and leaves the connection usable", async () => {
  const { readOnly } = made.deps.pools;
  const statement = "select pg_sleep(9)";
  const running = async () => (await made.pool("owner", 1).query<{ count: number }>(runningSql, [statement])).rows[0]?.count;
  const stop = new AbortController();
  const work = inTenantUntil(stop.signal, readOnly, 1001, (client) => client.query(statement));
  const outcome = work.then(
    () => "done",
    () => "cancelled",
  );
  await expect.poll(running).toBe(1);
  stop.abort();
  expect(await outcome).toBe("cancelled");
  expect(await running()).toBe(0);
  expect((await inTenant(readOnly, 1001, (client) => client.query<{ one: number }>("select 1 as one"))).rows).toEqual([{ one: 1 }]);
});
