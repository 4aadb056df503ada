import { expect, test } from "vitest";
import { configurationPage } from "./config-page.ts";
import { readConfig } from "./config.ts";
import { settings } from "./settings.ts";

test("an empty environment is a valid configuration, on loopback", () => {
  const config = readConfig({});
  expect(config).toMatchObject({ port: 8080, host: "127.0.0.1", isDemo: true, retentionDays: 30, databaseUrl: null });
  expect([...config.roles]).toEqual(["api", "worker", "scheduler"]);
});

test("the demo's sandbox may be called by either name of this machine, and without the demo by none", () => {
  const sandbox = { CROSSDOCK_DEMO_PORT: "8142", CROSSDOCK_EGRESS_ALLOW: "erp.internal" };
  expect(readConfig(sandbox).egressAllow).toEqual(["erp.internal", "127.0.0.1:8142", "localhost:8142"]);
  expect(readConfig({ ...sandbox, CROSSDOCK_DEMO: "0" }).egressAllow).toEqual(["erp.internal"]);
});

test("every wrong setting is named with its value and the reason, all in one error", () => {
  const wrong = { CROSSDOCK_PORT: "eighty", CROSSDOCK_DEMO: "yes", CROSSDOCK_ROLES: "api,cook" };
  const read = () => readConfig(wrong);
  expect(read).toThrow("CROSSDOCK_PORT=eighty: must be a whole number from 0 to 65535");
  expect(read).toThrow("CROSSDOCK_DEMO=yes: must be 0 or 1");
  expect(read).toThrow("CROSSDOCK_ROLES=api,cook: must be a comma-separated choice of api, worker, scheduler");
});

test("a number out of its range is refused with the range", () => {
  expect(() => readConfig({ CROSSDOCK_PORT: "70000" })).toThrow("CROSSDOCK_PORT=70000: must be a whole number from 0 to 65535");
});

test("the error never shows a secret's value", () => {
  const wrong = { CROSSDOCK_SECRET: "hunter2", DATABASE_URL: "mysql://root:hunter2@db" };
  const read = () => readConfig(wrong);
  expect(read).toThrow("CROSSDOCK_SECRET: must have at least 32 characters");
  expect(read).not.toThrow("hunter2");
});

const written = (way: string) => () => readConfig({ DATABASE_URL: `postgres://me:${way}` });

test("a database's URL that the driver would read otherwise than it was meant is refused without being shown", () => {
  for (const way of [
    "hunter2@a:5432,b:5432/x",
    "hunter2@a,b/x",
    "hunter2@/x?host=/run/postgresql",
    "hunter2/#@a/x",
    "hunter2#@a/x",
    "hunter2",
  ]) {
    expect(written(way)).toThrow("DATABASE_URL: must be postgres://user:password@host:port/database, with one host;");
    expect(written(way)).not.toThrow("hunter2");
  }
  for (const way of ["hunter2@a/x?sslmode=verify-full", "h%2F%23%40@%2Frun%2Fpostgresql/x", "h@[::1]:5432/x"])
    expect(written(way)).not.toThrow();
});

test("the console's public address ends with its host, so that links and cookies fit it", () => {
  expect(readConfig({ CROSSDOCK_PUBLIC_URL: "https://Hub.example.com:443/" }).publicUrl).toBe("https://hub.example.com");
  for (const url of ["https://hub.example.com/console", "https://hub.example.com/?a=b", "https://hub.example.com/#a"])
    expect(() => readConfig({ CROSSDOCK_PUBLIC_URL: url })).toThrow(`CROSSDOCK_PUBLIC_URL=${url}: must be a host's address`);
  expect(() => readConfig({ CROSSDOCK_PUBLIC_URL: "hub.example.com" })).toThrow("must be an http or https URL");
});

test("a mail server's URL that no mail could go by is refused without being shown", () => {
  for (const url of ["smtp://", "mail.example.com", "smtps://u:hunter2%zz@mail.example.com", "smtp://u:hunter2@host:99999"]) {
    const read = () => readConfig({ SMTP_URL: url });
    expect(read).toThrow("SMTP_URL: must be smtp://host or smtps://user:password@host:port;");
    expect(read).not.toThrow("hunter2");
  }
  expect(readConfig({ SMTP_URL: "smtps://u%40x:a%2Fb@mail.example.com" }).smtpUrl).toBe("smtps://u%40x:a%2Fb@mail.example.com");
});

test("a misspelt setting stops the start", () => {
  expect(() => readConfig({ CROSSDOCK_PROT: "9000" })).toThrow("CROSSDOCK_PROT: there is no such setting");
});

test("what is set for the tests, the replay and the development of the console does not stop the start", () => {
  expect(() => readConfig({ CROSSDOCK_CHROMIUM: "a", CROSSDOCK_DATA: "b", CROSSDOCK_TOKEN: "c", CROSSDOCK_URL: "d" })).not.toThrow();
});

test("every setting has its row on the page", () => {
  const page = configurationPage();
  for (const name of Object.keys(settings)) expect(page).toContain(`| \`${name}\` |`);
});

test("hosts and networks that are none are refused with the rest, before anything is started", () => {
  const wrong = { CROSSDOCK_EGRESS_ALLOW: "10.0.0.0/99", CROSSDOCK_SERVICE_ALLOW: "a b", CROSSDOCK_TRUST_PROXY: "10.0.0.0/8,nonsense" };
  const read = () => readConfig(wrong);
  expect(read).toThrow("CROSSDOCK_EGRESS_ALLOW=10.0.0.0/99: '10.0.0.0/99' is neither a host, nor host:port, nor a network");
  expect(read).toThrow("CROSSDOCK_SERVICE_ALLOW=a b: 'a b' is neither a host, nor host:port, nor a network");
  expect(read).toThrow("CROSSDOCK_TRUST_PROXY=10.0.0.0/8,nonsense: must be addresses or networks, such as 10.0.0.0/8");
});
