import { connectors, type OutboundRequest } from "@crossdock/connectors";
import type { ConnectionTest, ConnectorCode } from "@crossdock/contract";
import { createAccessTokens } from "./access-tokens.ts";
import { recordAttempt, secretsOf } from "./recording.ts";
import { EgressError, type EgressFault } from "../egress/egress-error.ts";
import type { Egress } from "../egress/egress.ts";

type Configuration = { connector: ConnectorCode; settings: Record<string, unknown>; credentials: Record<string, unknown> };

/** Of an answer, so much is shown. */
const answerLengthMax = 2_000;

const faultResults: Partial<Record<EgressFault, ConnectionTest["result"]>> = {
  "address-refused": "address-refused",
  "invalid-request": "incomplete",
  "name-not-found": "name-not-found",
  "tls-failed": "tls-failed",
  timeout: "timeout",
};

/** Why nothing can be asked, by the error's class. The result says it all, in the reader's language. */
const unaskedResults: Partial<Record<string, ConnectionTest["result"]>> = { "not-supported": "untestable", "no-address": "no-address" };

/** Asks the system a question that changes nothing there, and says in what way it was answered. Secrets are in no part of the answer. */
export async function testConnection(egress: Egress, { connector, settings, credentials }: Configuration): Promise<ConnectionTest> {
  const nothing = { url: null, status: null, durationMs: 0, answer: null, fields: [] };
  const question = connectors[connector].probe?.({ settings, credentials });
  if (!question) return { ...nothing, result: "untestable", detail: null };
  if ("kind" in question) {
    const { error, fields = [] } = question;
    const result = unaskedResults[error.class];
    return result ? { ...nothing, result, detail: null } : { ...nothing, result: "incomplete", detail: error.message, fields };
  }
  const begun = performance.now();
  const secrets = secretsOf(credentials);
  const told = (request: OutboundRequest, response: Awaited<ReturnType<Egress["send"]>> | null, message: string | null) => {
    const error = message === null ? null : { class: "test", message };
    const kept = recordAttempt(performance.now() - begun, request, response, error, secrets);
    return {
      url: kept.request?.url ?? null,
      status: kept.response?.status ?? null,
      durationMs: kept.durationMs,
      answer: kept.response?.body?.slice(0, answerLengthMax) ?? null,
      detail: kept.error?.message ?? null,
      fields: [],
    };
  };
  try {
    const request = await withAccess(egress, question);
    if ("fault" in request) {
      const { verdict, response } = request.fault;
      const result = response === null ? "unreachable" : "credentials-refused";
      return { ...told(request.fault.request, response, verdict.error.message), result };
    }
    const response = await egress.send(request);
    const verdict = question.read?.(response) ?? connectors[connector].verdict({ entityType: "item", request: question, response });
    const isRefused = response.status === 401 || response.status === 403 || ("error" in verdict && verdict.error.class === "authorization");
    // What is no address of an interface answers 404, 405 or a page: the server is there, more is not known.
    const isThere = verdict.kind === "delivered" || (verdict.kind === "dead" && !isRefused);
    if (question.isVague === true && isThere) return { ...told(request, response, null), result: "answered" };
    if (!("error" in verdict)) return { ...told(request, response, null), result: "connected" };
    return { ...told(request, response, verdict.error.message), result: isRefused ? "credentials-refused" : "error-answer" };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return { ...told(question, null, error.message), result: faultResults[error.fault] ?? "unreachable" };
  }
}

type Fault = Extract<Awaited<ReturnType<ReturnType<typeof createAccessTokens>["get"]>>, { kind: "fault" }>;

/** The request with an access token where it wants one. The token is nobody else's: a test must not leave one behind for deliveries. */
async function withAccess(egress: Egress, request: OutboundRequest): Promise<OutboundRequest | { fault: Fault }> {
  if (!request.grant) return request;
  const answer = await createAccessTokens(egress).get({ tenantId: 0, id: 0 }, request.grant);
  if (answer.kind === "fault") return { fault: answer };
  const headers = { ...request.headers, authorization: `Bearer ${answer.token}` };
  return { ...request, headers, secretHeaders: [...request.secretHeaders, "authorization"] };
}
