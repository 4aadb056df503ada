import type { FastifyRequest } from "fastify";
import type pg from "pg";
import { expect, test } from "vitest";
import { apiKeyPrefix, createAccessWatch, createAuthorise, type AccessChange } from "./access.ts";
import { ApiError } from "./errors.ts";

/** Changes of rights, as a process hears of them. */
function changes() {
  const listeners: ((change: AccessChange) => void)[] = [];
  return {
    on: (listener: (change: AccessChange) => void) => void listeners.push(listener),
    tell: (change: AccessChange) => listeners.forEach((listener) => listener(change)),
  };
}

test("a key that is revoked while it is looked up is let in no more", async () => {
  const key = { tenantId: 1, tenantCode: "acme", apiKeyId: 7, role: "gateway", scopes: null, isUseDue: false };
  const answers: PromiseWithResolvers<{ rows: (typeof key)[] }>[] = [];
  const pool = {
    query: () => {
      const answer = Promise.withResolvers<{ rows: (typeof key)[] }>();
      answers.push(answer);
      return answer.promise;
    },
  };
  const { on, tell } = changes();
  const authorise = createAuthorise(pool as unknown as pg.Pool, Buffer.alloc(32), on);
  const request = {
    routeOptions: { config: { permission: "gateway" } },
    headers: { "x-api-key": `${apiKeyPrefix}one` },
    params: {},
  } as unknown as FastifyRequest;
  const first = [authorise(request), authorise(request)];
  tell({ kind: "key", id: 7 });
  for (const { resolve } of answers) resolve({ rows: [key] });
  await Promise.all(first);
  // Those that come at once share a look-up.
  expect(answers.length).toBe(1);
  const next = authorise(request);
  answers[1]?.resolve({ rows: [] });
  await expect(next).rejects.toMatchObject({ code: "token-invalid" });
});

test("work whose caller lost his right to it before it was watched is told so", async () => {
  const refusal = new ApiError("token-invalid");
  const watch = createAccessWatch(() => Promise.reject(refusal), changes().on);
  expect(await new Promise((resolve) => watch({} as FastifyRequest, resolve))).toBe(refusal);
});
