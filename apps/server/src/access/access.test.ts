import type { FastifyRequest } from "fastify";
import type pg from "pg";
import { expect, test, vi } from "vitest";
import { createAccess, createAccessWatch, type AccessChange } from "./access.ts";
import { apiKeyPrefix } from "./api-key.ts";
import { ApiError } from "../errors/errors.ts";

/** Changes of rights, as a process hears of them. */
function changes() {
  const listeners: ((change: AccessChange) => void)[] = [];
  return {
    on: (listener: (change: AccessChange) => void) => void listeners.push(listener),
    tell: (change: AccessChange) => listeners.forEach((listener) => listener(change)),
  };
}

const key = { tenantId: 1, tenantCode: "acme", apiKeyId: 7, role: "gateway", scopes: null, isUseDue: false };

/** A caller with a key, and the look-ups of it, which wait for their answer. */
function keyHolder() {
  const answers: PromiseWithResolvers<{ rows: (typeof key)[] }>[] = [];
  const pool = {
    query: () => {
      const answer = Promise.withResolvers<{ rows: (typeof key)[] }>();
      answers.push(answer);
      return answer.promise;
    },
  };
  const { on, tell } = changes();
  const { authorise } = createAccess(pool as unknown as pg.Pool, { accessToken: Buffer.alloc(32), apiKeys: Buffer.alloc(32) }, on);
  const request = {
    routeOptions: { config: { permission: "gateway" } },
    headers: { "x-api-key": `${apiKeyPrefix}one` },
    params: {},
  } as unknown as FastifyRequest;
  return { answers, tell, authorise: () => authorise(request) };
}

test("a key that is revoked while it is looked up is let in no more", async () => {
  const { answers, tell, authorise } = keyHolder();
  const first = [authorise(), authorise()];
  tell({ kind: "key", id: 7 });
  for (const { resolve } of answers) resolve({ rows: [key] });
  await Promise.all(first);
  // Those that come at once share a look-up.
  expect(answers.length).toBe(1);
  const next = authorise();
  answers[1]?.resolve({ rows: [] });
  await expect(next).rejects.toMatchObject({ code: "token-invalid" });
});

test("a key is trusted for four seconds, so that one that ran out is let in no longer, nor one whose revocation nobody told", async () => {
  const { answers, authorise } = keyHolder();
  const clock = vi.spyOn(performance, "now").mockReturnValue(1_000);
  const first = authorise();
  answers[0]?.resolve({ rows: [key] });
  await first;
  clock.mockReturnValue(4_999);
  await authorise();
  clock.mockReturnValue(5_000);
  const next = authorise();
  clock.mockRestore();
  answers[1]?.resolve({ rows: [] });
  await expect(next).rejects.toMatchObject({ code: "token-invalid" });
});

test("a key whose look-up failed is looked up anew", async () => {
  const { answers, authorise } = keyHolder();
  const failing = authorise();
  answers[0]?.reject(new Error("the database is away"));
  await expect(failing).rejects.toThrow("the database is away");
  const next = authorise();
  answers[1]?.resolve({ rows: [key] });
  await next;
});

test("work whose caller lost his right to it before it was watched is told so", async () => {
  const refusal = new ApiError("token-invalid");
  const watch = createAccessWatch(() => Promise.reject(refusal), changes().on);
  expect(await new Promise((resolve) => watch({} as FastifyRequest, resolve))).toBe(refusal);
});
