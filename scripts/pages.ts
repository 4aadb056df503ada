import { readFileSync, writeFileSync } from "node:fs";
import { withTables } from "../apps/server/src/api-page.ts";
import { configurationPage } from "../apps/server/src/config-page.ts";

/** What the code knows of itself, in docs/; with --check it only says whether the files are what the code makes of them. */
const pages: Record<string, (present: string) => string> = { "configuration.md": configurationPage, "api.md": withTables };

for (const [name, made] of Object.entries(pages)) {
  const file = new URL(`../docs/${name}`, import.meta.url);
  const present = readFileSync(file, "utf8");
  const page = made(present);
  if (page === present) continue;
  if (process.argv.includes("--check")) {
    console.error(`docs/${name} is out of date: run npm run pages`);
    process.exitCode = 1;
  } else writeFileSync(file, page);
}
