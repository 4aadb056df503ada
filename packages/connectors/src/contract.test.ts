import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { ConnectorCode, EntityType, canonicalSchemas, connectorCatalogue } from "@crossdock/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Case, casesOf } from "./contract-cases.ts";
import { Driver } from "./testing.ts";
import { connectors } from "./index.ts";

let sandbox: Sandbox;
let cases: Map<string, Case>;
beforeAll(async () => {
  sandbox = await startSandbox();
  cases = new Map(casesOf(sandbox.url).map((each) => [each.code, each]));
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset("system"));

// The address is known only when the sandbox runs; the list of systems is known before.
const codes = casesOf("").map(({ code }) => code);

function caseOf(code: string): Case {
  const found = cases.get(code);
  if (!found) throw new Error(code);
  return found;
}

type Sample = [type: EntityType, document: object];

function samplesOf({ deliver }: Case): Sample[] {
  return EntityType.options.flatMap((type) => (deliver[type] ? [[type, deliver[type]] satisfies Sample] : []));
}

/** Of those that make objects, the kind of what they make. */
function createdOf(each: Case): [...Sample, kind: string][] {
  return samplesOf(each).flatMap(([type, document]) => {
    const kind = each.created[type];
    return kind === undefined ? [] : [[type, document, kind]];
  });
}

const isDelivered = { verdict: { kind: "delivered" } };
const isSystemsFault = { verdict: { kind: "retry", isTargetFault: true } };

test("every native connector is tried here", () => {
  const native = ConnectorCode.options.filter((code) => connectorCatalogue[code].kind === "native");
  expect(codes.toSorted()).toEqual(native.toSorted());
});

describe.each(codes)("%s", (code) => {
  const connector = connectors[code];

  test("delivers what its endpoints name, and again when it is known there", async () => {
    const each = caseOf(code);
    const driver = new Driver(connector);
    for (const [type, document] of samplesOf(each)) {
      expect({ type, fits: canonicalSchemas[type].safeParse(document).success }).toEqual({ type, fits: true });
      const first = await driver.deliver(each, type, document);
      expect({ type, ...first }).toMatchObject({ type, ...isDelivered });
      const externalId = first.verdict.kind === "delivered" ? (first.verdict.externalId ?? null) : null;
      expect({ type, ...(await driver.deliver(each, type, document, externalId, "2")) }).toMatchObject({ type, ...isDelivered });
    }
    for (const [, , kind] of createdOf(each)) expect(sandbox.stored("system")).toMatchObject({ [kind]: 1 });
  });

  test("an answer that is lost after the system had accepted leaves one object when it is tried again", async () => {
    const each = caseOf(code);
    const driver = new Driver(connector);
    for (const [type, document] of samplesOf(each)) {
      // The first, then the second … request of a delivery loses its answer, so the one that makes the object does too.
      for (let lost = 1; lost <= 4; lost += 1) {
        sandbox.control("system", { mode: "reset", when: "after", rate: 1 / lost });
        const { verdict } = await driver.deliver(each, type, document);
        expect(["delivered", "retry"]).toContain(verdict.kind);
      }
      sandbox.control("system", {});
      expect({ type, ...(await driver.deliver(each, type, document)) }).toMatchObject({ type, ...isDelivered });
    }
    for (const [, , kind] of createdOf(each)) expect(sandbox.stored("system")).toMatchObject({ [kind]: 1 });
  });

  test("a system that takes a delivery and never answers has it once when it is tried again after the time-out", async () => {
    const each = caseOf(code);
    const driver = new Driver(connector);
    await driver.probe(each);
    for (const [type, document] of samplesOf(each)) {
      // The first, then the second … request of a delivery is not answered, so the one that makes the object is among them.
      for (let silent = 1; silent <= 4; silent += 1) {
        sandbox.control("system", { mode: "hang", when: "after", rate: 1 / silent });
        const timeout = new AbortController();
        // By then the system has taken the request.
        void sandbox.whenHanging("system").then(() => timeout.abort());
        const { verdict } = await driver.deliver(each, type, document, null, "1", "key", timeout.signal);
        expect(["delivered", "retry"]).toContain(verdict.kind);
      }
      sandbox.control("system", {});
      expect({ type, ...(await driver.deliver(each, type, document)) }).toMatchObject({ type, ...isDelivered });
    }
    for (const [, , kind] of createdOf(each)) expect(sandbox.stored("system")).toMatchObject({ [kind]: 1 });
  });

  test("throttling is a passing failure of the system", async () => {
    const each = caseOf(code);
    const driver = new Driver(connector);
    await driver.probe(each);
    sandbox.control("system", { mode: "429", retryAfter: 3 });
    for (const [type, document] of samplesOf(each))
      expect({ type, ...(await driver.deliver(each, type, document)) }).toMatchObject({ type, ...isSystemsFault });
  });

  test("an entry that is refused behind a good status is not delivered, and says why", async () => {
    const each = caseOf(code);
    const type = each.soft;
    if (type === null) return;
    const driver = new Driver(connector);
    for (const [earlier, document] of samplesOf(each).filter(([other]) => other !== type)) await driver.deliver(each, earlier, document);
    sandbox.control("system", { mode: "200-error", rate: 1 });
    const { verdict } = await driver.deliver(each, type, each.deliver[type] ?? {});
    expect(verdict).toMatchObject({
      kind: "dead",
      error: { message: expect.stringMatching(/exist|refused|not valid|invalid|unknown|fail/i) },
    });
  });

  test("work that is accepted first is looked after until its result is there", async () => {
    const each = caseOf(code);
    if (!each.polled) return;
    const { entityType, settings } = each.polled;
    const point = { ...each, settings: { ...each.settings, ...settings } };
    const { verdict, calls } = await new Driver(connector).deliver(point, entityType, each.deliver[entityType] ?? {});
    expect(verdict).toMatchObject({ kind: "delivered" });
    expect(calls.filter((call) => call === calls.at(-1)).length).toBeGreaterThanOrEqual(2);
  });

  test("a token that has expired is replaced, and the delivery goes on", async () => {
    const each = caseOf(code);
    if (!each.hasTokens) return;
    const driver = new Driver(connector);
    expect(await driver.probe(each)).toMatchObject({ kind: "delivered" });
    sandbox.tokens("system").revoke();
    expect(await driver.probe(each)).toMatchObject({ kind: "delivered" });
    expect(sandbox.tokens("system").issued).toBe(2);
  });

  test("wrong credentials are the system's fault, not the message's, and right ones pass, in the connection's test too", async () => {
    const each = caseOf(code);
    const wrong = { ...each, credentials: each.wrongCredentials };
    // Brink's 403 may as well be about the one object.
    const refusal = code === "brink" ? { kind: "dead" } : isSystemsFault.verdict;
    expect(await new Driver(connector).probe(each)).toMatchObject({ kind: "delivered" });
    expect(await new Driver(connector).probe(wrong)).toMatchObject(refusal);
    for (const [type, document] of samplesOf(each)) {
      const { verdict } = await new Driver(connector).deliver(wrong, type, document);
      expect({ type, ...verdict }).toMatchObject({ type, ...refusal });
    }
  });

  test.each(["malformed", "500", "500-text"] as const)("an answer that is %s is a passing failure", async (mode) => {
    const each = caseOf(code);
    const driver = new Driver(connector);
    await driver.probe(each);
    sandbox.control("system", { mode });
    for (const [type, document] of samplesOf(each))
      expect({ type, ...(await driver.deliver(each, type, document)) }).toMatchObject({ type, ...isSystemsFault });
  });

  test("what it pulls comes in pages; throttling and nonsense are passing failures there too", async () => {
    const each = caseOf(code);
    const driver = new Driver(connector);
    await driver.probe(each);
    for (const [type, document] of samplesOf(each)) await driver.deliver(each, type, document);
    for (const type of connector.pull?.entityTypes ?? []) {
      sandbox.control("system", {});
      expect({ type, ...(await driver.pull(each, type, null)) }).toMatchObject({ type, kind: "page", hasMore: false });
      for (const mode of ["429", "malformed"] as const) {
        sandbox.control("system", { mode });
        expect({ type, mode, ...(await driver.pull(each, type, null)) }).toMatchObject({ type, mode, kind: "retry" });
      }
    }
  });

  test("what it can't read is rejected or ignored, and never throws", async () => {
    const each = caseOf(code);
    for (const body of ["", "[]", "{}", "null", "<a>", '{"items":7}', '[{"sku":{}}]', "\u0000"]) {
      for (const entityType of [undefined, ...EntityType.options]) {
        const received = await connector.receive({ body: Buffer.from(body), headers: {}, settings: each.settings, entityType });
        const documents = received.kind === "documents" ? received.documents : [];
        expect(documents.filter(({ entityType: type, document }) => canonicalSchemas[type].safeParse(document).success)).toEqual([]);
      }
    }
  });
});

const deletedAt = "2026-11-02T08:30:00Z";
const deletedOf = ({ deliver: { item } }: Case) => ({ ...item, isActive: false, deletedAt, updatedAt: deletedAt });

describe("an item that its source deleted", () => {
  test.each([
    ["shopify", /"status":"archived"/],
    ["magento", /"status":2/],
    ["bigcommerce", /"is_visible":false/],
    ["sitoo", /"active":false/],
    ["nuorder", /"archived":true/],
    ["colect", /INACTIVE/],
    ["centra", /"INACTIVE"/],
    ["storm", /"Status":5/],
    ["brink", /"active":false/],
  ] as const)("is taken off sale, and stays: %s", async (code, said) => {
    const each = caseOf(code);
    const driver = new Driver(connectors[code]);
    const made = await driver.deliver(each, "item", each.deliver.item ?? {});
    const { products, variants } = sandbox.stored("system");
    const externalId = made.verdict.kind === "delivered" ? (made.verdict.externalId ?? null) : null;
    const { verdict, bodies } = await driver.deliver(each, "item", deletedOf(each), externalId, "2");
    expect(verdict).toMatchObject({ kind: "delivered" });
    expect(bodies.join("\n")).toMatch(said);
    expect(sandbox.stored("system")).toMatchObject({ ...(products && { products }), ...(variants && { variants }) });
  });

  test.each(["shopify", "magento", "bigcommerce", "sitoo", "centra", "brink"] as const)(
    "is not made where it never was: %s",
    async (code) => {
      expect(await new Driver(connectors[code]).deliver(caseOf(code), "item", deletedOf(caseOf(code)))).toMatchObject(isDelivered);
      expect(Object.values(sandbox.stored("system")).filter((count) => count > 0)).toEqual([]);
    },
  );

  test.each(["litium", "jetshop", "plytix"] as const)("fails in words where the system has no place for that: %s", async (code) => {
    const { verdict } = await new Driver(connectors[code]).deliver(caseOf(code), "item", deletedOf(caseOf(code)));
    expect(verdict).toMatchObject({ kind: "dead", error: { class: "not-sold" } });
  });

  test("sitoo: is known by its sku all the same, and not made once more when it is sold again", async () => {
    const each = caseOf("sitoo");
    for (const isActive of [false, true]) await new Driver(connectors.sitoo).deliver(each, "item", { ...each.deliver.item, isActive });
    expect(sandbox.stored("system")).toMatchObject({ products: 1 });
  });

  test("plytix: is told by the attribute of the settings", async () => {
    const each = caseOf("plytix");
    const point = { ...each, settings: { ...each.settings, activeAttribute: "sold" } };
    const driver = new Driver(connectors.plytix);
    await driver.deliver(point, "item", each.deliver.item ?? {});
    const { verdict, calls, bodies } = await driver.deliver(point, "item", deletedOf(each));
    expect(verdict).toMatchObject({ kind: "delivered" });
    const changes = calls.filter((call) => call.startsWith("PATCH"));
    expect(bodies[changes.findIndex((call) => call.endsWith("/attributes/sold"))]).toBe("false");
  });
});
