import { connectors } from "@crossdock/connectors";
import { publish, type NewMessage } from "@crossdock/queue";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { inTenant } from "../db.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let targetId: number;
let item: NewMessage;
const tenantPath = "/api/v1/tenants/acme";
const document = JSON.stringify({ schemaVersion: 1, sku: "B-42", name: "Boots", isActive: true, attributes: { email: "ada@example.com" } });

beforeAll(async () => {
  made = await testApp();
  const settings = { url: "https://shop.example", deliver: { item: { template: '{"item": $}' } } };
  const target = {
    subtenantCode: "shop",
    connector: "storm",
    code: "to",
    name: "To",
    targetTypes: ["item"],
    settings,
  };
  targetId = (await made.call("admin", "POST", `${tenantPath}/integration-points`, target)).json<{ id: number }>().id;
  await inTenant(made.deps.pools.app, 1001, async (client) => {
    const sql = `select queue.id as "queueId", point.subtenant_id as "subtenantId" from queue.queue
      join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id where point.id = $1`;
    const { queueId = 0, subtenantId = 0 } = (await client.query<{ queueId: number; subtenantId: number }>(sql, [targetId])).rows[0] ?? {};
    item = { tenantId: 1001, queueId, subtenantId, entityType: "item", document, key: "B-42" };
    await publish(client, [item]);
  });
});
afterAll(() => made.close());

const preview = (change: object = {}) => made.call("admin", "POST", `${tenantPath}/integration-points/${targetId}/preview`, { change });

test("no preview holds a connection of the lists while expressions run", async () => {
  const { readOnly } = made.deps.pools;
  const held: number[] = [];
  const storm = { ...connectors.storm };
  const watched = vi.spyOn(connectors.storm, "request").mockImplementation((delivery) => {
    held.push(readOnly.totalCount - readOnly.idleCount);
    return storm.request(delivery);
  });
  expect((await preview()).json<object>()).toMatchObject({ examined: 1, same: 1 });
  watched.mockRestore();
  expect(held).toEqual([0, 0]);
});

const sending = (template: string) => ({ settings: { url: "https://shop.example", deliver: { item: { template } } } });

test("neither requests nor errors tell of a person", async () => {
  const changed = (await preview(sending('{"item": $, "login": attributes.email}'))).json<{ samples: object[] }>();
  expect(changed.samples[0]).toMatchObject({
    before: { body: expect.stringContaining('"email":"••• ') },
    after: { body: expect.stringMatching(/"email":"••• .*"login":"•••"/) },
  });
  const broken = (await preview(sending('$error("no customer " & attributes.email)'))).json<{ samples: object[] }>();
  expect(broken.samples[0]).toMatchObject({ effect: "broken", errorAfter: expect.stringContaining("no customer •••") });
  expect(JSON.stringify([changed, broken])).not.toContain("ada@example.com");
});

/** What a key that may configure, and not reveal, is answered. */
async function previewed(template: string): Promise<object> {
  const created = await made.call("admin", "POST", `${tenantPath}/api-keys`, { name: "deployment", scopes: ["configure"] });
  const { key } = created.json<{ key: string }>();
  const url = `${tenantPath}/integration-points/${targetId}/preview`;
  const payload = { change: sending(template) };
  return (await made.app.inject({ method: "POST", url, headers: { "x-api-key": key }, payload })).json<object>();
}

test("who may not reveal is shown what becomes of masks, in whatever way an expression spells a value", async () => {
  const spelled = Buffer.from("ada@example.com").toString("base64");
  const encoded = '"login": $base64encode(attributes.email)';
  const ofAdmin = (await preview(sending(`{${encoded}}`))).body;
  expect(ofAdmin).toContain(spelled);
  const ofKey = await previewed(`{"email": attributes.email, ${encoded}}`);
  expect(ofKey).toMatchObject({ examined: 1, changed: 1, samples: [{ after: { body: expect.stringContaining('"email":"••• ') } }] });
  const failed = await previewed("$error($base64encode(attributes.email))");
  expect(failed).toMatchObject({ broken: 1, samples: [{ effect: "broken", errorAfter: expect.any(String) }] });
  expect(JSON.stringify([ofKey, failed])).not.toContain(spelled);
});

test("who may not reveal is told nothing of a value by whether a condition on it holds", async () => {
  const answers = ["ada", "bob"].map((name) =>
    previewed(`$contains(attributes.email, "${name}") ? {"ok": true} : $error("somebody else")`),
  );
  const [one, other] = await Promise.all(answers);
  expect(one).toMatchObject({ examined: 1, broken: 1 });
  expect(other).toEqual(one);
});

test("between two messages of a preview whatever else waits in the process has its turn", async () => {
  await inTenant(made.deps.pools.app, 1001, (client) =>
    publish(
      client,
      ["B-43", "B-44"].map((key) => ({ ...item, key })),
    ),
  );
  let turn = 0;
  let next = setImmediate(function count() {
    turn += 1;
    next = setImmediate(count);
  });
  const turns = new Map<string, number>();
  const watched = vi.spyOn(connectors.storm, "request").mockImplementation(async ({ key }) => {
    turns.set(key, turn);
    return { kind: "dead", error: { class: "refused", message: "no" } };
  });
  expect((await preview()).json<object>()).toMatchObject({ examined: 3 });
  watched.mockRestore();
  clearImmediate(next);
  expect(new Set(turns.values()).size).toBe(3);
});
