import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { changeLook, modes, navStyles, type Look } from "./look.ts";

const thumbnailWidth = 480;
const columns = 4;

type Picture = { title: string; png: Buffer };

/** Every layout in every mode, from left to right and from right to left, on the screen that the page shows; one sheet for each mode. */
export async function writeLayoutSheets(page: Page, folder: string, inspect?: (title: string) => Promise<void>): Promise<string[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error("The page's browser is gone");
  const files: string[] = [];
  for (const mode of modes) {
    const fromLeft = await takeLayouts({ mode, locale: "en" }, "from left to right");
    const fromRight = await takeLayouts({ mode, locale: "ar" }, "from right to left");
    const file = join(folder, `layouts-${mode}.png`);
    await writeSheet(
      browser,
      fromLeft.flatMap((picture, index) => [picture, ...fromRight.slice(index, index + 1)]),
      file,
    );
    files.push(file);
  }
  return files;

  async function takeLayouts(look: Look, direction: string): Promise<Picture[]> {
    await changeLook(page, look);
    const pictures: Picture[] = [];
    for (const nav of navStyles) {
      await changeLook(page, { nav });
      await page.evaluate("document.fonts.ready.then(() => null)");
      const title = `${nav}, ${look.mode}, ${direction}`;
      pictures.push({ title, png: await page.screenshot() });
      await inspect?.(title);
    }
    return pictures;
  }
}

async function writeSheet(browser: Browser, pictures: Picture[], file: string): Promise<void> {
  const sheet = await browser.newPage({ viewport: { width: columns * (thumbnailWidth + 16) + 16, height: 600 } });
  const figures = pictures.map(
    ({ title, png }) => `<figure><figcaption>${title}</figcaption><img src="data:image/png;base64,${png.toString("base64")}"></figure>`,
  );
  await sheet.setContent(`<style>
    body { display: grid; grid-template-columns: repeat(${columns}, ${thumbnailWidth}px); gap: 16px; margin: 16px; background: #dde1ea }
    figure { margin: 0 } figcaption { font: 600 13px sans-serif; padding-bottom: 4px } img { display: block; width: 100% }
  </style>${figures.join("")}`);
  writeFileSync(file, await sheet.screenshot({ fullPage: true }));
  await sheet.close();
}
