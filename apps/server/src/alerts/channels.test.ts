import { createHmac } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { AlertChannel, AlertDelivery, AlertRule } from "@crossdock/contract";
import { inTenant } from "../db.ts";
import { parseAllowList } from "../egress/addresses.ts";
import { createEgress, type Egress } from "../egress/egress.ts";
import { openMail } from "../mails/mail.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import { tellChannels } from "./notices.ts";
import { watchTenant } from "./watch.ts";
import { createSender, sendOne } from "./webhooks.ts";

type Received = { path: string; headers: Record<string, string | undefined>; body: string };
/** Of the receiver: what is posted here is never answered. */
const hangs = "/hangs";
type WithSecret = AlertChannel & { secret: string };

let made: TestApp;
let owner: pg.Pool;
let receiver: Server;
let url: string;
let egress: Egress;
let received: Received[] = [];
let answers: number[] = [];
let now: Date;

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      received.push({ path: request.url ?? "", headers: request.headers as Record<string, string>, body });
      if (request.url === hangs) return;
      response.writeHead(answers.shift() ?? 204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  url = `http://${host}/hook/a-secret-path`;
  made = await testApp({ CROSSDOCK_EGRESS_ALLOW: host, CROSSDOCK_PUBLIC_URL: "http://hub.example" });
  owner = made.pool("owner", 2);
  egress = createEgress({ allow: parseAllowList([host]) });
  // Five tenants that deliver to one target.
  await owner.query("insert into hub.tenant (id, code, name) select 2000 + n, 'away-' || n, 'Away ' || n from generate_series(1, 5) n");
  await owner.query(
    "insert into hub.subtenant (tenant_id, id, code, name) select 2000 + n, 2100 + n, 'shop', 'Shop' from generate_series(1, 5) n",
  );
  await owner.query(
    `insert into hub.integration_point (tenant_id, id, subtenant_id, connector, code, name, environment, delivery_mode, source_types, target_types, settings, retry)
     select 2000 + n, 2200 + n + 10 * m, 2100 + n, 'centra', 'erp-' || m, 'ERP', 'production', 'push', '{}', '{item}',
       jsonb_build_object('url', 'https://erp.example/' || m), '{}'
     from generate_series(1, 5) n, generate_series(0, 2) m`,
  );
  await owner.query("insert into queue.target (tenant_id, id) select tenant_id, id from hub.integration_point where tenant_id > 2000");
});
beforeEach(async () => {
  await owner.query("delete from hub.alert; delete from hub.alert_delivery; delete from hub.alert_channel; delete from hub.mail");
  await owner.query("update hub.alert_rule set is_active = kind in ('outage', 'circuit-open'), for_seconds = 60, recover_seconds = 120");
  await owner.query("update hub.alert_watch set next_at = '-infinity', slow_next_at = '-infinity'");
  await owner.query("update queue.target set circuit = 'closed', circuit_open_until = null");
  [received, answers, now] = [[], [], new Date()];
});
afterAll(async () => {
  await egress.close();
  await made.close();
  receiver.close();
});

const sending = () => ({ pool: made.deps.pools.app, egress, key: made.deps.keys.webhooks });
const startSending = async () => {
  const sender = createSender(made.deps, sending());
  await sender.begin(new AbortController().signal);
  return sender;
};
const send = async () => (await startSending()).settled();
const tenants = [2001, 2002, 2003, 2004, 2005, 0];
/** Every process looks after everything, all at once. */
async function rounds(seconds: number): Promise<void> {
  now = new Date(now.getTime() + seconds * 1000);
  const watch = (id: number) => watchTenant(made.deps.pools, id, tellChannels.bind(null, made.deps), now);
  for (const id of tenants) await Promise.all([watch(id), watch(id)]);
  await Promise.all([send(), send()]);
}
/** Without a look at what is to be told. */
const tellTenant = async (id: number): Promise<void> => {
  now = new Date(now.getTime() + 60_000);
  await inTenant(made.deps.pools.app, id, (client) => tellChannels(made.deps, client, id, now));
};
const switchTargets = (isAway: boolean) =>
  owner.query(
    isAway
      ? "update queue.target set circuit = 'open', circuit_open_until = now() + interval '1 hour' where id > 2200"
      : "update queue.target set circuit = 'closed', circuit_open_until = null where id > 2200",
  );
const addChannel = async (place: string, body: object = {}) =>
  (await made.call("admin", "POST", `/api/v1/${place}/alert-channels`, { kind: "webhook", name: "Chat", url, ...body })).json<WithSecret>();
