import { connectorCatalogue } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
let url: string;
let tenant: TestTenant;

const connectors = Object.values(connectorCatalogue);
// The test beside the catalogue holds these to the letter of the specification.
const doors = connectors.flatMap((connector) =>
  [connector.basePath, connector.devBasePath].flatMap((base) =>
    connector.endpoints.map((endpoint) => ({ ...endpoint, path: `${base}/${endpoint.path}` })),
  ),
);

beforeAll(async () => {
  made = await testApp();
  url = await made.app.listen({ port: 0, host: "127.0.0.1" });
  const points = connectors.flatMap(({ code, endpoints }) =>
    (["production", "development"] as const).map((environment) => ({
      connector: code,
      code: `${code}-${environment}`,
      environment,
      deliveryMode: "pull" as const,
      sourceTypes: endpoints.map(({ entityType }) => entityType),
      targetTypes: endpoints.map(({ entityType }) => entityType),
    })),
  );
  tenant = await makeTenant(made.deps, made.ownerUrl, "catalogue", points);
});
afterAll(() => made.close());

async function status(method: string, path: string, body?: string): Promise<string> {
  const headers = { "x-api-key": tenant.apiKey, ...(body === undefined ? {} : { "content-type": "application/json" }) };
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }) });
  await answer.arrayBuffer();
  return `${path} ${answer.status}`;
}

test("every endpoint of every connector answers, on its production and its development path", async () => {
  const paths = doors.map(({ path, hasNext }) => `${path}${hasNext ? "/next" : ""}?subtenant=shop`);
  expect(paths).not.toEqual([]);
  expect(await Promise.all(paths.map((path) => status("GET", path)))).toEqual(paths.map((path) => `${path} 204`));
});

test("resending is offered where the catalogue says so, and refused elsewhere", async () => {
  const paths = doors.map(
    ({ path, hasNext, canResend }) => [`${path}${hasNext ? "/next" : ""}?subtenant=shop&retry=1`, canResend ? 404 : 400] as const,
  );
  expect(await Promise.all(paths.map(([path]) => status("GET", path)))).toEqual(paths.map(([path, expected]) => `${path} ${expected}`));
});

const order = (orderNumber: string) =>
  JSON.stringify({ orderNumber, orderedAt: "2026-11-02T08:00:00Z", currency: "SEK", customer: null, lines: [] });

test("messages are handed in at every endpoint, production and development", async () => {
  const paths = doors.map(({ path }) => `${path}?subtenant=shop`);
  expect(await Promise.all(paths.map((path) => status("POST", path, "{}")))).toEqual(paths.map((path) => `${path} 422`));
  const posts = ["/brink/v1/orders?subtenant=shop", "/brinkdev/v1/orders?subtenant=shop"];
  expect(await Promise.all(posts.map((path, index) => status("POST", path, order(`B${index}`))))).toEqual(
    posts.map((path) => `${path} 202`),
  );
});

test("each resend path leases an order again that was delivered, production and development", async () => {
  const resends = doors.filter(({ canResend }) => canResend);
  expect(resends).not.toEqual([]);
  const headers = { "x-api-key": tenant.apiKey, "content-type": "application/json" };
  const get = async (path: string) => {
    const answer = await fetch(`${url}${path}`, { headers });
    expect(`${path} ${answer.status}`).toBe(`${path} 200`);
    return (await answer.json()) as { id: string; key: string; leaseToken: string };
  };
  for (const { path, hasNext } of resends) {
    const door = `${path}${hasNext ? "/next" : ""}?subtenant=shop`;
    const { id, leaseToken } = await get(door);
    expect(await status("POST", `${path}/${id}/ack?subtenant=shop`, JSON.stringify({ leaseToken }))).toMatch(/ 204$/);
    expect(await get(`${door}&retry=${id}`)).toMatchObject({ id, key: expect.stringMatching(/^B[01]$/) });
  }
});
