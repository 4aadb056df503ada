import { expect, test } from "vitest";
import type { OutboundRequest } from "@crossdock/connectors";
import { recordAttempt, secretsOf } from "./recording.ts";

const request: OutboundRequest = {
  method: "POST",
  url: "https://shop.example/items?token=s3cret-token",
  headers: { authorization: "Basic abc", "x-own-key": "k", "content-type": "application/json" },
  body: '{"note":"s3cret-token"}',
  secretHeaders: ["x-own-key"],
};
const secrets = secretsOf({ token: "s3cret-token", short: "abc", list: ["x"] });

test("credentials are masked wherever they appear, as are the headers that carry them", () => {
  const response = { status: 401, headers: { "set-cookie": "session=1", server: "x" }, body: "bad token s3cret-token" };
  const attempt = recordAttempt(12.6, request, response, { class: "http-401", message: "refused s3cret-token" }, secrets);
  expect(attempt.request).toEqual({
    method: "POST",
    url: "https://shop.example/items?token=•••",
    headers: { authorization: "•••", "x-own-key": "•••", "content-type": "application/json" },
    body: '{"note":"•••"}',
  });
  expect(attempt.response).toEqual({ status: 401, headers: { "set-cookie": "•••", server: "x" }, body: "bad token •••" });
  expect(attempt.error?.message).toBe("refused •••");
  expect(attempt.durationMs).toBe(13);
  expect(JSON.stringify(attempt)).not.toContain("s3cret");
});

test.each([
  ["XML", "<apiKey>p&amp;ss &lt;w&quot;rd&gt;</apiKey>", "<apiKey>•••</apiKey>"],
  ["JSON", String.raw`{"key":"p&ss <w\"rd>"}`, '{"key":"•••"}'],
  ["a form", "key=p%26ss+%3Cw%22rd%3E", "key=•••"],
])("a credential is masked as %s writes it", (_, body, kept) => {
  expect(recordAttempt(1, { ...request, body }, null, null, secretsOf({ apiKey: 'p&ss <w"rd>' })).request?.body).toBe(kept);
});

test("of a credential that begins as another one does, nothing is left", () => {
  const both = secretsOf({ user: "s3cret", password: "s3cret-and-more" });
  const response = { status: 401, headers: {}, body: "no s3cret-and-more" };
  expect(recordAttempt(1, request, response, null, both).response?.body).toBe("no •••");
});

test("a secret header's value is masked wherever the target repeats it, with and without its scheme", () => {
  const sent = { ...request, headers: { ...request.headers, authorization: "Bearer fetched-token" }, secretHeaders: ["authorization"] };
  const response = { status: 401, headers: {}, body: "no such token: fetched-token" };
  expect(recordAttempt(1, sent, response, null, []).response?.body).toBe("no such token: •••");
});

test("an answer that is itself a secret is not kept", () => {
  const response = { status: 200, headers: {}, body: '{"access_token":"t"}' };
  expect(recordAttempt(1, { ...request, hasSecretAnswer: true }, response, null, []).response?.body).toBe("•••");
});

test("bodies are cut at 64 kB, between characters, and say how long they were", () => {
  const body = "å".repeat(50_000);
  const kept = recordAttempt(1, { ...request, body }, { status: 200, headers: {}, body: "x".repeat(65_536) }, null, []);
  expect(kept.request?.body).toBe(`${"å".repeat(32_768)}… (100000 bytes)`);
  expect(kept.response?.body).toBe("x".repeat(65_536));
});

test("what PostgreSQL cannot keep is replaced", () => {
  const kept = recordAttempt(1, request, { status: 200, headers: { "x-odd": "a\0" }, body: "a\0b\ud800" }, null, []);
  expect(kept.response).toEqual({ status: 200, headers: { "x-odd": "a\ufffd" }, body: "a\ufffdb\ufffd" });
});

test("an error that is cut within a character can be kept", () => {
  const message = `${"x".repeat(1_999)}😀`;
  expect(recordAttempt(1, request, null, { class: "timeout", message }, []).error?.message).toBe(`${"x".repeat(1_999)}\ufffd`);
});