const signatureOf = (secret: string, { headers, body }: Received) =>
  `v1,${createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
    .update(`${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
    .digest("base64")}`;
const mails = async (recipient: string) => {
  const { rows } = await owner.query<{ sealed: Buffer; locale: string }>(
    "select sealed, locale from hub.mail where recipient = $1 order by id",
    [recipient],
  );
  return rows.map(({ sealed, locale }) => ({ locale, ...openMail(made.deps.keys.mail, recipient, sealed) }));
};

test("more than a notice holds is told in the ones that follow, each change once", async () => {
  await addChannel("tenants/away-1", { intervalSeconds: 0 });
  await owner.query(`
    with planted as (
      insert into hub.alert (tenant_id, rule_id, kind, object, state, value, details, since, fired_at)
      select 2001, rule.id, rule.kind, 'planted ' || n, 'firing', 1, '{"name":"Planted"}', now(), now()
      from (select id, kind from hub.alert_rule where tenant_id = 2001 order by id limit 1) rule, generate_series(1, 1200) n
      returning tenant_id, id
    )
    insert into hub.alert_event (tenant_id, alert_id, kind) select tenant_id, id, 'fired' from planted`);
  for (let round = 0; round < 4; round += 1) {
    await tellTenant(2001);
    await send();
  }
  const told = received.map(({ body }) => (JSON.parse(body) as { data: { alerts: { id: number }[] } }).data.alerts.map(({ id }) => id));
  expect(told.map((ids) => ids.length)).toEqual([500, 500, 200]);
  expect(new Set(told.flat()).size).toBe(1200);
});

test("an outage over five tenants and three points each is told once per channel, and so is its end", async () => {
  await owner.query(`update hub."user" set locale = 'es' where id = 1`);
  const hook = await addChannel("installation");
  await addChannel("installation", { kind: "email", url: undefined, userIds: [1] });
  const ofTenant = await addChannel("tenants/away-3", { url: `${url}/of-tenant` });
  await switchTargets(true);
  for (const seconds of [0, 30, 40, 60, 300]) await rounds(seconds);
  const told = (path: string) =>
    received
      .filter((one) => one.path === path)
      .map(
        ({ body }) =>
          JSON.parse(body) as {
            type: string;
            data: { alerts: { id: number; link: string; change: string; details: { tenants?: object[]; points: object[] } }[] };
          },
      );
  expect(told("/hook/a-secret-path")).toMatchObject([
    { type: "alerts.changed", data: { alerts: [{ kind: "outage", change: "fired", value: 5, details: { name: "https://erp.example" } }] } },
  ]);
  expect(told("/hook/a-secret-path/of-tenant")).toMatchObject([
    {
      data: { tenant: { code: "away-3" }, alerts: [{ kind: "circuit-open", change: "fired", details: { points: ["ERP", "ERP", "ERP"] } }] },
    },
  ]);
  // Each leads to its own screen, opened in its tenant.
  const [ofAll, ofOne] = ["/hook/a-secret-path", "/hook/a-secret-path/of-tenant"].map((path) => told(path)[0]?.data.alerts[0]);
  expect(ofAll?.link).toBe(`http://hub.example/alerts?of=installation&alert=${ofAll?.id}`);
  expect(ofOne?.link).toBe(`http://hub.example/alerts?active_tenant=away-3&alert=${ofOne?.id}`);
  expect(await mails("admin@example.com")).toMatchObject([
    { locale: "es", subject: "Alerta: Interrupción en varios inquilinos (Crossdock)" },
  ]);
  // One target tries and fails on the way back.
  await switchTargets(false);
  await rounds(30);
  await owner.query("update queue.target set circuit = 'open', circuit_open_until = now() + interval '1 hour' where id in (2201, 2202)");
  await rounds(30);
  await switchTargets(false);
  for (const seconds of [30, 121, 121, 300]) await rounds(seconds);
  expect(told("/hook/a-secret-path").map(({ data }) => data.alerts.map(({ change }) => change))).toEqual([["fired"], ["recovered"]]);
  expect(told("/hook/a-secret-path/of-tenant").map(({ data }) => data.alerts.map(({ change }) => change))).toEqual([
    ["fired"],
    ["recovered"],
  ]);
  expect((await mails("admin@example.com")).map(({ subject }) => subject)).toHaveLength(2);
  expect(
    received.every((one) => one.headers["webhook-signature"] === signatureOf((one.path.endsWith("tenant") ? ofTenant : hook).secret, one)),
  ).toBe(true);
});

