import { Writable } from "node:stream";
import Fastify, { LogController } from "fastify";
import { pino } from "pino";
import { expect, test } from "vitest";
import { ApiError, handleError } from "./errors.ts";

/** What a request that ends with `error` writes to the log, as lines of level and message. */
async function logged(error: unknown, { hasHungUp = false, times = 1 } = {}): Promise<string[]> {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const { level, msg } = JSON.parse(chunk.toString("utf8")) as { level: number; msg: string };
      lines.push(`${pino.levels.labels[level]}: ${msg}`);
      done();
    },
  });
  const app = Fastify({
    loggerInstance: pino({ level: "debug" }, stream),
    logController: new LogController({ disableRequestLogging: true }),
  });
  app.setErrorHandler(handleError);
  app.get("/", (request) => {
    if (hasHungUp) Object.assign(request.raw.socket, { destroyed: true });
    throw error;
  });
  for (let asked = 0; asked < times; asked += 1) await app.inject("/");
  await app.close();
  return lines;
}

test.each([
  ["a fault of ours", new TypeError("undefined is not a function"), ["error: a request failed"]],
  [
    "a database that is away",
    Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
    ["warn: a request found something unavailable"],
  ],
  [
    "a database whose socket is gone",
    Object.assign(new Error("connect ENOENT"), { code: "ENOENT", syscall: "connect" }),
    ["warn: a request found something unavailable"],
  ],
  ["a file of ours that is missing", Object.assign(new Error("open"), { code: "ENOENT", syscall: "open" }), ["error: a request failed"]],
  [
    "a connection that broke while a transaction waited",
    new Error("Client has encountered a connection error and is not queryable"),
    ["warn: a request found something unavailable"],
  ],
  ...["25P03", "25P04", "57P05"].map((code): [string, Error, string[]] => [
    `a connection that the database has ended at a time limit (${code})`,
    Object.assign(new Error("terminating connection"), { code }),
    ["warn: a request found something unavailable"],
  ]),
  ["a refusal on purpose", new ApiError("unavailable", { retryAfterSeconds: 1 }), ["info: a request was refused for now"]],
  ["maintenance", new ApiError("maintenance"), ["debug: a request was refused for now"]],
  ["a mistake of the caller", new ApiError("not-found"), []],
])("%s is logged by its weight", async (_what, error, lines) => {
  expect(await logged(error)).toEqual(lines);
});

test("a caller who hung up before the end is no failure, a broken connection to the database is", async () => {
  const broken = Object.assign(new Error("Premature close"), { code: "ERR_STREAM_PREMATURE_CLOSE" });
  expect(await logged(broken, { hasHungUp: true })).toEqual([]);
  expect(await logged(Object.assign(new Error("read"), { code: "ECONNRESET" }))).toEqual(["warn: a request found something unavailable"]);
});

test("a database that stays away is told of once, whatever else is unavailable each time", async () => {
  const away = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
  const slow = Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });
  expect(await logged(away, { times: 3 })).toEqual(["warn: a request found something unavailable"]);
  expect(await logged(slow, { times: 3 })).toHaveLength(3);
});

test("a change that the database's disk has no room for is refused with that reason", async () => {
  const app = Fastify();
  app.setErrorHandler(handleError);
  app.get("/", () => {
    throw Object.assign(new Error("could not extend file"), { code: "53100" });
  });
  const answer = await app.inject("/");
  expect(answer.json()).toMatchObject({ status: 503, code: "unavailable", reason: "no-writes-disk-full" });
  expect(answer.headers["retry-after"]).toBe("5");
  await app.close();
});
