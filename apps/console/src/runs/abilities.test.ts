import { expect, test } from "vitest";
import { abilitiesOf } from "./abilities.ts";

const native = {
  code: "sitoo" as const,
  kind: "native" as const,
  pulls: ["item"],
  lists: ["price"],
  settingsSchema: { required: ["baseUrl"] },
};
const generic = { ...native, code: "wgr" as const, kind: "generic" as const, settingsSchema: {} };
const connectors = [native, generic];

test("what a native connector can do is offered where it serves the integration point itself", () => {
  const own = abilitiesOf(connectors, { connector: "sitoo", settings: { baseUrl: "https://shop.example.com" } });
  expect(own).toMatchObject({ pulls: ["item"], lists: ["price"] });
});

test.each(["sitoo", "wgr"] as const)(
  "a point of %s behind an adapter is asked for nothing, and read back as its settings say",
  (connector) => {
    const list = { stock: { path: "stock" } };
    expect(abilitiesOf(connectors, { connector, settings: { url: "https://adapter.example.com", list } })).toEqual({
      pulls: [],
      lists: ["stock"],
    });
    expect(abilitiesOf(connectors, { connector, settings: {} })).toEqual({ pulls: [], lists: [] });
  },
);
