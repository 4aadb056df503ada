import { join } from "node:path";
import type { Browser } from "playwright-core";
import { createRandom } from "../../apps/demo/src/random.ts";
import { launchBrowser } from "../../e2e/browser.ts";
import { startCrossdock } from "../../e2e/crossdock.ts";
import { walk, type Complain } from "./walk.ts";

/** `pictures`: the folder that gets one of each complaint, if any. */
type Wish = { minutes: number; seed: number; isCalm: boolean; pictures: string | null };
/** `refusals`: what the server refused (4xx), which the console's own checks might have found before. */
type Outcome = { walks: number; actions: number; complaints: string[]; refusals: Record<string, number> };

/** The demo needs so long until every screen has something to show, dead letters included. */
const demoWarmUpMs = 45_000;

/** Walks through the console of a demo workspace until the time is over, each walk in a browser profile of its own. */
export async function click({ minutes, seed, isCalm, pictures }: Wish, say: (line: string) => void): Promise<Outcome> {
  const outcome: Outcome = { walks: 0, actions: 0, complaints: [], refusals: {} };
  const crossdock = await startCrossdock({ CROSSDOCK_DEMO: "1", CROSSDOCK_RATE_LIMIT: "1000000" });
  let browser: Browser | null = null;
  try {
    browser = await launchBrowser();
    say("the demo fills its workspace");
    await new Promise((resolve) => setTimeout(resolve, demoWarmUpMs));
    const until = Date.now() + minutes * 60_000;
    while (Date.now() < until) {
      const walkSeed = seed + outcome.walks;
      const complain: Complain = async (complaint, page) => {
        const line = `seed ${walkSeed}: ${complaint}`;
        console.log(line);
        outcome.complaints.push(line);
        // A page that crashed has no picture.
        if (pictures !== null)
          await page.screenshot({ path: join(pictures, `${outcome.complaints.length}-seed-${walkSeed}.png`) }).catch(() => undefined);
      };
      const refuse = (refusal: string): void => {
        outcome.refusals[refusal] = (outcome.refusals[refusal] ?? 0) + 1;
      };
      outcome.actions += await walk(browser, crossdock.url, { random: createRandom(walkSeed), isCalm, until }, { say, complain, refuse });
      outcome.walks += 1;
    }
    return outcome;
  } finally {
    await browser?.close();
    await crossdock.stop();
  }
}
