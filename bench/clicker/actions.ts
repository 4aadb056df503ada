import type { Page } from "playwright-core";
import type { Random } from "../../apps/demo/src/random.ts";
import { nasty } from "../fuzz/arbitrary.ts";

/** Does something; returns with what, to be told after its name, or null where there is nothing to do it with. */
type Act = (page: Page, random: Random) => Promise<string | null>;
type Action = { name: string; weight: number; act: Act };

export const screens: readonly [string, ...string[]] = [
  "/tenant-list",
  "/subtenant-list",
  "/queue",
  "/queue?state=delivered",
  "/retryqueue",
  "/deadletter-list",
  "/deadletter-list?view=list",
  "/mapping-list",
  "/mapping-list?view=missing",
  "/configuration",
  "/configuration?view=flow",
  "/configuration?point=new",
  "/entities",
  "/jobstatus-list",
  "/jobstatus-list?view=schedules",
  "/externalitems",
  "/externalmessages",
  "/brightcom-dashboard",
  "/alerts",
  "/alerts?view=rules",
  "/users",
  "/api-keys",
  "/account",
  "/outbox",
  "/audit-log",
  "/toolbox",
  "/subtenant/fjellsport-no/dashboard",
];

const words = ["10023", "LAMP", "a", "3", "2026-11-27", "error:timeout", "main", "admin@crossdock.local", "0 8 * * *", "{}"];
const keys: readonly [string, ...string[]] = [
  "Escape",
  "Enter",
  "Tab",
  "Shift+Tab",
  "ArrowDown",
  "ArrowUp",
  "ArrowLeft",
  "ArrowRight",
  "Home",
  "End",
  "PageDown",
  "Space",
  "Control+k",
  "Control+a",
  "Delete",
  "/",
  "?",
  "j",
  "k",
  "x",
];

export const actions: readonly [Action, ...Action[]] = [
  {
    name: "click",
    weight: 55,
    act: (page, random) =>
      press(
        page,
        random,
        "a[href], button, summary, label, [role=option], [role=menuitem], [role=tab], [role=gridcell], [role=treeitem], [role=switch], [role=radio], [role=checkbox]",
      ),
  },
  {
    name: "click in a dialog",
    weight: 12,
    act: (page, random) => press(page, random, "[role=dialog] :is(button, a[href], label, summary), [role=alertdialog] button"),
  },
  { name: "type", weight: 14, act: type },
  { name: "choose", weight: 6, act: choose },
  { name: "key", weight: 12, act: pressKey },
  { name: "scroll", weight: 3, act: scroll },
  { name: "back", weight: 3, act: (page) => turn(page, "back") },
  { name: "forward", weight: 1, act: (page) => turn(page, "forward") },
  { name: "open", weight: 4, act: open },
  { name: "reload", weight: 2, act: reload },
  { name: "width", weight: 1, act: resize },
];

/** Clicks one of those that can be seen and reached, twice at times. */
async function press(page: Page, random: Random, selector: string): Promise<string | null> {
  const found = await page.evaluate(
    ({ wanted, at }) => {
      const reachable = [...document.querySelectorAll(wanted)].flatMap((element) => {
        const { left, top, width, height } = element.getBoundingClientRect();
        const [x, y] = [left + width / 2, top + height / 2];
        // Elsewhere begins what isn't the console's.
        if (element.matches("[target=_blank], [download]") || !element.contains(document.elementFromPoint(x, y))) return [];
        return [{ x, y, name: (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 30) }];
      });
      return reachable[Math.floor(at * reachable.length)];
    },
    { wanted: selector, at: random.next() },
  );
  if (!found) return null;
  await page.mouse.click(found.x, found.y, { clickCount: random.chance(0.05) ? 2 : 1 });
  return `“${found.name}”`;
}

async function type(page: Page, random: Random): Promise<string | null> {
  const field = await page.evaluate(
    ({ at }) => {
      const fields = [...document.querySelectorAll<HTMLElement>("input, textarea")].filter(
        (element) =>
          element.checkVisibility({ visibilityProperty: true }) &&
          !element.matches("[type=checkbox], [type=radio], [type=file], [disabled]") &&
          !element.closest("[inert]"),
      );
      const chosen = fields[Math.floor(at * fields.length)];
      chosen?.focus();
      return chosen && (chosen.getAttribute("aria-label") ?? chosen.id);
    },
    { at: random.next() },
  );
  if (field === undefined) return null;
  const texts = random.chance(0.5) ? words : nasty;
  const text = texts[random.between(0, texts.length - 1)] ?? "";
  if (random.chance(0.5)) await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text.slice(0, 300));
  if (random.chance(0.3)) await page.keyboard.press("Enter");
  return `${JSON.stringify(text.slice(0, 30))} into “${field}”`;
}

function choose(page: Page, random: Random): Promise<string | null> {
  return page.evaluate(
    ({ one, other }) => {
      const fields = [...document.querySelectorAll("select")].filter(
        (element) => element.checkVisibility() && !element.disabled && !element.closest("[inert]"),
      );
      const field = fields[Math.floor(one * fields.length)];
      if (!field) return null;
      const option = field.options[Math.floor(other * field.options.length)];
      field.value = option?.value ?? "";
      field.dispatchEvent(new Event("change", { bubbles: true }));
      return `“${option?.text ?? ""}”`;
    },
    { one: random.next(), other: random.next() },
  );
}

async function pressKey(page: Page, random: Random): Promise<string> {
  const key = random.pick(keys);
  for (let times = random.between(1, 3); times > 0; times -= 1) await page.keyboard.press(key);
  return key;
}

async function scroll(page: Page, random: Random): Promise<string> {
  await page.mouse.wheel(0, random.between(-1_500, 3_000));
  return "";
}

/** Through the browser's history, as far as it is the console's: the router counts its entries. */
async function turn(page: Page, way: "back" | "forward"): Promise<string | null> {
  return page.evaluate((direction) => {
    const { __TSR_index: index = 0 } = (history.state ?? {}) as { __TSR_index?: number };
    if (direction === "back" && index === 0) return null;
    history[direction]();
    return "";
  }, way);
}

async function open(page: Page, random: Random): Promise<string> {
  const screen = random.pick(screens);
  await page.evaluate((address) => {
    history.pushState(null, "", address);
  }, screen);
  return screen;
}

async function reload(page: Page): Promise<string> {
  // Without a network the browser shows a page of its own, on which there is nothing to be found.
  if (await page.evaluate("navigator.onLine")) await page.reload({ waitUntil: "commit" }).catch(() => null);
  return "";
}

async function resize(page: Page, random: Random): Promise<string> {
  const width = random.pick([360, 768, 1440]);
  await page.setViewportSize({ width, height: 800 });
  return `${width}`;
}