test("what happens within a channel's interval is told together", async () => {
  await addChannel("tenants/away-1", { intervalSeconds: 600 });
  await owner.query(`insert into hub.alert_rule (tenant_id, kind, threshold, recover_seconds) values (2001, 'job-failed', 1, 0)`);
  const fail = (count: number) =>
    owner.query(
      `insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, state, finished_at)
       select 2001, 'import', 2101, 2201, 'order', 'failed', now() from generate_series(1, $1)`,
      [count],
    );
  await fail(3);
  await rounds(0);
  await fail(30);
  for (let round = 0; round < 5; round += 1) await rounds(60);
  expect(received.map(({ body }) => (JSON.parse(body) as { data: { alerts: object[] } }).data.alerts.length)).toEqual([3]);
  await rounds(400);
  expect(received.map(({ body }) => (JSON.parse(body) as { data: { alerts: object[] } }).data.alerts.length)).toEqual([3, 30]);
});

test("a channel is told at once when the database's clock has been set back", async () => {
  await addChannel("tenants/away-1");
  await owner.query("update hub.alert_channel set told_at = now() + interval '2 hours'");
  await switchTargets(true);
  for (const seconds of [0, 61]) await rounds(seconds);
  expect(received).toHaveLength(1);
});

test("a webhook that fails is tried again under the same id, later and later, and its log says why", async () => {
  const { id } = await addChannel("tenants/away-1", { intervalSeconds: 0 });
  answers = [500, 503, 204];
  await switchTargets(true);
  await rounds(0);
  await rounds(61);
  const log = async () =>
    (await made.call("viewer", "GET", `/api/v1/tenants/acme/alert-channels/${id}/deliveries`)).statusCode === 404 &&
    (await made.call("admin", "GET", `/api/v1/tenants/away-1/alert-channels/${id}/deliveries`)).json<{ items: AlertDelivery[] }>().items;
  expect(await log()).toMatchObject([{ state: "waiting", attempts: 1, status: 500, failure: { reason: "receiver-answered" } }]);
  // However long this test takes, it is not due yet.
  await owner.query("update hub.alert_delivery set next_at = next_at + interval '1 hour'");
  await send();
  expect(received).toHaveLength(1);
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await owner.query("update hub.alert_delivery set next_at = now() where state = 'waiting'");
    await send();
  }
  expect(await log()).toMatchObject([{ state: "sent", attempts: 3, status: 204, failure: null }]);
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  expect(await sendOne(sending(), 2001, { channelId: id })).toBe("none");
});

test("a webhook of after a restore does not bear the id of one that went out before it", async () => {
  const { id } = await addChannel("tenants/acme");
  const test = () => made.call("admin", "POST", `/api/v1/tenants/acme/alert-channels/${id}/test`);
  await test();
  await owner.query("select setval('hub.alert_delivery_id_seq', id, false) from hub.alert_delivery");
  await owner.query("delete from hub.alert_delivery");
  await test();
  expect(new Set(received.map(({ headers }) => headers["webhook-id"])).size).toBe(2);
});

const addDeliveries = (tenantId: number, channelId: number, count: number) =>
  owner.query(
    `insert into hub.alert_delivery (tenant_id, channel_id, is_test, alert_ids, body, state, next_at)
     select $1, $2, false, '{}', '{}', 'waiting', now() from generate_series(1, $3)`,
    [tenantId, channelId, count],
  );

const countAt = (path: string) => received.filter((one) => one.path === path).length;

test("a receiver that hangs holds up no notice of another channel, of its tenant or of others, and ends with the process", async () => {
  const away = await addChannel("tenants/away-1", { url: new URL(hangs, url).href });
  const [own, other] = [await addChannel("tenants/away-1"), await addChannel("tenants/away-2")];
  const breakable = createEgress({ allow: parseAllowList([new URL(url).host]) });
  const sender = createSender(made.deps, { ...sending(), egress: breakable });
  for (const round of [1, 2]) {
    await addDeliveries(2001, away.id, 1);
    await addDeliveries(2001, own.id, 1);
    await addDeliveries(2002, other.id, 1);
    await sender.begin(new AbortController().signal);
    await expect.poll(() => countAt(new URL(url).pathname)).toBe(round * 2);
  }
  await expect.poll(() => countAt(hangs)).toBe(1);
  await breakable.close();
  await sender.settled();
  const { rows } = await owner.query("select attempts, state from hub.alert_delivery where channel_id = $1 order by id", [away.id]);
  expect(rows).toEqual([
    { attempts: 1, state: "waiting" },
    { attempts: 0, state: "waiting" },
  ]);
});

