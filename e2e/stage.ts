import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import type { Browser, Page } from "playwright-core";
import { desktop, enter, launchBrowser, openView, ready, type View } from "./browser.ts";
import { admin, startCrossdock } from "./crossdock.ts";
import { createWorkspace, startTarget, type Judge, type Target, type Workspace } from "./workspace.ts";

type Opening = {
  /** Who looks, by the address; the admin when left out. */
  as?: string;
  /** Code of the tenant that is active, or null for none; 'acme' when left out. */
  tenant?: string | null;
  /** The first screen; the tenant list when left out. */
  at?: string;
  view?: View;
};

export type Stage = {
  database: TestDatabase;
  target: Target;
  /** Where the server is. */
  url: string;
  workspace: Workspace;
  browser: Browser;
  /** Opens a screen in a browser profile of its own, signed in; it is ready to be worked with. */
  open: (opening?: Opening) => Promise<Page>;
  /** Ends the server and starts it again under the same address, with these settings besides the stage's own. */
  restart: (settings?: Record<string, string>, whileAway?: () => Promise<void>) => Promise<void>;
  close: () => Promise<void>;
};

/** What a file's journeys take place on: an installation of their own with the tenant 'acme', a system that it delivers to, and a browser. */
export async function openStage(settings: Record<string, string> = {}, judge?: Judge): Promise<Stage> {
  const closings: (() => unknown)[] = [];
  async function close(): Promise<void> {
    for (const end of closings.splice(0).toReversed()) await end();
  }
  try {
    const database = await testDatabase();
    closings.push(() => database.drop());
    const target = await startTarget(judge);
    closings.push(() => target.close());
    const own = {
      DATABASE_URL: database.ownerUrl,
      CROSSDOCK_SECRET: testSecret,
      CROSSDOCK_DEMO: "0",
      CROSSDOCK_EGRESS_ALLOW: target.hostAndPort,
      ...settings,
    };
    let crossdock = await startCrossdock(own);
    closings.push(() => crossdock.stop());
    const workspace = await createWorkspace(crossdock.url, target);
    const browser = await launchBrowser();
    closings.push(() => browser.close());

    async function open({ as = admin.email, tenant = "acme", at = "/tenant-list", view = desktop }: Opening = {}): Promise<Page> {
      const page = await (await openView(browser, crossdock.url, view)).newPage();
      await enter(page, as, tenant);
      await page.goto(at);
      await ready(page);
      return page;
    }
    async function restart(others: Record<string, string> = {}, whileAway?: () => Promise<void>): Promise<void> {
      await crossdock.stop();
      await whileAway?.();
      crossdock = await startCrossdock({ ...own, CROSSDOCK_PORT: new URL(crossdock.url).port, ...others });
    }
    return { database, target, url: crossdock.url, workspace, browser, open, restart, close };
  } catch (error) {
    await close();
    throw error;
  }
}
