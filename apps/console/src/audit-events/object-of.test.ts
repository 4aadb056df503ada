import type { AuditEvent } from "@crossdock/contract";
import { expect, test } from "vitest";
import { objectOf } from "./object-of.ts";

const event: AuditEvent = {
  id: "1",
  at: "2026-11-22T10:00:00Z",
  tenantCode: "acme",
  outcome: "done",
  action: "updateMapping",
  code: null,
  targetKind: "mappings",
  targetId: "12",
  actorKind: "user",
  actorName: "Ada",
  address: null,
  userAgent: null,
  requestId: "r",
  reason: null,
  before: null,
  after: { fieldName: "color", source: "*", sourceValue: "blå & röd", target: "shopify" },
};
const versionsOf = (change: Partial<AuditEvent>) => objectOf({ ...event, ...change }, new Set(["acme"])).versions;
const hrefOf = (change: Partial<AuditEvent>) => objectOf({ ...event, after: null, ...change }, new Set(["acme"])).href;

test("an object leads to its screen, a mapping by its content and a new subtenant by its code", () => {
  expect(objectOf(event, new Set(["acme"]))).toEqual({
    kind: "audit.what.mapping",
    name: "color blå & röd → shopify",
    href: "/mapping-list?field=color&source=*&target=shopify&search=bl%C3%A5+%26+r%C3%B6d",
    versions: "/mapping-list?view=versions",
  });
  expect(hrefOf({ targetKind: "messages", targetId: "205" })).toBe("/queue/details/205");
  expect(hrefOf({ targetKind: "subtenants", targetId: "4", after: { code: "shop" } })).toBe("/subtenant/shop/dashboard");
  expect(hrefOf({ targetKind: "alerts", targetId: "7", tenantCode: null })).toBe("/alerts?of=installation&alert=7");
  expect(hrefOf({ targetKind: "alert-rules", targetId: "3", tenantCode: null })).toBe("/alerts?of=installation&view=rules&rule=3");
  expect(hrefOf({ targetKind: "schedules", targetId: "3" })).toBe("/jobstatus-list?view=schedules&schedule=3");
});

test("what was done to several messages at once leads to these messages, to as many as their list can be asked for", () => {
  for (const targetKind of ["messages", "dead-letters", "retry-queue"]) {
    expect(hrefOf({ targetKind, after: { ids: ["205", "206"], skipped: [] } })).toBe("/queue?ids=205+206");
  }
  expect(hrefOf({ targetKind: "entity-resyncs", after: { version: 2, messageIds: ["207"] } })).toBe("/queue?ids=207");
  expect(hrefOf({ targetKind: "dead-letters", after: { ids: Array.from({ length: 501 }, (_, id) => String(id)) } })).toBe(
    "/deadletter-list",
  );
  expect(hrefOf({ targetKind: "dead-letters", outcome: "denied", after: { ids: [7, "x&y"] } })).toBe("/deadletter-list");
});

test("what never was or is gone leads nowhere", () => {
  expect(hrefOf({ targetKind: "tenants", targetId: "nobody", outcome: "denied", tenantCode: null })).toBeNull();
  expect(hrefOf({ action: "removeAlertRule", targetKind: "alert-rules", targetId: "3" })).toBeNull();
  expect(hrefOf({ action: "removeAlertRule", targetKind: "alert-rules", targetId: "3", outcome: "denied" })).toBe(
    "/alerts?view=rules&rule=3",
  );
  expect(hrefOf({ targetKind: "announcements", targetId: "3", tenantCode: null })).toBeNull();
});

test("a change that made a version leads to the one before it, whatever became of its object", () => {
  const point = { targetKind: "integration-points", targetId: "15" };
  expect(versionsOf({ ...point, action: "updateIntegrationPoint" })).toBe("/configuration?point=15#versions");
  expect(versionsOf({ action: "removeMappings" })).toBe("/mapping-list?view=versions");
  expect(versionsOf({ ...point, action: "createIntegrationPoint" })).toBeNull();
  expect(versionsOf({ ...point, action: "pauseIntegrationPoint" })).toBeNull();
  expect(versionsOf({ outcome: "denied" })).toBeNull();
  expect(versionsOf({ tenantCode: "gone" })).toBeNull();
});

test("whatever was asked for, its link stays in the console", () => {
  const savedAt = (list: string) => hrefOf({ targetKind: "saved-views", outcome: "denied", after: { list, query: "key=A" } });
  expect(savedAt("/queue")).toBe("/queue?key=A");
  for (const list of ["//evil.example", "/\\evil.example", "https://evil.example", "javascript:alert(1)"]) expect(savedAt(list)).toBeNull();
  expect(hrefOf({ targetKind: "subtenants", after: { code: "../../x?y" } })).toBe("/subtenant/..%2F..%2Fx%3Fy/dashboard");
});
