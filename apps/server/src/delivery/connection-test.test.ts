import { type IncomingMessage, type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllowList } from "../egress/addresses.ts";
import { type Egress, createEgress } from "../egress/egress.ts";
import { testConnection } from "./connection-test.ts";

const soapFault =
  '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><faultcode>s:Server</faultcode><faultstring>Invalid API key</faultstring></s:Fault></s:Body></s:Envelope>';

/** A system of somebody's own: `/ping` wants the token, `/busy` is down, `/soap` knows no key, all else is unknown. */
let server: Server;
let egress: Egress;
let url: string;
const asked: Pick<IncomingMessage, "method" | "url">[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push({ method: request.method, url: request.url });
    const isKnown = request.headers.authorization === "Bearer s3cret";
    const path = request.url ?? "";
    const isSoap = path.startsWith("/soap");
    response.statusCode = isSoap ? 500 : path.startsWith("/busy") ? 503 : isKnown ? (path.startsWith("/api/ping") ? 200 : 404) : 401;
    response.end(isSoap ? soapFault : "an answer");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  url = `http://127.0.0.1:${port}`;
  egress = createEgress({ allow: parseAllowList([`127.0.0.1:${port}`]) });
});
afterAll(async () => {
  await egress.close();
  await new Promise((resolve) => server.close(resolve));
});

const ask = (settings: object, token = "s3cret") =>
  testConnection(egress, { connector: "wgr", settings: { url: `${url}/api`, auth: "bearer", ...settings }, credentials: { token } });

test("a generic target with a test path is connected when that is answered, by the method of the settings", async () => {
  expect(await ask({ testPath: "/ping?deep=1" })).toMatchObject({ result: "connected", status: 200, url: `${url}/api/ping?deep=1` });
  expect(asked.at(-1)).toEqual({ method: "GET", url: "/api/ping?deep=1" });
  expect(await ask({ testPath: "ping", testMethod: "HEAD" })).toMatchObject({ result: "connected", answer: "" });
  expect(asked.at(-1)).toMatchObject({ method: "HEAD" });
  expect(await ask({ testPath: "/pong" })).toMatchObject({ result: "error-answer", status: 404 });
});

test("without one an answer of its address is told as no more than that", async () => {
  expect(await ask({})).toMatchObject({ result: "answered", status: 404, detail: null });
  expect(asked.at(-1)).toEqual({ method: "GET", url: "/api" });
  expect(await ask({ url: `${url}/api/ping` })).toMatchObject({ result: "answered", status: 200 });
  expect(await ask({ url: `${url}/busy` })).toMatchObject({ result: "error-answer", status: 503 });
});

test.each([
  { connector: "wgr", settings: { auth: "basic" }, credentials: { username: "hub" }, fields: ["password"] },
  { connector: "wgr", settings: { auth: "oauth2-client-credentials" }, credentials: {}, fields: ["clientId", "clientSecret"] },
  {
    connector: "wgr",
    settings: { auth: "oauth2-client-credentials" },
    credentials: { clientId: "a", clientSecret: "b" },
    fields: ["tokenUrl"],
  },
  { connector: "magento", settings: { storeCode: "all" }, credentials: {}, fields: ["accessToken"] },
  { connector: "magento", settings: { storeCode: "all" }, credentials: { username: "hub" }, fields: ["password"] },
  { connector: "shopify", settings: {}, credentials: {}, fields: ["accessToken"] },
  { connector: "jetshop", settings: {}, credentials: {}, fields: ["shopId"] },
] as const)("$connector with $credentials says by name that $fields is missing", async ({ connector, settings, credentials, fields }) => {
  const addresses = connector === "wgr" ? { url } : connector === "shopify" ? { shopUrl: url } : { baseUrl: url };
  const test = await testConnection(egress, { connector, settings: { ...addresses, ...settings }, credentials });
  expect(test).toMatchObject({ result: "incomplete", url: null, fields });
});

test("refused and missing credentials are told in either case, and are in no answer", async () => {
  for (const settings of [{}, { testPath: "/ping" }]) {
    const refused = await ask(settings, "wr0ng");
    expect(refused).toMatchObject({ result: "credentials-refused", status: 401 });
    expect(JSON.stringify(refused)).not.toContain("wr0ng");
  }
  const soap = { connector: "colect", settings: { baseUrl: `${url}/soap` }, credentials: { apiKey: "wr0ng" } } as const;
  expect(await testConnection(egress, soap)).toMatchObject({ result: "credentials-refused", status: 500, detail: "Invalid API key" });
  const configuration = { connector: "wgr", settings: { url, auth: "bearer" }, credentials: {} } as const;
  expect(await testConnection(egress, configuration)).toMatchObject({ result: "incomplete", fields: ["token"] });
  expect(await testConnection(egress, { ...configuration, settings: {} })).toMatchObject({ result: "no-address", detail: null });
});
