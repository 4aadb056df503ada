import { errorCodes, isPermitted, type Permission } from "@crossdock/contract";
import fc from "fast-check";
import { z } from "zod";
import { brokenOf, valueOf, type Resolve, type Schema } from "./arbitrary.ts";
import { createKnown, type Known } from "./known.ts";

export type Call = { method: string; url: string; headers: Record<string, string>; body?: string };
export type Answer = { status: number; headers: Record<string, unknown>; body: string };
export type Send = (call: Call) => Promise<Answer>;

/** What the fuzzer calls as: sessions of the three roles in tenant `acme`, and an admin's API key of it. */
export type Tokens = { admin: string; user: string; viewer: string; key: string };
type Caller = keyof Tokens;

type Parameter = { name: string; in: string; required?: boolean; schema?: Schema };
type Content = Record<string, { schema?: Schema }>;
export type Operation = {
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

type Fault = { call: Call; answer: Answer; what: string };
type Report = { requests: number; statuses: Record<string, number>; faults: Fault[] };

/** Answers without an end, and those that end the fuzzer's own sign-in. */
const skipped = new Set([
  "streamEvents",
  "scanMessages",
  "scanDeadLetters",
  "scanDeadLetterGroups",
  "scanRetryQueue",
  "scanExternalMessages",
  "scanExternalItems",
  "scanEntities",
  "signOut",
  "signIn",
  "createTokens",
  "refreshSession",
]);

/** Never those of whom the fuzzer signs in as, and mostly the tenant that they see. */
const ids: Record<string, fc.Arbitrary<string>> = {
  tenantCode: fc.constantFrom(...Array.from({ length: 18 }, () => "acme"), "other", "nowhere"),
  userId: fc.constantFrom("4", "4", "4", "999999"),
  apiKeyId: fc.constantFrom("7", "999999"),
  sessionId: fc.uuid(),
};
const subtenants = fc.constantFrom(...Array.from({ length: 18 }, () => "shop"), "nowhere");
/** What the gateway needs to know of everybody but a key. */
const places = ["tenant", "subtenant"];
const anyId = fc.oneof(fc.integer({ min: 1, max: 40 }).map(String), fc.constantFrom("999999", "0", "-1", "x", "207780000000001"));

/** What would take from the fuzzer what it calls with, or calls upon. */
const spared: Record<string, string> = { updateTenant: "/other", updateSubtenant: "/nowhere", switchSubtenant: "/nowhere" };

const named = { reason: z.string().optional(), values: z.record(z.string(), z.union([z.string(), z.number()])).optional() };
const Problem = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.number(),
  code: z.string(),
  requestId: z.string(),
  detail: z.string().optional(),
  msg: z.string().optional(),
  ...named,
  current: z.record(z.string(), z.unknown()).optional(),
  errors: z.array(z.strictObject({ path: z.string(), message: z.string(), ...named })).optional(),
});

type Kind = "fitting" | "broken" | "anonymous";
type Attempt = { operation: Operation; call: Call; kind: Kind; caller: Caller };

/** An attempt before it is known what there is: the draws decide which of the ids learned stand where. */
type Plan = {
  operation: Operation;
  kind: Kind;
  caller: Caller;
  inPath: Record<string, unknown>;
  query: Record<string, unknown>;
  body: unknown;
  /** Numbers from 0 to 1, used one after the other. */
  draws: number[];
};

const isGateway = (operation: Operation): boolean => operation["x-permission"] === "gateway";

