import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { afterEach, expect, test } from "vitest";
import { installation } from "../api/change.ts";
import { inTenant } from "../db.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import { createMail } from "./mail.ts";

type Delivered = { from: string; to: string[]; user: string; data: string };

type Refusals = {
  /** Answers a recipient with an error instead of taking the mail. */
  refuse?: (address: string) => number | null;
  /** The same for the sender. */
  refuseSender?: () => number | null;
  password?: () => string;
};

const answer = (code: number | null): Error | null =>
  code === null ? null : Object.assign(new Error("refused here"), { responseCode: code });

/** A real mail server on loopback. */
async function startMailServer({ refuse = () => null, refuseSender = () => null, password: right = () => "mail secret" }: Refusals = {}) {
  const delivered: Delivered[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username = "", password }, _session, done) =>
      password === right() ? done(null, { user: username }) : done(new Error("wrong password")),
    onMailFrom: (_address, _session, done) => done(answer(refuseSender())),
    onRcptTo: ({ address }, _session, done) => done(answer(refuse(address))),
    onData: (stream, { envelope, user }, done) => {
      let data = "";
      stream.on("data", (chunk: Buffer) => (data += chunk.toString()));
      stream.on("end", () => {
        const from = envelope.mailFrom === false ? "" : envelope.mailFrom.address;
        delivered.push({ from, to: envelope.rcptTo.map(({ address }) => address), user: String(user), data });
        done();
      });
    },
  });
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  return {
    delivered,
    url: `smtp://crossdock:mail%20secret@127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(resolve)),
  };
}

let made: TestApp | undefined;
let server: Awaited<ReturnType<typeof startMailServer>> | undefined;
afterEach(async () => {
  await made?.close();
  await server?.close();
});

async function start(refusals?: Refusals): Promise<TestApp> {
  server = await startMailServer(refusals);
  made = await testApp({
    SMTP_URL: server.url,
    CROSSDOCK_SERVICE_ALLOW: new URL(server.url).host,
    CROSSDOCK_MAIL_FROM: "The hub <hub@example.com>",
  });
  return made;
}

const signUp = (app: TestApp, email: string, name = "Nora") =>
  app.app.inject({ method: "POST", url: "/api/v1/sign-up", payload: { name, email, password: "seventeen green lamps", locale: "fr" } });

const listMails = async (app: TestApp) =>
  (await app.call("admin", "GET", "/api/v1/mails")).json<{ isServerSet: boolean; items: Record<string, unknown>[] }>();

test("a mail goes through the mail server, and its code is with nobody else then", async () => {
  const app = await start();
  // A name of two lines, which could add a header to the mail, is not taken.
  expect((await signUp(app, "nora@example.com", "Nora\r\nBcc: victim@example.com")).statusCode).toBe(400);
  const asked = await signUp(app, "nora@example.com");
  await expect.poll(() => server?.delivered.length).toBe(1);
  const [mail] = server?.delivered ?? [];
  expect(mail).toMatchObject({ from: "hub@example.com", to: ["nora@example.com"], user: "crossdock" });
  expect(mail?.data).toContain("From: The hub <hub@example.com>");
  const code = /Subject:.*?(\d{6})/s.exec(mail?.data ?? "")?.[1] ?? "";
  await expect.poll(async () => (await listMails(app)).items[0]?.["sentAt"]).toEqual(expect.any(String));
  const listed = await listMails(app);
  expect(listed.isServerSet).toBe(true);
  expect(JSON.stringify(listed)).not.toContain(code);
  const { rows } = await app.pool("owner", 1).query("select sealed from hub.mail");
  expect(rows).toEqual([{ sealed: null }]);
  const { attemptId } = asked.json<{ attemptId: string }>();
  const confirmed = await app.app.inject({ method: "POST", url: "/api/v1/sign-up/confirmation", payload: { attemptId, code } });
  expect(confirmed.statusCode).toBe(204);
});

test("a mail that waits as the server stops is left as it was, for whoever starts next", async () => {
  let stopped: Promise<void> | undefined;
  const app = await start({
    refuse: () => {
      stopped ??= app.parts.mail.stop();
      return null;
    },
  });
  await inTenant(app.deps.pools.app, installation, async (client) => {
    for (const recipient of ["first@example.com", "second@example.com"])
      await app.parts.mail.write(client, { recipient, locale: "en", kind: "password-changed" });
  });
  app.parts.mail.wake();
  await expect.poll(() => stopped !== undefined).toBe(true);
  await stopped;
  const { rows } = await app.pool("owner", 1).query("select attempts, sent_at is not null as sent from hub.mail order by attempts");
  expect(rows).toEqual([
    { attempts: 0, sent: false },
    { attempts: 1, sent: true },
  ]);
});

test("a mail that the server won't take now is tried again, one that it never will isn't", async () => {
  let isBusy = true;
  const app = await start({ refuse: (address) => (address.startsWith("never") ? 550 : isBusy ? 451 : null) });
  await signUp(app, "later@example.com");
  await signUp(app, "never@example.com");
  const failures = async () => Object.fromEntries((await listMails(app)).items.map((mail) => [mail["recipient"], mail["failure"]]));
  await expect.poll(failures).toEqual({
    "later@example.com": expect.stringContaining("451"),
    "never@example.com": expect.stringContaining("550"),
  });
  isBusy = false;
  // As if the wait were over, for both.
  await app.pool("owner", 1).query("update hub.mail set next_attempt_at = now()");
  await signUp(app, "third@example.com");
  await expect.poll(() => server?.delivered.flatMap(({ to }) => to).toSorted()).toEqual(["later@example.com", "third@example.com"]);
  await expect.poll(failures).toEqual({
    "later@example.com": null,
    "third@example.com": null,
    "never@example.com": expect.stringContaining("550"),
  });
});

test("a mail server that goes on answering keeps neither other mails waiting nor the server from stopping", async () => {
  const app = (made = await testApp());
  let connections = 0;
  const endless = createServer((socket) => {
    connections += 1;
    socket.on("error", () => undefined).write("220 ready\r\n");
    socket.once("data", () => {
      const more = setInterval(() => socket.write("250-MORE\r\n"), 20);
      socket.once("close", () => clearInterval(more));
    });
  }).listen(0, "127.0.0.1");
  await once(endless, "listening");
  const { port } = endless.address() as AddressInfo;
  const config = { ...app.deps.config, smtpUrl: `smtp://127.0.0.1:${port}`, serviceAllow: [`127.0.0.1:${port}`] };
  const mail = createMail({ ...app.deps, config }, 200);
  await inTenant(app.deps.pools.app, installation, async (client) => {
    for (const recipient of ["first@example.com", "second@example.com"])
      await mail.write(client, { recipient, locale: "en", kind: "password-changed" });
  });
  mail.wake();
  await expect.poll(async () => (await listMails(app)).items.map(({ failure }) => failure)).toEqual(["ESOCKET", "ESOCKET"]);
  expect(connections).toBe(2);
  await mail.stop();
  endless.close();
});

