import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { casesOf } from "../contract-cases.ts";
import { Driver } from "../testing.ts";
import { litium } from "./litium.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const addresses = [{ city: "Oslo" }, { city: "Bergen", isDefault: true }];

async function importOf(settings: object): Promise<unknown[]> {
  const point = casesOf(sandbox.url).find(({ code }) => code === "litium");
  if (!point) throw new Error("no case");
  const person = { customerNumber: "17850", lastName: "Norman", addresses };
  const { verdict, bodies } = await new Driver(litium).deliver(
    { ...point, settings: { ...point.settings, ...settings } },
    "customer",
    person,
  );
  expect(verdict).toMatchObject({ kind: "delivered", externalId: "17850" });
  return bodies.filter((body) => body.startsWith("{")).map((body) => JSON.parse(body));
}

test("a person's addresses have a type, and the default one is the first of it", async () => {
  const type = "billingAndShipping";
  const persons = [
    {
      id: "17850",
      addresses: [
        { city: "Bergen", type },
        { city: "Oslo", type },
      ],
    },
  ];
  const mapped = (BillingAndShipping: string) => ({ persons, personSettings: { addressTypeMapping: { BillingAndShipping } } });
  expect(await importOf({})).toMatchObject([mapped("Address")]);
  expect(await importOf({ addressTypeId: "BillingAndDelivery" })).toMatchObject([mapped("BillingAndDelivery")]);
});