/** Calls every operation of an OpenAPI document with generated input until so many requests are sent. The same seed asks the same. */
export async function fuzz(document: Document, send: Send, tokens: Tokens, options: { requests: number; seed: number }): Promise<Report> {
  const resolve: Resolve = (schema) => {
    const name = /^#\/components\/schemas\/(.+)$/.exec(schema.$ref ?? "")?.[1];
    return name === undefined ? schema : (document.components?.schemas?.[name] ?? {});
  };
  const operations = operationsOf(document).filter(({ operationId = "" }) => !skipped.has(operationId));
  // Half of all paths are the gateway's, alike but for the system that they are named after.
  const [own, gateway] = [operations.filter((operation) => !isGateway(operation)), operations.filter(isGateway)];
  // Reading what the others made and changed finds what they broke.
  const reading = own.filter(({ method }) => method === "GET");
  // Made once for each: while they are, the server under test, which may be of the same process, answers nobody.
  const plansOf = (some: Operation[]): fc.Arbitrary<Plan>[] => some.map((operation) => planOf(operation, resolve));
  const [ofOwn, ofReading] = [plansOf(own), plansOf(reading)];
  const plans = fc
    .oneof(
      { weight: 9, arbitrary: fc.constantFrom(...ofOwn, ...ofReading, ...ofReading) },
      { weight: 1, arbitrary: fc.constantFrom(...plansOf(gateway)) },
    )
    .chain((plan) => plan);
  const known = createKnown(document);
  // What is there to begin with is found by asking for all lists once; these count like all others.
  const lists = operations.filter(({ method, path }) => method === "GET" && known.isCollection(path));
  const first = lists.map((operation): Plan => {
    const inPath = { tenantCode: "acme", subtenantCode: "shop" };
    return { operation, kind: "fitting", caller: "admin", inPath, query: {}, body: undefined, draws: [0] };
  });
  const drawn = fc.sample(plans, { numRuns: Math.max(0, options.requests - first.length), seed: options.seed });
  const report: Report = { requests: 0, statuses: {}, faults: [] };
  for (const plan of [...first, ...drawn]) {
    const attempt = attemptOf(plan, known, tokens);
    const answer = await send(attempt.call);
    known.learn(attempt.operation, attempt.call.url, answer);
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

/** Most calls are meant to succeed: three roles and a key with all that fits, and beside them what must be refused. */
const everybody: readonly Caller[] = ["admin", "user", "viewer", "key"];

/** Who may call it most of the time, and everybody now and then. */
function callersOf({ "x-permission": permission }: Operation): Caller[] {
  const allowed = everybody.filter((caller) => mayCall(caller, permission));
  return [...allowed, ...allowed, ...allowed, ...allowed, ...everybody];
}

function mayCall(caller: Caller, permission: Permission | undefined): boolean {
  if (caller === "key") return permission !== "administer";
  return permission === undefined || isPermitted(caller, permission);
}

function planOf(operation: Operation, resolve: Resolve): fc.Arbitrary<Plan> {
  const { path, parameters = [] } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === "path");
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const pathValues = fc.record(Object.fromEntries(names.map((name) => [name, pathValue(name, inPath, resolve)])));
  const inQuery = parameters.filter((parameter) => parameter.in === "query");
  const required = inQuery.filter((parameter) => parameter.required).map(({ name }) => name);
  const all = fc.record(Object.fromEntries(inQuery.map((parameter) => [parameter.name, queryValue(parameter, resolve)])), {
    requiredKeys: [...required, ...inQuery.map(({ name }) => name).filter((name) => places.includes(name))],
  });
  // Two values that hardly ever fit each other find nothing; most calls name few.
  const few = fc
    .tuple(all, fc.array(fc.nat({ max: 100 }), { minLength: inQuery.length, maxLength: inQuery.length }))
    .map(([values, picks]) =>
      Object.fromEntries(
        Object.entries(values).filter(
          ([name], index) => required.includes(name) || places.includes(name) || (picks[index] ?? 0) < (name === "cursor" ? 3 : 20),
        ),
      ),
    );
  const bodySchema = operation.requestBody?.content?.["application/json"]?.schema;
  const fitting = bodySchema ? valueOf(bodySchema, resolve) : fc.constant(undefined);
  const broken = bodySchema ? brokenOf(bodySchema, resolve) : null;
  const isOpen = operation.security?.length === 0;
  const fit = Array.from({ length: 16 }, () => "fitting" as const);
  const kinds: Kind[] = [...fit, ...(broken ? ["broken" as const] : []), ...(isOpen ? [] : ["anonymous" as const])];
  return fc.constantFrom(...kinds).chain((kind) =>
    fc
      .record({
        caller: fc.constantFrom(...callersOf(operation)),
        inPath: pathValues,
        query: fc.oneof({ weight: 9, arbitrary: few }, { weight: 1, arbitrary: all }),
        body: kind === "broken" && broken ? broken : fitting,
        draws: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { minLength: 8, maxLength: 8 }),
      })
      .map((drawn) => ({ ...drawn, operation, kind })),
  );
}

