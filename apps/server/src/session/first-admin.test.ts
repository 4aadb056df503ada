import { afterEach, beforeEach, expect, test } from "vitest";
import { testDeps, type TestDeps } from "../testing/test-app.ts";
import { ensureFirstAdmin, type FirstAdmin } from "./first-admin.ts";
import { hashPassword, verifyPassword } from "./passwords.ts";

let made: TestDeps;
beforeEach(async () => {
  made = await testDeps();
});
afterEach(() => made.close());

const address = "ada@example.com";
const start = (email: string, password: string | null): Promise<FirstAdmin | null> =>
  ensureFirstAdmin(made.deps.pools.app, email, password);
const owner = () => made.pool("owner", 1);

const people = async () => (await owner().query<{ email: string; role: string }>(`select email, role from hub."user" order by id`)).rows;

async function opens(email: string, password: string): Promise<boolean> {
  const { rows } = await owner().query<{ hash: string }>(`select password_hash as hash from hub."user" where email = $1`, [email]);
  return verifyPassword(rows[0]?.hash ?? null, password);
}

test("a password that was made is told by that start alone, one that was given by none", async () => {
  const first = await start(address, null);
  expect(first?.newPassword).toMatch(/^[\w-]{16}$/);
  expect(await opens(address, first?.newPassword ?? "")).toBe(true);
  expect(await start(address, null)).toEqual({ ...first, newPassword: null });
});

test("a password that was given is told by no start", async () => {
  expect(await start(address, "a password given")).toMatchObject({ email: address, newPassword: null });
  expect(await opens(address, "a password given")).toBe(true);
});

test("where there are people, no start makes an admin, nor gives anybody the password that the environment has for another address", async () => {
  await start(address, "the first password");
  expect(await start("eve@example.com", "another password")).toMatchObject({ email: address });
  expect(await people()).toEqual([{ email: address, role: "admin" }]);
  expect(await opens(address, "the first password")).toBe(true);
});

test("of two first starts at once one makes the admin, and both know who that is", async () => {
  const [one, two] = await Promise.all([start(address, null), start(address, null)]);
  expect(one?.userId).toBe(two?.userId);
  expect([one?.newPassword, two?.newPassword].filter((password) => password !== null)).toHaveLength(1);
  expect(await people()).toHaveLength(1);
});

test.each([
  ["no admin", "role = 'user'"],
  ["disabled", "is_active = false"],
])("somebody who is %s gets no password from the environment", async (_, change) => {
  await start("admin@example.com", null);
  await owner().query(`insert into hub."user" (email, name, role, password_hash) values ($1, 'Ada', 'admin', $2)`, [
    address,
    await hashPassword("their own password"),
  ]);
  await owner().query(`update hub."user" set ${change} where email = $1`, [address]);
  expect(await start(address, "another password")).toMatchObject({ email: "admin@example.com" });
  expect(await opens(address, "their own password")).toBe(true);
});

test("of several admins the one with the environment's address gets its password", async () => {
  await start("admin@example.com", "the first password");
  await owner().query(`insert into hub."user" (email, name, role) values ($1, 'Ada', 'admin')`, [address]);
  expect(await start(address, "another password")).toMatchObject({ email: address });
  expect([await opens(address, "another password"), await opens("admin@example.com", "another password")]).toEqual([true, false]);
});

test("a start with the password that holds already ends no session, one with another ends them", async () => {
  const admin = await start(address, "the first password");
  await owner().query("insert into hub.session (user_id, is_remembered, expires_at, ends_at) values ($1, false, 'infinity', 'infinity')", [
    admin?.userId,
  ]);
  const open = async () => (await owner().query("select from hub.session where revoked_at is null")).rowCount;
  await start(address, "the first password");
  expect(await open()).toBe(1);
  await start(address, "another password");
  expect(await open()).toBe(0);
});
