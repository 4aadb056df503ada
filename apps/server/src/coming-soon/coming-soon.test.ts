import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const path = "/api/v1/coming-soon/addresses";
let asked = 0;
/** Every call comes from an address of its own unless one is given, so that the limit stays out of the way. */
const leave = (email: string, remoteAddress = `10.0.0.${(asked += 1)}`, headers = { authorization: `Bearer ${made.accounts.viewer}` }) =>
  made.app.inject({ method: "POST", url: path, payload: { email, locale: "it" }, remoteAddress, headers });
const list = async (query = "") =>
  (await made.call("admin", "GET", path + query)).json<{ items: { id: number; email: string }[]; nextCursor: string | null }>();

test("an address is kept once, in small letters, and known ones are answered alike", async () => {
  expect((await leave("Ada@Example.com")).statusCode).toBe(204);
  expect((await leave("ada@example.com")).statusCode).toBe(204);
  expect((await list()).items).toMatchObject([{ email: "ada@example.com", locale: "it" }]);
});

test.each(["", "nobody", "a@b", "=cmd|calc@example.com", `${"x".repeat(320)}@example.com`])("%j is no address", async (email) => {
  expect((await leave(email)).json()).toMatchObject({ status: 400, code: "validation-failed" });
});

test("who isn't signed in leaves no address", async () => {
  expect((await leave("stranger@example.com", "10.9.9.9", { authorization: "" })).statusCode).toBe(401);
});

test("one place can't flood the list", async () => {
  const statuses: number[] = [];
  for (let turn = 0; turn < 6; turn += 1) statuses.push((await leave("flood@example.com", "10.1.1.1")).statusCode);
  expect(statuses).toEqual([204, 204, 204, 204, 204, 429]);
});

test("admins page through the addresses, export them and forget one; nobody else does", async () => {
  for (const name of ["bo", "cy"]) await leave(`${name}@example.com`);
  const first = await list("?limit=2");
  expect(first.items.map(({ email }) => email)).toEqual(["cy@example.com", "bo@example.com"]);
  const second = await list(`?limit=2&cursor=${first.nextCursor}`);
  expect(second.items.map(({ email }) => email)).toContain("ada@example.com");

  const exported = await made.call("admin", "GET", `${path}/export`);
  expect(exported.headers["content-type"]).toBe("text/csv; charset=utf-8");
  expect(exported.body).toMatch(/^id,email,locale,createdAt\r\n\d+,cy@example\.com,it,\d{4}-[^\r]+\r\n/);

  const [newest] = first.items;
  expect((await made.call("admin", "DELETE", `${path}/${newest?.id}`)).statusCode).toBe(204);
  expect((await made.call("admin", "DELETE", `${path}/${newest?.id}`)).statusCode).toBe(404);
  expect((await list()).items.map(({ email }) => email)).not.toContain("cy@example.com");

  for (const account of ["user", "viewer"] as const) {
    for (const url of [path, `${path}/export`]) expect((await made.call(account, "GET", url)).statusCode).toBe(403);
    expect((await made.call(account, "DELETE", `${path}/1`)).statusCode).toBe(403);
  }
});
