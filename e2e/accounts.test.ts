import type { Page, Route } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { desktop, openView, settle } from "./browser.ts";
import { openStage, type Stage } from "./stage.ts";

let stage: Stage;
let page: Page;
let guest: Page;
const password = "a password of the guest";

beforeAll(async () => {
  stage = await openStage();
  page = await stage.open();
  guest = await (await openView(stage.browser, stage.url, desktop)).newPage();
});

afterAll(() => stage?.close());

test("an invited person follows the link, chooses a password and sees the tenant granted", async () => {
  await page.goto("/users");
  await page.getByRole("link", { name: "admin@crossdock.local" }).waitFor();
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill("nora@example.com");
  await dialog.getByLabel("Name").fill("Nora");
  await dialog.getByRole("radio", { name: "User Also retries, repairs" }).check();
  const seesNothing = dialog.getByText("Without a tenant, this person sees nothing.");
  // Whoever is invited is most often invited to where one stands.
  const acme = dialog.getByRole("checkbox", { name: "Acme" });
  expect(await acme.isChecked()).toBe(true);
  await acme.uncheck();
  await seesNothing.waitFor();
  await acme.check();
  await seesNothing.waitFor({ state: "detached" });
  await dialog.getByRole("button", { name: "Invite" }).click();
  const link = await page.getByLabel("Link of the invitation").inputValue();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByRole("grid").getByText("Invited", { exact: true }).waitFor();

  // The first answer breaks off.
  await guest.route("**/invitation/person", (route) => route.fulfill({ contentType: "application/json", body: "{" }), { times: 1 });
  await guest.goto(link);
  await guest.getByRole("textbox", { name: "Email" }).waitFor();
  await expect.poll(() => guest.getByLabel("Name").inputValue()).toBe("Nora");
  await guest.getByLabel("New password").fill(password);
  await guest.getByLabel("Retype password").fill("another");
  await guest.getByRole("button", { name: "Set password and sign in" }).click();
  await guest.getByText("Passwords mismatch").waitFor();
  await guest.locator("[aria-invalid=true]:focus").and(guest.getByLabel("Retype password")).waitFor();
  await guest.getByLabel("Retype password").fill(password);
  await guest.getByRole("button", { name: "Set password and sign in" }).click();
  await guest.waitForURL("**/tenant-list");
  // The only tenant granted is active without being chosen.
  await guest.locator("aside").getByText("Acme", { exact: true }).waitFor();
});