test.each([
  {
    what: "its password",
    code: "535",
    refusals: (isWrong: () => boolean) => ({ password: () => (isWrong() ? "another" : "mail secret") }),
  },
  { what: "its sender", code: "553", refusals: (isWrong: () => boolean) => ({ refuseSender: () => (isWrong() ? 553 : null) }) },
])("no mail is given up while the mail server refuses the hub for $what", async ({ code, refusals }) => {
  let isWrong = true;
  const app = await start(refusals(() => isWrong));
  await signUp(app, "nora@example.com");
  await expect.poll(async () => (await listMails(app)).items[0]?.["failure"]).toEqual(expect.stringContaining(code));
  isWrong = false;
  // As if the wait were over.
  await app.pool("owner", 1).query("update hub.mail set next_attempt_at = now()");
  app.parts.mail.wake();
  await expect.poll(() => server?.delivered.flatMap(({ to }) => to)).toEqual(["nora@example.com"]);
});

test("a mail that was sealed with a secret of before is listed without its text", async () => {
  const app = (made = await testApp());
  await signUp(app, "nora@example.com");
  await app.pool("owner", 1).query("update hub.mail set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1)");
  expect(await listMails(app)).toMatchObject({ isServerSet: false, items: [{ recipient: "nora@example.com", text: null }] });
});
