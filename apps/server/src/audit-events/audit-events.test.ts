import type { AuditEvent } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;

beforeAll(async () => {
  made = await testApp();
  for (const tenant of ["acme", "other"]) {
    await made.call("admin", "POST", `/api/v1/tenants/${tenant}/subtenants`, { code: "audited", name: "Audited" });
    await made.call("viewer", "POST", `/api/v1/tenants/${tenant}/subtenants`, { code: "refused", name: "Refused" });
  }
  await made.call("admin", "POST", "/api/v1/announcements", { text: "Tonight at ten" });
});
afterAll(() => made.close());

type Page = { items: AuditEvent[]; nextCursor: string | null };

async function list(query: Record<string, string> = {}): Promise<Page> {
  const answer = await made.call("admin", "GET", `/api/v1/audit-events?${new URLSearchParams(query).toString()}`);
  return answer.json<Page>();
}

const told = ({ items }: Page) =>
  items.map(({ action, outcome, tenantCode, actorName }) => [action, outcome, tenantCode, actorName].join(" "));

test("an admin reads the events of all tenants and of the installation, newest first", async () => {
  expect(told(await list())).toEqual([
    "createAnnouncement done  Ada",
    "createSubtenant denied  Vera",
    "createSubtenant done other Ada",
    "createSubtenant denied acme Vera",
    "createSubtenant done acme Ada",
    "signIn done  Stan",
    "signIn done  Vera",
    "signIn done  Uli",
    "signIn done  Ada",
  ]);
});

test.each([
  [{ tenant: "other" }, 1],
  [{ tenant: "nobody" }, 0],
  [{ outcome: "denied" }, 2],
  [{ action: "createAnnouncement" }, 1],
  [{ action: "signIn" }, 4],
  [{ action: "signIn,createAnnouncement" }, 5],
  [{ actor: "ver" }, 3],
  [{ target: "subtenants" }, 3],
  [{ target: "announcements" }, 1],
  [{ from: "2999-01-01T00:00:00Z" }, 0],
  [{ target: "users" }, 4],
  [{ to: "2999-01-01T00:00:00Z" }, 9],
])("the filter %j finds %i events", async (query, count) => {
  expect((await list(query as Record<string, string>)).items).toHaveLength(count);
});

test("one event is found by its request and by its id, and pages meet without gap", async () => {
  const first = await list({ limit: "2" });
  const second = await list({ limit: "7", cursor: first.nextCursor ?? "" });
  const all = await list();
  expect([...first.items, ...second.items]).toEqual(all.items);
  expect(second.nextCursor).toBeNull();
  const [event] = all.items;
  expect((await list({ requestId: event?.requestId ?? "" })).items).toEqual([event]);
  expect((await made.call("admin", "GET", `/api/v1/audit-events/${event?.id}`)).json()).toEqual(event);
  expect((await made.call("admin", "GET", "/api/v1/audit-events/999999")).statusCode).toBe(404);
});

test("nobody but an admin reads them, not even with an admin's API key", async () => {
  expect((await made.call("user", "GET", "/api/v1/audit-events")).statusCode).toBe(403);
  const key = await made.call("admin", "POST", "/api/v1/tenants/acme/api-keys", { name: "all", role: "admin" });
  const headers = { "x-api-key": key.json<{ key: string }>().key };
  expect((await made.app.inject({ url: "/api/v1/audit-events", headers })).statusCode).toBe(403);
});