test("of one tenant's many channels that hang a few are tried at a time, and another tenant's notice goes out beside them", async () => {
  for (let count = 0; count < 12; count += 1) {
    const { id } = await addChannel("tenants/away-1", { url: new URL(hangs, url).href });
    await addDeliveries(2001, id, 1);
  }
  const breakable = createEgress({ allow: parseAllowList([new URL(url).host]) });
  const sender = createSender(made.deps, { ...sending(), egress: breakable });
  const other = await addChannel("tenants/away-2");
  for (const round of [1, 2]) {
    await addDeliveries(2002, other.id, 1);
    await sender.begin(new AbortController().signal);
    await expect.poll(() => countAt(new URL(url).pathname)).toBe(round);
    await expect.poll(() => countAt(hangs)).toBe(8);
  }
  await breakable.close();
  await sender.settled();
});

test("a channel whose webhook fails has one try a round", async () => {
  const { id } = await addChannel("tenants/away-1");
  await addDeliveries(2001, id, 3);
  answers = [500];
  await send();
  expect(received).toHaveLength(1);
  await send();
  expect(received).toHaveLength(3);
});

test("after a rotation both secrets sign, and each is shown once and kept sealed", async () => {
  const made1 = await addChannel("tenants/acme");
  expect(made1.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
  const path = `/api/v1/tenants/acme/alert-channels/${made1.id}`;
  const rotated = (await made.call("admin", "POST", `${path}/rotate`)).json<WithSecret>();
  expect(rotated).toMatchObject({ hasTwoSecrets: true });
  const tested = (await made.call("admin", "POST", `${path}/test`)).json<AlertDelivery>();
  expect(tested).toMatchObject({ isTest: true, state: "sent", status: 204, attempts: 1 });
  const [one] = received;
  if (!one) throw new Error("nothing was received");
  expect(one.headers["webhook-signature"]).toBe(`${signatureOf(rotated.secret, one)} ${signatureOf(made1.secret, one)}`);
  expect(JSON.parse(one.body)).toMatchObject({ type: "test", data: { tenant: { code: "acme" } } });
  const list = await made.call("admin", "GET", "/api/v1/tenants/acme/alert-channels");
  expect(list.body).not.toContain("whsec_");
  const stored = await owner.query<{ secret: Buffer }>("select secret from hub.alert_channel where id = $1", [made1.id]);
  expect(stored.rows[0]?.secret.toString("latin1")).not.toContain(rotated.secret.slice(6));
  // The path of the address may be a secret: whoever may not change the channel sees the host.
  const shown = (await made.call("user", "GET", "/api/v1/tenants/acme/alert-channels")).json<{ items: AlertChannel[] }>();
  expect(shown.items[0]?.url).toBe(`${new URL(url).origin}/…`);
});

test("a test says what went wrong, by name and in a sentence: an address inside, nobody there, an answer that is none", async () => {
  const inside = await addChannel("tenants/acme", { url: "http://127.0.0.1:1/" });
  const test1 = (await made.call("admin", "POST", `/api/v1/tenants/acme/alert-channels/${inside.id}/test`)).json<AlertDelivery>();
  expect(test1).toMatchObject({ state: "failed", status: null, failure: { reason: "receiver-refused" } });
  expect(test1.failure?.message).toContain("not a public address");
  const away = await addChannel("tenants/acme", { url: "http://nobody.invalid/" });
  const test0 = (await made.call("admin", "POST", `/api/v1/tenants/acme/alert-channels/${away.id}/test`)).json<AlertDelivery>();
  expect(test0).toMatchObject({ state: "failed", status: null, failure: { reason: "receiver-name-unknown" } });
  const refusing = await addChannel("tenants/acme");
  answers = [401];
  const test2 = (await made.call("admin", "POST", `/api/v1/tenants/acme/alert-channels/${refusing.id}/test`)).json<AlertDelivery>();
  expect(test2).toMatchObject({
    state: "failed",
    status: 401,
    failure: { message: "The answer was 401.", reason: "receiver-answered", values: { status: 401 } },
  });
  expect((await made.call("user", "POST", `/api/v1/tenants/acme/alert-channels/${refusing.id}/test`)).statusCode).toBe(403);
  const wrong = { kind: "webhook", name: "No address" };
  expect((await made.call("admin", "POST", "/api/v1/tenants/acme/alert-channels", wrong)).statusCode).toBe(400);
  const open = { ...wrong, url: "https://hub:opensesame@hooks.example" };
  const refused = await made.call("admin", "POST", "/api/v1/tenants/acme/alert-channels", open);
  expect(refused.json()).toMatchObject({ status: 400, errors: [{ path: "body/url", reason: "address-sign-in" }] });
});

test("somebody who left keeps nobody from changing what they were named in, and a removed channel leaves the rules", async () => {
  const { id } = await addChannel("tenants/acme", { kind: "email", url: undefined, userIds: [2] });
  const hook = await addChannel("tenants/acme");
  const rules = "/api/v1/tenants/acme/alert-rules";
  const body = { kind: "queue-age", threshold: 5, ownerId: 2, channelIds: [id, hook.id] };
  const rule = (await made.call("admin", "POST", rules, body)).json<AlertRule>();
  await owner.query("delete from hub.user_tenant where user_id = 2");
  expect((await made.call("admin", "PATCH", `${rules}/${rule.id}`, { ...body, kind: undefined, threshold: 6 })).json()).toMatchObject({
    threshold: 6,
  });
  const path = `/api/v1/tenants/acme/alert-channels/${id}`;
  expect((await made.call("admin", "PATCH", path, { userIds: [2, 1] })).json()).toMatchObject({ userIds: [2, 1] });
  expect((await made.call("admin", "PATCH", path, { userIds: [2, 4] })).statusCode).toBe(404);
  expect((await made.call("admin", "DELETE", path)).statusCode).toBe(204);
  const left = (await made.call("admin", "GET", rules)).json<{ items: AlertRule[] }>().items.find((one) => one.id === rule.id);
  expect(left?.channelIds).toEqual([hook.id]);
  await owner.query("insert into hub.user_tenant (tenant_id, user_id) values (1001, 2)");
});

test("a mail leads to the alerts of the tenant that it is about, whichever is active", async () => {
  await addChannel("installation", { kind: "email", url: undefined, userIds: [1] });
  await addChannel("tenants/away-3", { kind: "email", url: undefined, userIds: [1] });
  await switchTargets(true);
  for (const seconds of [0, 30, 40, 60, 300]) await rounds(seconds);
  const links = (await mails("admin@example.com")).map(({ text }) => /http:\S+/.exec(text)?.[0]);
  expect(new Set(links)).toEqual(new Set(["http://hub.example/alerts?active_tenant=away-3", "http://hub.example/alerts?of=installation"]));
});

test("mails go to people who may see the tenant, each in their own language, and to nobody else", async () => {
  await owner.query(`update hub."user" set locale = 'ar' where id = 2`);
  const body = { kind: "email", url: undefined, userIds: [1, 2, 3] };
  expect(
    (await made.call("admin", "POST", "/api/v1/tenants/acme/alert-channels", { kind: "email", name: "Stan", userIds: [4] })).statusCode,
  ).toBe(404);
  const { id } = await addChannel("tenants/acme", body);
  await owner.query("delete from hub.user_tenant where user_id = 3");
  const tested = (await made.call("admin", "POST", `/api/v1/tenants/acme/alert-channels/${id}/test`)).json<AlertDelivery>();
  expect(tested).toMatchObject({ state: "sent", recipients: 2 });
  expect(await mails("user@example.com")).toMatchObject([{ locale: "ar", subject: "اختبار: تنبيهات Acme تصل إليك" }]);
  expect(await mails("viewer@example.com")).toEqual([]);
});

test("a channel of mails that nobody may read any more says so, as one whose notices don't arrive", async () => {
  const { id } = await addChannel("tenants/acme", { kind: "email", url: undefined, userIds: [2] });
  await owner.query(`update hub."user" set is_active = false where id = 2`);
  const failure = { message: "There is nobody to write to.", reason: "recipients-none" };
  const tested = (await made.call("admin", "POST", `/api/v1/tenants/acme/alert-channels/${id}/test`)).json<AlertDelivery>();
  expect(tested).toMatchObject({ state: "failed", recipients: 0, failure });
  const { items } = (await made.call("admin", "GET", "/api/v1/tenants/acme/alert-channels")).json<{ items: AlertChannel[] }>();
  expect(items).toMatchObject([{ id, lastDelivery: { state: "failed", failure } }]);
});
