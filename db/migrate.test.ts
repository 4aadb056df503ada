import pg from "pg";
import { expect, test } from "vitest";
import { migrate } from "./migrate.ts";
import { testDatabase, testSecret } from "./testing.ts";

test("a second run applies nothing, and a changed migration is refused", async () => {
  const database = await testDatabase();
  expect((await migrate(database.ownerUrl, testSecret)).applied).toEqual([]);
  const owner = new pg.Client({ connectionString: database.ownerUrl });
  await owner.connect();
  await owner.query("update public.migration set checksum = 'other'");
  await owner.end();
  await expect(migrate(database.ownerUrl, testSecret)).rejects.toThrow("was changed after it had been applied");
  await database.drop();
});
