import type { Browser, Page } from "playwright-core";
import type { Random } from "../../apps/demo/src/random.ts";
import { inspectAccess } from "../../e2e/axe.ts";
import { enter, openView } from "../../e2e/browser.ts";
import { admin } from "../../e2e/crossdock.ts";
import { inspectWidth } from "../../e2e/geometry.ts";
import { actions, screens } from "./actions.ts";
import { becomeQuiet, inspectTexts } from "./inspect.ts";
import { trouble, type Trouble } from "./trouble.ts";
import { watch } from "./watch.ts";

export type Complain = (complaint: string, page: Page) => Promise<void>;
export type Tell = (complaint: string) => Promise<void>;
type Ears = { say: (line: string) => void; complain: Complain; refuse: (refusal: string) => void };

const actionsPerWalk = 80;
/** Between two looks at the whole screen. */
const actionsPerLook = 10;
const widths = [360, 768, 1024, 1440] as const;
const locales = ["en", "zh", "es", "fr", "it", "ar"] as const;

/** One person's time with the console. Returns how many actions it had. */
export async function walk(
  browser: Browser,
  url: string,
  { random, isCalm, until }: { random: Random; isCalm: boolean; until: number },
  { say, complain, refuse }: Ears,
): Promise<number> {
  const mode = random.pick(["light", "semi-dark", "dark"] as const);
  const view = { mode, locale: random.pick(locales), width: random.pick(widths), height: random.pick([740, 900]) };
  const context = await openView(browser, url, view);
  const page = await context.newPage();
  /** The newest actions, for whoever wants to see a complaint again. */
  const done: string[] = [];
  const known = new Set<string>();
  const tell = async (complaint: string): Promise<void> => {
    if (known.has(complaint)) return;
    known.add(complaint);
    await complain(`${complaint}\n    at ${page.url()}, ${JSON.stringify(view)}, after ${done.slice(-12).join(" → ")}`, page);
  };
  let current: Trouble | null = null;
  watch(page, { tell, refuse, isTroubled: () => current !== null });
  say(JSON.stringify(view));
  let count = 0;
  try {
    await begin(page, random);
    for (; count < actionsPerWalk && Date.now() < until; count += 1) {
      if (!isCalm && current === null && random.chance(0.05)) {
        current = await trouble(page, random);
        done.push(`[${current.name}]`);
      }
      done.push(await act(page, random));
      await page.waitForTimeout(random.between(0, 400));
      if (count % actionsPerLook !== actionsPerLook - 1) continue;
      await current?.end();
      current = null;
      done.push("[look]");
      await look(page, tell);
      if (!page.url().startsWith(url) || page.url().startsWith(`${url}/signin`)) await begin(page, random);
    }
  } catch (error) {
    await tell(`the walk can't go on: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`);
  } finally {
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  }
  return count;
}

async function begin(page: Page, random: Random): Promise<void> {
  await enter(page, admin.email, random.pick(["nordhem", "fjellsport", null]));
  await page.goto(random.pick(screens));
}

/** Returns what was done. */
async function act(page: Page, random: Random): Promise<string> {
  let at = random.next() * actions.reduce((sum, { weight }) => sum + weight, 0);
  const { name, act: tried } = actions.find(({ weight }) => (at -= weight) < 0) ?? actions[0];
  const what = await tried(page, random);
  // A screen without what the action needs gets another one.
  return what === null ? act(page, random) : `${name} ${what}`;
}

async function look(page: Page, tell: Tell): Promise<void> {
  const complaints = [
    ...(await becomeQuiet(page)),
    ...(await inspectTexts(page)),
    ...(await inspectWidth(page)),
    // Of what a popover covers, axe measures the rest.
    ...(await inspectAccess(page)).filter((complaint) => !complaint.startsWith("target-size")),
  ];
  for (const complaint of complaints) await tell(complaint);
}
