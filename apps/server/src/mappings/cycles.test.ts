import { expect, test } from "vitest";
import { findCycle } from "./cycles.ts";

/** "litium:navy > shopify:Blue" */
const steps = (...texts: string[]) =>
  texts.map((text) => {
    const [from = "", to = ""] = text.split(" > ");
    const [source = "", sourceValue = ""] = from.split(":");
    const [target = "", targetValue = ""] = to.split(":");
    return { fieldName: "color", subtenantId: null, source, sourceValue, target, targetValue };
  });

test("a value that comes back to itself is no cycle", () => {
  expect(findCycle(steps("litium:navy > shopify:Blue", "shopify:Blue > litium:navy"))).toBeNull();
  expect(findCycle(steps("litium:navy > shopify:Blue", "shopify:Blue > magento:B", "magento:B > litium:navy"))).toBeNull();
});

test("several values that end in one are no cycle", () => {
  expect(findCycle(steps("litium:navy > shopify:Blue", "litium:sky > shopify:Blue", "shopify:Blue > litium:navy"))).toBeNull();
});

test("a value that turns into another and back is one, and its stations are named", () => {
  const cycle = findCycle(
    steps("litium:navy > shopify:Blue", "shopify:Blue > litium:sky", "litium:sky > shopify:Azure", "shopify:Azure > litium:navy"),
  );
  const names = cycle?.stations.map(({ system, value }) => `${system}:${value}`) ?? [];
  expect(names).toHaveLength(5);
  expect(names[0]).toBe(names[4]);
  expect([...new Set(names)].toSorted()).toEqual(["litium:navy", "litium:sky", "shopify:Azure", "shopify:Blue"]);
});

test("what is swapped within one system is one", () => {
  expect(findCycle(steps("shopify:a > shopify:b", "shopify:b > shopify:a"))?.fieldName).toBe("color");
  expect(findCycle(steps("shopify:a > shopify:a"))).toBeNull();
});

test("a value that is sent as it is is followed, too", () => {
  const cycle = findCycle(
    steps("litium:navy > shopify:*", "shopify:navy > litium:sky", "litium:sky > shopify:navy", "shopify:sky > litium:navy"),
  );
  expect(cycle).toBeNull();
  const restless = steps("litium:navy > shopify:*", "shopify:navy > litium:sky", "litium:sky > shopify:*", "shopify:sky > litium:navy");
  expect(findCycle(restless)?.stations).toHaveLength(5);
});

test("rows of two subtenants make no cycle together, one of them with rows for all does", () => {
  const [one, two] = steps("shopify:a > shopify:b", "shopify:b > shopify:a");
  expect(
    findCycle([
      { ...one!, subtenantId: 1 },
      { ...two!, subtenantId: 2 },
    ]),
  ).toBeNull();
  expect(findCycle([one!, { ...two!, subtenantId: 2 }])).not.toBeNull();
});

test("a subtenant's own row stands in for the one for all, for that subtenant only", () => {
  const common = steps("litium:navy > shopify:Blue", "shopify:Blue > litium:navy");
  const own = steps("litium:navy > shopify:Marine", "shopify:Marine > litium:navy").map((step) => ({ ...step, subtenantId: 1 }));
  expect(findCycle([...common, ...own])).toBeNull();
  const restless = steps("shopify:a > shopify:b", "shopify:b > shopify:a");
  const [still] = steps("shopify:a > shopify:*");
  expect(findCycle([{ ...restless[1]!, subtenantId: 1 }, restless[0]!, { ...still!, subtenantId: 1 }])).toBeNull();
  expect(findCycle([...restless, { ...still!, subtenantId: 1 }])).not.toBeNull();
});

test("a long chain of values is followed to its end", () => {
  const chain = Array.from({ length: 50_000 }, (_, index) => {
    const [source, target] = index % 2 === 0 ? ["litium", "shopify"] : ["shopify", "litium"];
    return `${source}:${index} > ${target}:${index + 1}`;
  });
  expect(findCycle(steps(...chain))).toBeNull();
});
