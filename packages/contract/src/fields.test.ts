import { expect, test } from "vitest";
import { RecordIdText } from "./fields.ts";
import { pageQuery } from "./paging.ts";
import { routes, type Routes } from "./routes.ts";

const job = (filter: object) => ({ kind: "remove", selection: { filter } });
const triage = { fingerprint: "a", version: 0, status: "new" };
const rule = { kind: "queue-age", threshold: 1 };
const bodies: [name: keyof Routes, bodyWith: (id: unknown) => object][] = [
  ["removeMappings", (id) => ({ ids: [id] })],
  ["previewMappings", (id) => ({ draft: { removeIds: [id] } })],
  ["triageDeadLetterGroup", (id) => ({ ...triage, ownerId: id })],
  ["updateAlert", (id) => ({ ownerId: id })],
  ["createAlertRule", (id) => ({ ...rule, queueId: id })],
  ["createAlertRule", (id) => ({ ...rule, channelIds: [id] })],
  ["createAlertChannel", (id) => ({ kind: "email", name: "Us", userIds: [id] })],
  ["createSchedule", (id) => ({ integrationPointId: id, entityType: "order", everySeconds: 600 })],
  ["runOperation", (id) => ({ operation: "fetch-next", queueId: id })],
  ["removeExternalItems", (id) => ({ items: [{ integrationPointId: id, entityType: "item", key: "a" }] })],
  ["removeExternalItems", (id) => ({ filter: { integrationPointId: id } })],
  ["removeExternalMessages", (id) => ({ filter: { integrationPointId: id } })],
  ["createExternalJob", (id) => ({ subject: "external-items", ...job({ integrationPointId: id }) })],
  ["createExternalJob", (id) => ({ subject: "external-messages", ...job({ integrationPointId: id }) })],
  ["createJob", (id) => job({ queueId: [id] })],
  ["createJob", (id) => job({ integrationPointId: id })],
  ["createJob", (id) => job({ httpStatus: id })],
  ["createJob", (id) => job({ attemptsMin: id })],
  ["replaceMessage", (id) => ({ queueId: id, reason: "moved" })],
  ["markNotesRead", (id) => ({ upTo: id })],
];

test.each(bodies)("a body of %s takes numbers, and nothing that could be made one", (name, bodyWith) => {
  const fits = (id: unknown): boolean => routes[name].body?.safeParse(bodyWith(id)).success ?? false;
  // An HTTP status as well as an id.
  expect(fits(404)).toBe(true);
  expect([true, [404], "404", "0x194", "", {}, 404.5].filter(fits)).toEqual([]);
});

test("a number in a path or query is the text of that number", () => {
  expect(["1", "42", "2147483647"].map((text) => RecordIdText.parse(text))).toEqual([1, 42, 2_147_483_647]);
  const others = ["0", "-1", "01", "1.0", "1e0", "0x1", " 1", "1 ", "+1", "", "x", "2147483648", "9".repeat(400), ["1"], true, null];
  expect(others.filter((value) => RecordIdText.safeParse(value).success)).toEqual([]);
});

test("the length of a page stands for itself where it is left out", () => {
  expect([undefined, "7"].map((text) => pageQuery.limit.parse(text))).toEqual([50, 7]);
});
