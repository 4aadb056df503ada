import { readFileSync, writeFileSync } from "node:fs";
import { configurationPage } from "../apps/server/src/config-page.ts";

/** Writes docs/configuration.md; with --check it only says whether the file is what the settings' table makes of it. */
const file = new URL("../docs/configuration.md", import.meta.url);
const page = configurationPage();
if (!process.argv.includes("--check")) writeFileSync(file, page);
else if (readFileSync(file, "utf8") !== page) {
  console.error("docs/configuration.md is out of date: run npm run configuration-page");
  process.exit(1);
}
