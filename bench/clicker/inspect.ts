/* oxlint-disable unicorn/consistent-function-scoping -- What runs in the page can't reach out of it. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";

/** A console that waits for its server may leave 15 s between two looks; then it has to load what it missed. */
const quietWithinMs = 45_000;

/** Waits until nothing loads any more. What still does then, or that nothing is there at all, is a complaint. */
export async function becomeQuiet(page: Page): Promise<string[]> {
  const isQuiet = (): boolean => {
    // Where the scripts were lost, people are offered this.
    const reload = document.querySelector<HTMLElement>(".unreached a");
    if (reload?.checkVisibility({ visibilityProperty: true })) reload.click();
    return (
      document.querySelector("h1, [role=dialog]") !== null &&
      document.querySelector(".animate-pulse, .animate-progress, .lucide-wifi-off, .lucide-cloud-off") === null
    );
  };
  try {
    await page.waitForFunction(isQuiet, null, { timeout: quietWithinMs, polling: 100 });
    return [];
  } catch {
    const seen = await page.evaluate(() => document.body.innerText.replaceAll(/\s+/g, " ").slice(0, 300));
    return [`is not quiet after ${quietWithinMs / 1000} s: ${seen}`];
  }
}

const texts = new URL("../../apps/console/src/i18n/messages/en.json", import.meta.url);
const textKeys = Object.keys(JSON.parse(readFileSync(texts, "utf8")) as object);

/** What stands on the screen and was meant for no reader: values that are none, keys of texts, and the page of what broke. */
export function inspectTexts(page: Page): Promise<string[]> {
  return page.evaluate((keys) => {
    const complaints: string[] = [];
    const junk = /\bundefined\b|\bNaN\b|\[object |Invalid Date|\{\w+, (plural|select|number|date)/;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const text = node.textContent?.trim() ?? "";
      const holder = node.parentElement;
      // What people typed, and what systems sent, may read as it likes.
      if (!holder || holder.closest("script, style, pre, code, textarea, [role=tree], bdi, [translate=no]")) continue;
      if (junk.test(text)) complaints.push(`reads: ${text.slice(0, 120)} in ${holder.outerHTML.slice(0, 160)}`);
      if (keys.includes(text)) complaints.push(`reads as a text's key: ${text}`);
    }
    return complaints;
  }, textKeys);
}
