import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/**
 * Axe as its package for Playwright brings it. That package puts half a megabyte into the page for every look, which takes longer than
 * looking; here it stays as long as the page does.
 */
const axe = readFileSync(createRequire(import.meta.resolve("@axe-core/playwright")).resolve("axe-core/axe.min.js"), "utf8");

const wcagAA = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"];

/** What breaks a rule of WCAG AA on the page as it is, as rule and the part's HTML. `contrast` leaves contrast out, or everything else. */
export async function inspectAccess(page: Page, contrast: "with" | "without" | "only" = "with"): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe);
  // What appears is transparent at first, and a dialog that can't be seen is none to axe. What goes on for ever is not waited for.
  await page.evaluate(
    `Promise.allSettled(document.getAnimations()
      .filter(({ playState, effect }) => playState === "running" && effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished)).then(() => null)`,
  );
  const options = {
    resultTypes: ["violations"],
    preload: false,
    runOnly: contrast === "only" ? { type: "rule", values: ["color-contrast"] } : { type: "tag", values: wcagAA },
    rules: contrast === "without" ? { "color-contrast": { enabled: false } } : {},
  };
  return page.evaluate<string[]>(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + " at " + html)))`,
  );
}