function attemptOf({ operation, kind, caller, inPath, query, body: planned, draws }: Plan, known: Known, tokens: Tokens): Attempt {
  const { method, path, operationId = "" } = operation;
  let drawn = 0;
  const draw = (): number => draws[(drawn += 1) % draws.length] ?? 0;
  const isOpen = operation.security?.length === 0;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    // Now and then it stays what was generated.
    const real = name in ids || draw() > 0.93 ? undefined : known.ofParameter(path, name, draw());
    return encodeURIComponent(wellFormed(String(real ?? inPath[name])));
  });
  const url =
    spared[operationId] === undefined
      ? filled
      : filled.replace(/\/(acme|shop)$/, spared[operationId]).replace("/shop/", `${spared[operationId]}/`);
  const body = kind === "broken" || draw() > 0.85 ? planned : known.fillIn(planned, path, draw);
  const asked = draw() > 0.85 ? query : known.fillIn(query, path, draw);
  return {
    operation,
    kind,
    caller,
    call: {
      method,
      url: `${url}${queryText(asked)}`,
      headers: {
        ...(kind === "anonymous" || isOpen ? {} : { authorization: `Bearer ${tokens[caller]}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    },
  };
}

function pathValue(name: string, parameters: Parameter[], resolve: Resolve): fc.Arbitrary<unknown> {
  const own = ids[name];
  if (own) return own;
  const schema = parameters.find((parameter) => parameter.name === name)?.schema;
  return schema ? fc.oneof({ weight: 3, arbitrary: anyId }, { weight: 1, arbitrary: valueOf(schema, resolve) }) : anyId;
}

function queryValue({ name, schema = {} }: Parameter, resolve: Resolve): fc.Arbitrary<unknown> {
  // A long poll would be a long fuzz.
  if (name === "wait") return fc.constantFrom(...Array.from({ length: 9 }, () => "0"), "x");
  if (name === "subtenant") return subtenants;
  const value = ids[`${name}Code`] ?? valueOf(schema, resolve);
  return fc.oneof({ weight: 14, arbitrary: value }, { weight: 1, arbitrary: fc.constantFrom("x", "", "-1", "\u0000", "1e99") });
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

/** A time with an offset, where it is all of a text: all that the API tells of itself end in Z. */
const otherTime = /"\d{4}-\d\d-\d\d[T ][\d:.]+[+-][\d:]+"/;

/** Null when the answer is one that was promised. */
function faultOf({ operation, kind, caller }: Attempt, { status, headers, body }: Answer): string | null {
  if (status >= 500 && !isPaused(status, body)) return `a fault of the server: ${status}`;
  if (kind === "anonymous" && status !== 401 && status !== 429) return `without a token answered ${status}`;
  const permission = operation["x-permission"];
  if (!mayCall(caller, permission) && operation.security?.length !== 0 && ![401, 403, 404, 429].includes(status))
    return `a ${caller} was answered ${status}`;
  if (kind === "broken" && status < 400) return `input that does not fit was taken: ${status}`;
  if (status < 400 && !operation.responses[status]) return `answered ${status}, which is not in the description`;
  const [time] = otherTime.exec(body) ?? [];
  if (time !== undefined) return `a time of another form: ${time}`;
  if (status < 400) return null;
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
