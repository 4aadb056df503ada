import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { casesOf } from "../contract-cases.ts";
import { Driver } from "../testing.ts";
import { connectors } from "../index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

test("a customer keeps the names that a document doesn't say, and a new one without any has its number", async () => {
  const point = casesOf(sandbox.url).find(({ code }) => code === "magento");
  if (!point) throw new Error("no case");
  const driver = new Driver(connectors.magento);
  const deliver = async (document: object, externalId: string | null = null) => {
    const { verdict, bodies } = await driver.deliver(point, "customer", document, externalId);
    if (verdict.kind !== "delivered") throw new Error(JSON.stringify(verdict));
    return { externalId: verdict.externalId ?? null, customer: JSON.parse(bodies.at(-1) ?? "").customer };
  };
  const customer = { customerNumber: "17850", email: "ada@example.com" };
  const made = await deliver({ ...customer, firstName: "Ada", lastName: "Berg" });
  for (const externalId of [made.externalId, null])
    expect((await deliver({ ...customer, acceptsMarketing: true }, externalId)).customer).toMatchObject({
      firstname: "Ada",
      lastname: "Berg",
    });
  expect((await deliver({ ...customer, lastName: "Ek" }, made.externalId)).customer).toMatchObject({ firstname: "Ada", lastname: "Ek" });
  const nameless = { customerNumber: "17851", email: "bo@example.com", company: "Bo AB" };
  expect((await deliver(nameless)).customer).toMatchObject({ firstname: "Bo AB", lastname: "17851" });
});
