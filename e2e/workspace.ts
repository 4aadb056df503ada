import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { admin } from "./crossdock.ts";

/** A system to deliver to. */
export type Target = {
  url: string;
  hostAndPort: string;
  /** Whether a target that judges by itself refuses keys that start with BROKEN. It does at first. */
  setPicky: (isPicky: boolean) => void;
  /** Whether something that holds the text was taken. */
  hasTaken: (text: string) => boolean;
  /** Bodies, in the order in which they were taken. */
  taken: readonly string[];
  close: () => void;
};

/** What a body is answered with. */
export type Judge = (body: string) => 200 | 422 | 503;

/** Takes everything, unless a judge of the test's own, or being picky, forbids it. */
export async function startTarget(judge?: Judge): Promise<Target> {
  let isPicky = true;
  const judgeItself: Judge = (body) => (isPicky && body.includes("BROKEN") ? 422 : 200);
  const taken: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const status = (judge ?? judgeItself)(body);
      if (status === 200) taken.push(body);
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(status === 200 ? { id: "1" } : { error: "colour is not known" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    hostAndPort: `127.0.0.1:${port}`,
    setPicky: (next) => {
      isPicky = next;
    },
    taken,
    hasTaken: (text) => taken.some((body) => body.includes(text)),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type Workspace = {
  pushItems: (...skus: string[]) => Promise<void>;
  /** Hands in any document, a text as XML, whether it can be translated or not; it is kept in either case. */
  pushRaw: (document: object | string) => Promise<void>;
  /** As a program that hands in what a colleague wrote. */
  leaveNote: (messageId: string, note: { text: string; authorName: string }) => Promise<void>;
  announce: (text: string) => Promise<void>;
  /** As the admin, past the console. */
  post: (path: string, body: object) => Promise<void>;
};

/** Tenant 'acme' with one shop: items come in from its ERP and go out to the target. Made through the public API, like any client would. */
export async function createWorkspace(url: string, target: Target): Promise<Workspace> {
  const { access_token: token } = await post(`${url}/api/v1/session`, {}, admin);
  const api = `${url}/api/v1/tenants`;
  const authorised = { authorization: `Bearer ${token}` };
  await post(api, authorised, { code: "acme", name: "Acme" });
  await post(`${api}/acme/subtenants`, authorised, { code: "main", name: "Main shop" });
  const point = { subtenantCode: "main" };
  await post(`${api}/acme/integration-points`, authorised, {
    ...point,
    connector: "litium",
    code: "erp",
    name: "The ERP",
    sourceTypes: ["item"],
  });
  await post(`${api}/acme/integration-points`, authorised, {
    ...point,
    connector: "magento",
    code: "shop",
    name: "The shop",
    targetTypes: ["item"],
    settings: { url: target.url },
    retry: { maxAttempts: 3, baseDelayMs: 100, maxDelayMs: 1000 },
  });
  const { key } = await post(`${api}/acme/api-keys`, authorised, { name: "journeys" });

  const desk = await post(`${api}/acme/api-keys`, authorised, { name: "Service desk", role: "user" });

  return {
    async post(path, body) {
      await post(url + path, authorised, body);
    },
    async leaveNote(messageId, note) {
      await post(`${api}/acme/messages/${messageId}/notes`, { "x-api-key": desk.key }, note);
    },
    async announce(text) {
      await post(`${url}/api/v1/announcements`, authorised, { text });
    },
    async pushRaw(document) {
      await fetch(`${url}/litium/v1/items?subtenant=main&integrationPoint=erp`, {
        method: "POST",
        headers: { "content-type": typeof document === "string" ? "application/xml" : "application/json", "x-api-key": key },
        body: typeof document === "string" ? document : JSON.stringify(document),
      });
    },
    async pushItems(...skus) {
      for (const sku of skus) {
        const item = { schemaVersion: 1, sku, name: `Article ${sku}` };
        await post(`${url}/litium/v1/items?subtenant=main&integrationPoint=erp`, { "x-api-key": key }, item);
      }
    },
  };
}

/** A tenant with nothing in it. */
export async function createTenant(url: string, tenant: { code: string; name: string }): Promise<void> {
  const { access_token: token } = await post(`${url}/api/v1/session`, {}, admin);
  await post(`${url}/api/v1/tenants`, { authorization: `Bearer ${token}` }, tenant);
}

type Answer = { access_token: string; key: string };

async function post(url: string, headers: Record<string, string>, body: object): Promise<Answer> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${url}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
}