test("an invitation in the guest's language lies in the outbox, leads to a page in it, and is taken back from the person's panel", async () => {
  await page.getByRole("button", { name: "Invite" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Email").fill("wrong@example.com");
  await dialog.getByLabel("Language").selectOption("fr");
  await dialog.getByRole("button", { name: "Invite" }).click();
  await dialog.getByText("No mail server is set up").waitFor();
  const elsewhere = await stage.browser.newPage({ baseURL: stage.url });
  await elsewhere.goto(await dialog.getByLabel("Link of the invitation").inputValue());
  await elsewhere.getByRole("heading", { name: "Bienvenue" }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await page.getByRole("link", { name: "wrong@example.com" }).click();
  const panel = page.getByRole("dialog", { name: "wrong@example.com" });
  const held = Promise.withResolvers<Route>();
  await page.route("**/invitation", held.resolve, { times: 1 });
  await panel.getByRole("button", { name: "New link" }).click();
  const route = await held.promise;
  await settle(page);
  // What is shown this once is awaited, whatever is pressed meanwhile.
  await page.keyboard.press("Escape");
  await route.continue();
  const another = await page.getByLabel("Link of the invitation").inputValue();
  const over = elsewhere.getByText("Cette invitation a servi");
  await elsewhere.reload();
  await over.waitFor();
  expect(await over.evaluate((refusal) => getComputedStyle(refusal).marginBlock)).toBe("16px");
  // It asks for no password that would be in vain.
  expect(await elsewhere.getByLabel("Nouveau mot de passe").count()).toBe(0);
  await elsewhere.getByRole("link", { name: "Connexion" }).click();
  await elsewhere.waitForURL("**/signin");
  // Pasted into the same tab, where only what stands behind the # changes.
  await elsewhere.goto(another);
  await elsewhere.getByRole("textbox", { name: "Adresse e-mail" }).waitFor();
  await over.waitFor({ state: "detached" });
  // Where somebody else is signed in, the link ends nothing by itself.
  await elsewhere.goto("/signin");
  await elsewhere.getByLabel("Adresse e-mail").fill("nora@example.com");
  await elsewhere.getByLabel("Mot de passe", { exact: true }).fill(password);
  await elsewhere.keyboard.press("Enter");
  await elsewhere.waitForURL("**/tenant-list");
  await elsewhere.goto(another);
  await elsewhere.getByText("Vous êtes connecté en tant que nora@example.com").waitFor();
  await elsewhere.getByRole("link", { name: "Rester connecté" }).click();
  await elsewhere.waitForURL("**/tenant-list");
  await elsewhere.goto(another);
  await elsewhere.getByRole("button", { name: "Se déconnecter" }).click();
  await elsewhere.getByRole("textbox", { name: "Adresse e-mail" }).waitFor();
  await elsewhere.close();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await panel.getByRole("button", { name: "Revoke the invitation" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Invitation revoked").waitFor();
  await page.getByRole("link", { name: "wrong@example.com" }).waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Mails" }).click();
  await page.getByText("Vous êtes invité à rejoindre Crossdock").first().waitFor();
});

test("a name, a language and a picture are one's own to change, and are there at once", async () => {
  await guest.getByRole("button", { name: "Account of Nora" }).first().click();
  await guest.getByRole("link", { name: "My account" }).click();
  await guest.waitForURL("**/account");
  await guest.getByLabel("Name").fill("Nora B.");
  await guest.getByRole("button", { name: "Save" }).click();
  await guest.getByRole("button", { name: "Account of Nora B." }).first().waitFor();
  // One pixel, which the browser makes an avatar of.
  const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  await guest
    .getByLabel("Choose a picture")
    .first()
    .setInputFiles({ name: "me.png", mimeType: "image/png", buffer: Buffer.from(pixel, "base64") });
  await guest.getByRole("button", { name: "Remove picture" }).waitFor();
  await expect.poll(() => guest.locator("main img").getAttribute("src")).toMatch(/^data:image\/png;base64,/);
  await guest.locator("main").getByLabel("Language").selectOption("it");
  await guest.getByRole("heading", { level: 1, name: "Il mio account" }).waitFor();

  const elsewhere = await stage.browser.newContext({ baseURL: stage.url });
  const other = await elsewhere.newPage();
  await other.goto("/signin");
  await other.locator("#email").fill("nora@example.com");
  await other.locator("#password").fill(password);
  await other.locator("button[type=submit]").click();
  await other.getByRole("heading", { level: 1, name: "Tenant" }).waitFor();
  await expect.poll(() => other.evaluate(() => document.documentElement.lang)).toBe("it");
  await elsewhere.close();
});

test("of two admins who change a person at once the later is refused, and sees what holds now", async () => {
  await page.goto("/users");
  await page.getByRole("link", { name: "nora@example.com" }).click();
  const panel = page.getByRole("dialog", { name: "nora@example.com" });
  const role = panel.getByRole("combobox", { name: "Role" });
  await expect.poll(() => role.inputValue()).toBe("user");
  await page.route(
    /\/api\/v1\/users\/\d+$/,
    async (route) => {
      const { authorization = "" } = await route.request().allHeaders();
      await page.request.patch(route.request().url(), { headers: { authorization }, data: { role: "admin" } });
      await route.continue();
    },
    { times: 1 },
  );
  await role.selectOption("viewer");
  await page.getByText("Somebody else changed this meanwhile").waitFor();
  await expect.poll(() => role.inputValue()).toBe("admin");
  await role.selectOption("user");
  await page.getByText("User changed").waitFor();
  await panel.getByRole("checkbox", { name: "Acme" }).waitFor();
});

test("whoever is disabled is shown out at once, though the page only listens", async () => {
  // In the language that the account has by now.
  await guest.goto("/queue");
  await guest.getByRole("heading", { level: 1, name: "Coda" }).waitFor();
  await page.goto("/users");
  await page.getByRole("link", { name: "nora@example.com" }).click();
  const panel = page.getByRole("dialog", { name: "nora@example.com" });
  await panel.getByText("Sessions").first().waitFor();
  await panel.getByRole("button", { name: "Disable" }).click();
  await panel.getByText("Disabled", { exact: true }).waitFor();
  // By then the sign-in asks again, in whatever form.
  await guest.locator("#password").waitFor();
});

test("a person's role, tenants and access that were changed come back with Undo", async () => {
  await page.goto("/users");
  await page.getByRole("link", { name: "nora@example.com" }).click();
  const panel = page.getByRole("dialog", { name: "nora@example.com" });
  const undo = page.getByRole("button", { name: "Undo" });
  const role = panel.getByRole("combobox", { name: "Role" });
  await role.selectOption("viewer");
  await undo.click();
  await expect.poll(() => role.inputValue()).toBe("user");
  await page.goto("/users");
  await page.getByRole("link", { name: "nora@example.com" }).click();
  const acme = panel.getByRole("checkbox", { name: "Acme" });
  await acme.click();
  await undo.click();
  await acme.and(page.locator(":checked")).waitFor();
  await page.goto("/users");
  await page.getByRole("link", { name: "nora@example.com" }).click();
  await panel.getByRole("button", { name: "Enable" }).click();
  await undo.click();
  await panel.getByRole("button", { name: "Enable" }).waitFor();
});

test("an API key is shown once, with the focus on it, and is told revoked once it is", async () => {
  await page.goto("/api-keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Stock reader");
  await dialog.getByRole("checkbox", { name: "Read everything" }).check();
  await dialog.getByText("Left empty, the key never ends.").waitFor();
  const held = Promise.withResolvers<Route>();
  await page.route("**/api-keys", (route) => (route.request().method() === "POST" ? held.resolve(route) : route.continue()));
  await dialog.getByRole("button", { name: "Create key" }).click();
  const route = await held.promise;
  await dialog.locator("[aria-busy=true]").waitFor();
  // What is shown this once is awaited, whatever is pressed meanwhile.
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect.poll(() => page.getByRole("alertdialog").count()).toBe(0);
  await route.continue();
  await page.unroute("**/api-keys");
  const secret = dialog.getByLabel("Key", { exact: true });
  await expect.poll(() => secret.inputValue()).toMatch(/^cdk_/);
  // The keyboard is at it, not behind it.
  await secret.and(page.locator(":focus")).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Create key" }).and(page.locator(":focus")).waitFor();
  const row = page.getByRole("row").filter({ hasText: "Stock reader" });
  await row.getByText("Never ends").waitFor();
  await row.getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke" }).click();
  await row.getByText("Revoked", { exact: true }).waitFor();
});

test("an API key whose last day was only begun to be typed is not made, as one that never expires would be", async () => {
  await page.goto("/api-keys");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Until December");
  await dialog.getByLabel("Valid until").press("1");
  await dialog.getByLabel("Valid until").press("2");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByLabel("Valid until").and(page.locator(":focus")).waitFor();
  await settle(page);
  expect(await dialog.getByLabel("Key", { exact: true }).or(dialog.locator("[aria-busy=true]")).count()).toBe(0);
  await dialog.getByLabel("Valid until").fill("2199-12-31");
  expect(await dialog.getByText("Left empty, the key never ends.").count()).toBe(0);
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByLabel("Key", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Close" }).first().click();
});

test("a person far down the list is changed step by step beside it, and by a link to them", async () => {
  const owner = stage.database.pool("owner", 1);
  await owner.query(
    `insert into hub."user" (email, name, role, password_hash)
     select 'z' || to_char(n, 'FM000') || '@example.com', '', 'viewer', known.password_hash
     from generate_series(1, 320) n, hub."user" known where known.email = 'admin@crossdock.local'`,
  );
  await page.goto("/users");
  await page.locator('[role=row][aria-rowindex="2"]').focus();
  // Page by page.
  const last = page.getByRole("link", { name: "z320@example.com" });
  await expect.poll(() => page.keyboard.press("End").then(() => last.isVisible())).toBe(true);
  await last.click();
  const panel = page.getByRole("dialog", { name: "z320@example.com" });
  const read = page.waitForResponse((response) => response.url().includes("/api/v1/users?") && response.request().method() === "GET");
  await panel.getByRole("checkbox", { name: "Acme" }).click();
  await read;
  await settle(page);
  await panel.getByRole("combobox", { name: "Role" }).selectOption("user");
  await last.waitFor();
  await panel.waitFor();
  // By a link to the person, whom the list's first page has not.
  await page.reload();
  await panel.getByRole("combobox", { name: "Role" }).selectOption("viewer");
  await page.getByText("User changed").waitFor();
  await expect.poll(() => panel.getByRole("combobox", { name: "Role" }).inputValue()).toBe("viewer");
  expect(await last.count()).toBe(0);
});
