import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, type TestApp } from "../apps/server/src/testing/test-app.ts";
import { createClient } from "../apps/demo/src/client.ts";
import { ensureWorkspace } from "../apps/demo/src/workspace.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

test("the demo's systems are reached where the sandbox is now, but for what somebody led elsewhere", async () => {
  const client = createClient(await made.app.listen({ port: 0, host: "127.0.0.1" }), made.accounts.admin);
  const params = { tenantCode: "nordhem" };
  const addresses = async () => {
    const { items } = await client.call("listIntegrationPoints", { params });
    return items.map(({ id, code, settings, credentialNames }) => {
      return { id, code, address: String(settings["shopUrl"] ?? settings["url"]), credentialNames };
    });
  };
  await ensureWorkspace(client, "http://127.0.0.1:8090");
  const before = await addresses();
  const stores = before.find(({ code }) => code === "nordhem-se-stores");
  if (!stores) throw new Error("no stores");
  const elsewhere = {
    params: { ...params, integrationPointId: stores.id },
    body: { settings: { url: "http://sitoo.internal:8090/generic/sitoo" } },
  };
  await client.call("updateIntegrationPoint", { ...elsewhere, body: { ...elsewhere.body, credentials: { token: "own" } } });
  await ensureWorkspace(client, "http://127.0.0.1:8142");
  expect(await addresses()).toEqual(
    before.map((point) => {
      const address = point === stores ? "http://sitoo.internal:8090/generic/sitoo" : point.address.replace(":8090/", ":8142/");
      return { ...point, address };
    }),
  );
});
