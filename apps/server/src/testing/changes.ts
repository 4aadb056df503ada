import { routes, type RouteDefinition } from "@crossdock/contract";
import type { LightMyRequestResponse } from "fastify";
import type pg from "pg";
import { plantAlert } from "../alerts/testing.ts";
import { callsOf, newSource, sessions, type Answers, type Call, type Calls, type Subjects } from "./change-calls.ts";
import { fillQueues } from "./queues.ts";
import { testApp, type TestAccounts, type TestApp } from "./test-app.ts";

export type Ask = (name: string, account: keyof TestAccounts, call: Call) => Promise<LightMyRequestResponse>;

/** An application on a fresh database, and a valid call of every route that changes something. */
export type Changes = {
  made: TestApp;
  owner: pg.Pool;
  /** In this order: what is restored must have been removed. Each is called as an admin. */
  calls: Calls;
  answers: Answers;
  ask: Ask;
  /** Makes what the call of this name needs and none before it has made. */
  prepare: (name: string, ask?: Ask) => Promise<void>;
  /** To be called with each call's answer. */
  keep: (name: string, answer: LightMyRequestResponse) => Promise<void>;
};

export function routeOf(name: string): RouteDefinition {
  const route = Object.entries(routes).find(([key]) => key === name)?.[1];
  if (!route) throw new Error(`the contract has no route ${name}`);
  return route;
}

export async function stageChanges(): Promise<Changes> {
  const made = await testApp();
  const owner = made.pool("owner", 2);
  const answers: Answers = {};
  const idOf = (name: string): number => Number(answers[name]?.id);
  const ask = askIn(made);
  const calls = callsOf({ ...(await plantSubjects(made, owner)), answers, idOf });
  const preparations = preparationsOf(owner, answers, idOf);
  return {
    made,
    owner,
    calls,
    answers,
    ask,
    prepare: async (name, askFor = ask) => {
      await preparations[name]?.(askFor);
    },
    keep: async (name, answer) => {
      // It has ended all the others.
      if (name === "changePassword") await openSession(owner, sessions.ofAdmin, 1);
      if (answer.body !== "") answers[name] = answer.json();
    },
  };
}

function askIn(made: TestApp): Ask {
  return (name, account, call) => {
    const { method, path } = routeOf(name);
    const params: Record<string, string | number> = { tenantCode: call.tenant ?? "acme", ...call.params };
    return made.call(
      account,
      method,
      path.replace(/:(\w+)/g, (_, param: string) => String(params[param])),
      call.body,
    );
  };
}

/** What the calls are about, but for what they make themselves. */
async function plantSubjects(made: TestApp, owner: pg.Pool): Promise<Omit<Subjects, "answers" | "idOf">> {
  await made.call("admin", "PATCH", "/api/v1/tenants/acme/subtenants/shop/switches", { debugMode: true });
  const ids = await fillQueues(made, "acme");
  const groups = await made.call("admin", "GET", "/api/v1/tenants/acme/dead-letter-groups");
  const fingerprint = groups.json<{ items: { fingerprint: string }[] }>().items[0]?.fingerprint ?? "";
  for (const payload of [{ schemaVersion: 1, sku: "probe-1", name: "Probe" }, { sku: "a-1" }]) {
    await made.call("user", "POST", "/centra/v1/items?tenant=acme&subtenant=shop", payload);
  }
  const received = await made.call("admin", "GET", "/api/v1/tenants/acme/external-messages");
  const rejectedId = received.json<{ items: { id: string }[] }>().items[0]?.id ?? "";
  await openSession(owner, sessions.ofUser, 2);
  const [ofAcme, ofInstallation] = [await plantAlert(owner, 1001), await plantAlert(owner, 0)];
  const alerts = { acme: ofAcme.alertId, installation: ofInstallation.alertId, installationRule: ofInstallation.ruleId };
  return { ids, fingerprint, rejectedId, alerts };
}

function preparationsOf(owner: pg.Pool, answers: Answers, idOf: Subjects["idOf"]): Record<string, (askFor: Ask) => Promise<unknown>> {
  return {
    // Removed by the call before.
    requeueDeadLetters: (askFor) => askFor("restoreMessages", "admin", { body: { ids: answers["removeDeadLetters"]?.["ids"] } }),
    startJob: async (askFor) => {
      answers.createJob = (await askFor("createJob", "admin", { body: { kind: "remove", selection: { filter: {} } } })).json();
    },
    createSchedule: async (askFor) => {
      answers.source = (await askFor("createIntegrationPoint", "admin", { body: newSource })).json();
    },
    startImport: (askFor) =>
      askFor("putImportPart", "admin", { params: { runId: idOf("createImport"), number: 1 }, body: { text: "orderNumber" } }),
    revokeInvitation: async (askFor) => {
      answers.taken = (await askFor("inviteUser", "admin", { body: { email: "taken@example.com" } })).json();
    },
    fixDifferences: () => endReconciliation(owner, idOf("createRun")),
    // As if its runner had done one of them.
    undoJob: () => owner.query("update hub.job set done = 1 where id = $1", [idOf("createJob")]),
  };
}

async function openSession(owner: pg.Pool, id: string, userId: number): Promise<void> {
  const sql =
    "insert into hub.session (id, user_id, is_remembered, expires_at, ends_at) values ($1, $2, false, now() + interval '1 hour', now() + interval '1 day')";
  await owner.query(sql, [id, userId]);
}

/** As if its worker had found a difference. */
async function endReconciliation(owner: pg.Pool, id: number): Promise<void> {
  await owner.query("update hub.run set kind = 'reconciliation', state = 'done', finished_at = now() where id = $1", [id]);
  await owner.query(
    "insert into hub.run_difference (tenant_id, run_id, business_key, kind) select tenant_id, id, 'a-1', 'missing' from hub.run where id = $1",
    [id],
  );
}
