import { errorCodes, isPermitted, type Permission } from "@crossdock/contract";
import fc from "fast-check";
import { z } from "zod";
import { brokenOf, valueOf, type Resolve, type Schema } from "./arbitrary.ts";

export type Call = { method: string; url: string; headers: Record<string, string>; body?: string };
export type Answer = { status: number; headers: Record<string, unknown>; body: string };
export type Send = (call: Call) => Promise<Answer>;

/** What the fuzzer calls as: an admin, who may do everything, and a viewer, who may change nothing. */
export type Tokens = { admin: string; viewer: string };

type Parameter = { name: string; in: string; required?: boolean; schema?: Schema };
type Content = Record<string, { schema?: Schema }>;
type Operation = {
  method: string;
  path: string;
  operationId?: string;
  security?: unknown[];
  parameters?: Parameter[];
  requestBody?: { content?: Content };
  responses: Record<string, { content?: Content }>;
  "x-permission"?: Permission;
};
export type Document = { paths: Record<string, Record<string, object>>; components?: { schemas?: Record<string, Schema> } };

export type Fault = { call: Call; answer: Answer; what: string };
export type Report = { requests: number; statuses: Record<string, number>; faults: Fault[] };

/** Answers without an end, and those that end the fuzzer's own sign-in. */
const skipped = new Set(["streamEvents", "scanMessages", "signOut", "signIn", "createTokens", "refreshSession"]);

/** Ids that exist in a small installation, and ones that don't; never those of whom the fuzzer signs in as. */
const ids: Record<string, fc.Arbitrary<string>> = {
  tenantCode: fc.constantFrom("acme", "acme", "acme", "other", "nowhere"),
  subtenantCode: fc.constantFrom("shop", "nowhere"),
  userId: fc.constantFrom("4", "999999"),
  apiKeyId: fc.constantFrom("7", "999999"),
};
const anyId = fc.oneof(fc.integer({ min: 1, max: 40 }).map(String), fc.constantFrom("999999", "0", "-1", "x", "207780000000001"));

const Problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string(),
  requestId: z.string(),
  detail: z.string().optional(),
  msg: z.string().optional(),
  current: z.record(z.string(), z.unknown()).optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});

type Attempt = { operation: Operation; call: Call; kind: "fitting" | "broken" | "anonymous" | "viewer" };

/** Calls every operation of an OpenAPI document with generated input until so many requests are sent. The same seed asks the same. */
export async function fuzz(document: Document, send: Send, tokens: Tokens, options: { requests: number; seed: number }): Promise<Report> {
  const resolve: Resolve = (schema) => {
    const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? "")?.[1];
    return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
  };
  const operations = operationsOf(document).filter(({ operationId = "" }) => !skipped.has(operationId));
  const attempts = fc.constantFrom(...operations).chain((operation) => attemptOf(operation, resolve, tokens));
  const report: Report = { requests: 0, statuses: {}, faults: [] };
  for (const attempt of fc.sample(attempts, { numRuns: options.requests, seed: options.seed })) {
    const answer = await send(attempt.call);
    report.requests += 1;
    report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1;
    const what = faultOf(attempt, answer);
    if (what !== null) report.faults.push({ call: attempt.call, answer, what });
  }
  return report;
}

export function operationsOf({ paths }: Document): Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...(operation as Omit<Operation, "method" | "path">),
      method: method.toUpperCase(),
      path,
    })),
  );
}

function attemptOf(operation: Operation, resolve: Resolve, tokens: Tokens): fc.Arbitrary<Attempt> {
  const { method, path, parameters = [] } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const pathValues = fc.record(Object.fromEntries(names.map((name) => [name, pathValue(name, inPath, resolve)])));
  const queryValues = fc.record(
    Object.fromEntries(
      parameters.filter((parameter) => parameter.in === "query").map((parameter) => [parameter.name, queryValue(parameter, resolve)]),
    ),
    { requiredKeys: parameters.filter((parameter) => parameter.in === "query" && parameter.required).map(({ name }) => name) },
  );
  const bodySchema = operation.requestBody?.content?.["application/json"]?.schema;
  const fitting = bodySchema ? valueOf(bodySchema, resolve) : fc.constant(undefined);
  const broken = bodySchema ? brokenOf(bodySchema, resolve) : null;
  const isOpen = operation.security?.length === 0;
  const kinds: Attempt["kind"][] = [
    "fitting",
    "fitting",
    "fitting",
    ...(broken ? ["broken" as const] : []),
    ...(isOpen ? [] : (["anonymous", "viewer"] as const)),
  ];
  return fc.constantFrom(...kinds).chain((kind) =>
    fc.tuple(pathValues, queryValues, kind === "broken" && broken ? broken : fitting).map(([inUrl, query, body]) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(wellFormed(String(inUrl[name]))));
      const token = kind === "viewer" ? tokens.viewer : tokens.admin;
      const call: Call = {
        method,
        url: `${filled}${queryText(query)}`,
        headers: {
          ...(kind === "anonymous" || isOpen ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { "content-type": "application/json" }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      };
      return { operation, call, kind };
    }),
  );
}

function pathValue(name: string, parameters: Parameter[], resolve: Resolve): fc.Arbitrary<unknown> {
  const known = ids[name];
  if (known) return known;
  const schema = parameters.find((parameter) => parameter.name === name)?.schema;
  return schema ? fc.oneof({ weight: 3, arbitrary: anyId }, { weight: 1, arbitrary: valueOf(schema, resolve) }) : anyId;
}

function queryValue({ name, schema = {} }: Parameter, resolve: Resolve): fc.Arbitrary<unknown> {
  // A long poll would be a long fuzz.
  if (name === "wait") return fc.constantFrom("0", "x");
  const value = ids[`${name}Code`] ?? valueOf(schema, resolve);
  return fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: fc.constantFrom("x", "", "-1", "\u0000", "1e99") });
}

function queryText(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of [value].flat())
      if (one !== undefined) search.append(name, wellFormed(typeof one === "string" ? one : JSON.stringify(one)));
  }
  return search.size > 0 ? `?${search.toString()}` : "";
}

/** A URL can't hold half a character. */
const wellFormed = (value: string): string => value.toWellFormed();

/** Null when the answer is one that was promised. */
function faultOf({ operation, kind }: Attempt, { status, headers, body }: Answer): string | null {
  if (status >= 500 && !isPaused(status, body)) return `a fault of the server: ${status}`;
  if (kind === "anonymous" && status !== 401 && status !== 429) return `without a token answered ${status}`;
  const permission = operation["x-permission"];
  if (kind === "viewer" && permission !== undefined && !isPermitted("viewer", permission) && ![403, 404, 429].includes(status)) {
    return `a viewer was answered ${status}`;
  }
  if (kind === "broken" && status < 400) return `input that does not fit was taken: ${status}`;
  if (status < 400) return operation.responses[status] ? null : `answered ${status}, which is not in the description`;
  if (!String(headers["content-type"]).startsWith("application/problem+json")) return `an error as ${String(headers["content-type"])}`;
  const problem = Problem.safeParse(parsed(body));
  if (!problem.success) return `an error that is no Problem: ${problem.error.issues[0]?.message ?? ""}`;
  if (problem.data.status !== status || !(problem.data.code in errorCodes)) return `an error that nobody knows: ${problem.data.code}`;
  return problem.data.requestId === headers["x-request-id"] ? null : "an error without the request's id";
}

/** What an operator has paused says so, and is no fault. */
const isPaused = (status: number, body: string): boolean => status === 503 && body.includes("is paused");

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
