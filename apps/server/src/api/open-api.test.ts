import { afterAll, beforeAll, expect, test } from "vitest";
import { routes, type RouteDefinition } from "@crossdock/contract";
import { testApp, type TestApp } from "../testing/test-app.ts";

type Named = { $ref?: string; name?: string; required?: boolean };
type Operation = {
  operationId: string;
  tags: string[];
  parameters?: Named[];
  requestBody?: { content: Record<string, unknown> };
  responses: Record<
    string,
    { $ref?: string; description?: string; headers?: Record<string, Named>; content?: Record<string, { schema: unknown }> }
  >;
  "x-permission"?: string;
};
type Document = {
  servers: unknown[];
  info: { license: object };
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: Record<"schemas" | "headers" | "responses", Record<string, { headers: Record<string, Named> }>>;
};

let made: TestApp;
let document: Document;
let operations: Operation[];
beforeAll(async () => {
  made = await testApp();
  document = (await made.app.inject("/openapi.json")).json();
  operations = Object.values(document.paths).flatMap((path) => Object.values(path));
});
afterAll(() => made.close());

const parametersOf = (operation: Operation | undefined) => operation?.parameters?.map(({ $ref, name }) => $ref?.split("/").at(-1) ?? name);

test("every operation has a name of its own, a tag that is declared, and answers that are described", () => {
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  expect(new Set(operations.flatMap(({ tags }) => tags))).toEqual(new Set(document.tags.map(({ name }) => name)));
  const answers = operations.flatMap(({ responses }) => Object.values(responses));
  expect(
    answers.filter(({ $ref, description }) => $ref === undefined && (description ?? "Default Response") === "Default Response"),
  ).toEqual([]);
});

test("the headers of a route's requests and answers stand beside its schemas", () => {
  const named: Record<string, RouteDefinition> = routes;
  for (const operation of operations) {
    const route = named[operation.operationId];
    if (!route) continue;
    const taken = [
      ...(route.method === "POST" && "201" in route.responses ? ["IdempotencyKey"] : []),
      ...(route.takesIfMatch ? ["IfMatch"] : []),
      ...(operation.operationId === "streamEvents" ? ["LastEventId"] : []),
    ];
    const headers = ["IdempotencyKey", "IfMatch", "LastEventId"];
    expect([operation.operationId, parametersOf(operation)?.filter((name) => headers.includes(name ?? "")) ?? []]).toEqual([
      operation.operationId,
      taken,
    ]);
  }
  expect(document.paths["/api/v1/tenants/{tenantCode}"]?.["patch"]?.responses["200"]?.headers).toHaveProperty("ETag");
  expect(document.paths["/api/v1/tenants"]?.["post"]?.responses["201"]?.headers).toHaveProperty("Idempotent-Replayed");
  expect(document.paths["/api/v1/users/export"]?.["get"]?.responses["200"]?.headers).toHaveProperty("Content-Disposition");
});

test("whoever is told to come later is told when", () => {
  for (const { responses } of operations) expect(responses["503"]).toEqual({ $ref: "#/components/responses/Later" });
  expect(document.components.responses["Later"]?.headers["Retry-After"]).toMatchObject({ required: true });
});

test("the gateway's operations say what each endpoint takes and gives", () => {
  const lease = document.paths["/sitoo/orders/next"]?.["get"];
  expect(lease).toMatchObject({ operationId: "leaseSitooOrders", "x-permission": "gateway" });
  expect(parametersOf(lease)).toContain("retry");
  expect(parametersOf(document.paths["/sitoo/items/next"]?.["get"])).not.toContain("retry");
  expect(JSON.stringify(lease?.responses["200"])).toContain("#/components/schemas/LeasedOrder");
  expect(document.components.schemas["LeasedOrder"]).toMatchObject({ properties: { document: { $ref: "#/components/schemas/Order" } } });
  for (const operation of operations.filter((one) => one["x-permission"] === "gateway"))
    expect(operation.parameters).toContainEqual(expect.objectContaining({ name: "subtenant", required: true }));

  const handIn = document.paths["/brink/v1/orders"]?.["post"];
  expect(parametersOf(handIn)).toContain("Idempotency-Key");
  expect(Object.keys(handIn?.responses["200"]?.content ?? {})).toEqual(["application/json", "application/x-ndjson"]);
  expect(document.components.schemas).toHaveProperty("LineAnswer");
  expect(parametersOf(document.paths["/hooks/{hookId}"]?.["post"])).toContain("webhook-signature");
});

test("schemas for requests stand there only where a request refers to them", () => {
  expect(document.components.schemas).toHaveProperty("OrderInput");
  expect(document.components.schemas).not.toHaveProperty("SessionInput");
});
