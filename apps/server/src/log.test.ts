import { expect, test } from "vitest";
import { createLogger } from "./log.ts";

test("of errors that are told as one each is told, and of none more than its fault", () => {
  const lines: string[] = [];
  const logger = createLogger("info", { write: (line) => lines.push(line) });
  const refused = Object.assign(new Error("statement timeout"), { code: "57014", detail: "Key (email)=(eva@example.com)" });
  logger.error({ err: new AggregateError([refused], "the work for 1 tenants failed") }, "a chore fails");
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({
    err: { message: "the work for 1 tenants failed", errors: [{ code: "57014", message: "statement timeout" }] },
  });
  expect(lines.join()).not.toContain("eva@example.com");
});
