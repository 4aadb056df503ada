import { expect, test } from "vitest";
import { createLogger, linesForPeople } from "./log.ts";

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

test("whoever watches a terminal reads lines without JSON, with what an error came from", () => {
  const told: string[] = [];
  const logger = createLogger(
    "info",
    linesForPeople((text) => told.push(text.replace(/^\d\d:\d\d:\d\d /, "").replaceAll(/\n +at .*/g, ""))),
  );
  logger.info("Server listening");
  logger.info({ host: "a\u001B[2Jb" }, "what a terminal would obey");
  logger.warn({ kind: "circuit-opened", tenantId: 1 }, "a target fails and is left alone for a while");
  logger.error({ err: new Error("no answer", { cause: new AggregateError([new Error("refused")], "tried twice") }) }, "a chore fails");
  expect(told).toEqual([
    "Server listening\n",
    "what a terminal would obey (host a\u{FFFD}[2Jb)\n",
    "warn: a target fails and is left alone for a while (kind circuit-opened, tenantId 1)\n",
    "error: a chore fails\nError: no answer\nAggregateError: tried twice\nError: refused\n",
  ]);
});
