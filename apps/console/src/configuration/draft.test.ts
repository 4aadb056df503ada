import type { IntegrationPoint } from "@crossdock/contract";
import { expect, test } from "vitest";
import { blankDraft, draftOf, rivalsOf, takesMore } from "./draft.ts";

const shop: IntegrationPoint = {
  ...blankDraft("main"),
  connector: "magento",
  id: 1,
  name: "Shop",
  sourceTypes: ["item", "order"],
  targetTypes: ["item", "price"],
  credentialNames: [],
  lacking: [],
  hookId: null,
  isPaused: false,
  pause: null,
  version: 1,
};

test("two systems that are source and target of the same types are named, with those types", () => {
  const types = { sourceTypes: ["item", "price"], targetTypes: ["item", "price", "order"] } satisfies Partial<IntegrationPoint>;
  const erp = { ...draftOf(shop), ...types };
  const rivalsAmong = (...points: Partial<IntegrationPoint>[]) =>
    rivalsOf(
      erp,
      2,
      points.map((point) => ({ ...shop, ...point })),
    );
  expect(rivalsAmong({})).toEqual([{ id: 1, name: "Shop", types: ["item"] }]);
  expect(rivalsAmong({ id: 2 }, { isActive: false }, { subtenantCode: "other" }, { environment: "development" })).toEqual([]);
  expect(rivalsAmong({ sourceTypes: ["order"] }, { targetTypes: ["price"] })).toEqual([]);
});

test("a target takes more once it is active, or given a further type", () => {
  expect(takesMore(shop, shop)).toBe(false);
  expect(takesMore({ ...shop, isActive: false }, shop)).toBe(true);
  expect(takesMore(shop, { ...shop, targetTypes: ["item", "price", "stock"] })).toBe(true);
  expect(takesMore(shop, { ...shop, targetTypes: ["item"], sourceTypes: ["item", "order", "stock"] })).toBe(false);
  expect(takesMore(shop, { ...shop, targetTypes: ["stock"], isActive: false })).toBe(false);
});
