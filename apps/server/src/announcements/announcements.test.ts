import type { Announcement } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const path = "/api/v1/announcements";
const announce = async (body: object) => (await made.call("admin", "POST", path, body)).json<Announcement>();
const shown = async (): Promise<string[]> =>
  (await made.call("stranger", "GET", path)).json<{ items: Announcement[] }>().items.map(({ text }) => text);
const scheduled = async (): Promise<string[]> =>
  (await made.call("admin", "GET", `${path}/scheduled`)).json<{ items: Announcement[] }>().items.map(({ text }) => text);
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();

test("an announcement is shown to everybody who is signed in, until an admin ends it", async () => {
  const created = await announce({ text: "Night shift needed", translations: { it: "Serve il turno di notte" }, link: "/queue" });
  expect(created).toMatchObject({ translations: { it: "Serve il turno di notte" }, link: "/queue", isDismissible: true, endsAt: null });
  expect(await shown()).toEqual(["Night shift needed"]);
  expect((await made.app.inject({ url: path })).statusCode).toBe(401);
  expect((await made.call("admin", "POST", `${path}/${created.id}/end`)).statusCode).toBe(204);
  expect(await shown()).toEqual([]);
  expect((await made.call("admin", "POST", `${path}/${created.id}/end`)).statusCode).toBe(404);
});

test("one for later is not shown yet, but to admins as scheduled, and called off before its time it never is", async () => {
  await announce({ text: "Tomorrow", startsAt: inSeconds(86_400) });
  const { id } = await announce({ text: "Later", startsAt: inSeconds(3600), endsAt: inSeconds(7200) });
  expect(await shown()).toEqual([]);
  expect(await scheduled()).toEqual(["Later", "Tomorrow"]);
  expect((await made.call("stranger", "GET", `${path}/scheduled`)).statusCode).toBe(403);
  expect((await made.call("admin", "POST", `${path}/${id}/end`)).statusCode).toBe(204);
  expect(await scheduled()).toEqual(["Tomorrow"]);
  expect((await made.call("admin", "POST", `${path}/${id}/end`)).statusCode).toBe(404);
});

test("only an admin announces and ends", async () => {
  expect((await made.call("user", "POST", path, { text: "x" })).statusCode).toBe(403);
  expect((await made.call("user", "POST", `${path}/1/end`)).statusCode).toBe(403);
  expect((await made.call("admin", "POST", `${path}/999999/end`)).statusCode).toBe(404);
});

test.each([
  ["no text", { text: " " }],
  ["a link that runs code", { text: "x", link: "javascript:alert(1)" }],
  ["a link to wherever this page came from", { text: "x", link: "//example.com" }],
  ["such a link as browsers read it", { text: "x", link: "/\\example.com" }],
  ["such a link behind a tab, which they leave out", { text: "x", link: "/\t/example.com" }],
  ["an end before the start", { text: "x", startsAt: "2999-01-02T00:00:00Z", endsAt: "2999-01-01T00:00:00Z" }],
  ["an end in the past", { text: "x", endsAt: "2020-01-01T00:00:00Z" }],
  ["an end in the past, after a start before it", { text: "x", startsAt: "2020-01-01T00:00:00Z", endsAt: "2020-01-02T00:00:00Z" }],
  ["a start that is no time", { text: "x", startsAt: "tomorrow" }],
  ["a language that the console does not have", { text: "x", translations: { xx: "y" } }],
])("%s is refused", async (_what, body) => {
  expect((await made.call("admin", "POST", path, body)).json()).toMatchObject({ status: 400, code: "validation-failed" });
});
