import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { startTestProvider, testClient, type TestProvider } from "@crossdock/sandbox/sign-in-provider";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { inspectAccess } from "./axe.ts";
import { desktop, openView } from "./browser.ts";
import { admin } from "./crossdock.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let provider: TestProvider;
let page: Page;

beforeAll(async () => {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  provider = await startTestProvider(`${url}/redirect`);
  const company = {
    ...testClient,
    id: "company",
    name: "Company",
    issuer: provider.issuer,
    groups: { ops: { role: "user", tenants: ["acme"] } },
  };
  stage = await openStage({
    CROSSDOCK_PORT: String(port),
    CROSSDOCK_PUBLIC_URL: url,
    CROSSDOCK_SERVICE_ALLOW: new URL(provider.issuer).host,
    CROSSDOCK_OIDC: JSON.stringify([company]),
  });
});
afterAll(async () => {
  await stage?.close();
  await provider?.close();
});

/** The provider has to know beforehand where the console will be. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "localhost");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
beforeEach(async () => {
  page = await (await openView(stage.browser, stage.url, desktop)).newPage();
});
afterEach(() => page.context().close());

/** The code of the newest mail to an address, as an admin finds it in the outbox of an installation without a mail server. */
async function mailedCode(email: string): Promise<string> {
  const session = await fetch(`${stage.url}/api/v1/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(admin),
  });
  const { access_token: token } = (await session.json()) as { access_token: string };
  const mails = await fetch(`${stage.url}/api/v1/mails`, { headers: { authorization: `Bearer ${token}` } });
  const { items } = (await mails.json()) as { items: { recipient: string; text: string }[] };
  return /\d{6}/.exec(items.find(({ recipient }) => recipient === email)?.text ?? "")?.[0] ?? "none";
}

const password = "seventeen green lamps";
const submit = (name: string) => page.getByRole("button", { name, exact: true }).click();
const says = (text: string) => page.getByText(text, { exact: true }).waitFor();

test("somebody signs up, confirms by the code and gets to the first screen", async () => {
  await page.goto("/signin");
  await page.getByRole("link", { name: "No account yet? Sign up" }).click();
  await page.waitForURL("**/signup");
  await submit("Sign up");
  for (const text of ["Name required", "Email required", "Password required", "Retype password required"]) await says(text);
  await expect.poll(() => page.getByLabel("Name").evaluate((field) => field === document.activeElement)).toBe(true);
  expect(await inspectAccess(page)).toEqual([]);

  await page.getByLabel("Name").fill("Nora");
  await page.getByLabel("Email").fill("nora@example.com");
  await page.getByLabel("Password", { exact: true }).fill("password1234");
  await page.getByLabel("Retype password").fill("password123");
  await submit("Sign up");
  await says("Passwords mismatch");
  await page.getByLabel("Retype password").fill("password1234");
  await page.getByLabel("I have read the terms").check();
  await submit("Sign up");
  await says("This password is too common and easy to guess. Choose another.");
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByLabel("Retype password").fill(password);
  await submit("Sign up");

  await page.waitForURL("**/confirm-signup");
  await says("A code has been sent to your registered email address, enter the code to complete the sign-up process!");
  await page.getByLabel("Code of six digits").fill("12345");
  await submit("Confirm");
  await says("PIN must be 6 digits");
  const code = await mailedCode("nora@example.com");
  await page.getByLabel("Code of six digits").fill(code === "000000" ? "000001" : "000000");
  await submit("Confirm");
  await says("This code is wrong. Please try again");
  // As it is copied from a mail.
  await page.getByLabel("Code of six digits").fill(` ${code.slice(0, 3)} ${code.slice(3)} `);
  await submit("Confirm");

  await page.waitForURL("**/signin");
  await says("Congratulations, the sign-up process is complete, you can now sign in by entering correct credentials!");
  await page.getByLabel("Email").fill("nora@example.com");
  await page.getByLabel("Password").fill(password);
  await submit("Sign in");
  await page.waitForURL("**/tenant-list");
  await page.getByRole("heading", { name: "Tenants" }).waitFor();
});

test("somebody who has forgotten their password sets a new one by the code, and is told so once", async () => {
  await page.goto("/signin");
  await page.getByRole("link", { name: "Forgotten your password?" }).click();
  await page.getByRole("heading", { name: "Forgotten password" }).waitFor();
  await page.getByLabel("Email").fill("nora@example.com");
  // Without a mail server.
  await page.getByText("then ask an admin for it").waitFor();
  await submit("Make a code");
  await page.waitForURL("**/reset-password");
  await page.getByText("Ask an admin for the code: if nora@example.com has a password here").waitFor();
  await page.getByLabel("Code of six digits").fill(await mailedCode("nora@example.com"));
  await page.getByLabel("New password", { exact: true }).fill("another green lamp");
  await page.getByLabel("Retype password").fill("another green lamp");
  await submit("Set the password");
  await page.waitForURL("**/signin");
  await says("The new password has been successfully set");
  await page.getByLabel("Email").fill("nora@example.com");
  await page.getByLabel("Password").fill("another green lamp");
  await submit("Sign in");
  await page.waitForURL("**/tenant-list");

  await page.getByRole("button", { name: "Account of Nora" }).click();
  await page.getByRole("button", { name: "Logout" }).click();
  await page.waitForURL("**/signin");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await page.getByText("The new password has been successfully set").count()).toBe(0);
});

test("a code is asked for where it can be entered, and nowhere else", async () => {
  await page.goto("/confirm-signup");
  await page.getByText("Enter the code in the tab in which you signed up.").waitFor();
  await page.getByRole("link", { name: "No mail? Sign up again" }).click();
  await page.waitForURL("**/signup");
  const terms = page.context().waitForEvent("page");
  await page.getByRole("link", { name: "Read the terms" }).click();
  await (await terms).getByRole("heading", { name: "Terms of use" }).waitFor();
});

test("somebody signs in at another provider and gets to where they wanted, with what their groups give them", async () => {
  provider.signInAs(null);
  // The question which ways in there are gets no answer at first.
  await page.route("**/sign-in-options", (route) => route.abort("connectionreset"), { times: 1 });
  await page.goto("/subtenant-list");
  await page.waitForURL("**/signin");
  await submit("Sign in with Company");
  await says("The sign-in at the provider did not succeed. Try again, or ask an administrator.");
  await page.getByRole("link", { name: "Back to the sign-in" }).click();

  provider.signInAs({ sub: "olga", name: "Olga", email: "olga@example.com", email_verified: true, groups: ["ops"] });
  await submit("Sign in with Company");
  await page.waitForURL("**/subtenant-list");
  await page.getByRole("navigation").getByRole("link", { name: "Tenants", exact: true }).click();
  await page.getByRole("button", { name: "Acme", exact: true }).waitFor();
  await page.getByText("User", { exact: true }).first().waitFor();
});

test("who turns back from a provider may leave for it once more", async () => {
  await page.goto("/signin");
  const leave = page.getByRole("button", { name: "Sign in with Company", exact: true });
  await leave.waitFor();
  // This way leads nowhere.
  await page.route("**/session/providers/company", (route) => route.fulfill({ json: { url: "#" } }));
  await leave.click();
  await expect.poll(() => leave.getAttribute("aria-busy")).toBe("true");
  // Safari, and others too, show a page on the way back as it was left.
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  await expect.poll(() => leave.getAttribute("aria-busy")).toBeNull();
});

test("an admin of an installation without a mail server finds the mails", async () => {
  const desk = await stage.open({ at: "/users" });
  await desk.getByRole("link", { name: "Mails", exact: true }).click();
  await desk.getByRole("link", { name: "Your Crossdock password was changed" }).first().click();
  await desk.getByRole("dialog").getByText("Your password was set anew just now").waitFor();
  await desk.context().close();
});
