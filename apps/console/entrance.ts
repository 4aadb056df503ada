import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const sources = fileURLToPath(new URL("src/", import.meta.url));

/** What is on the screen before anybody has signed in, as far as it is not imported by what is named here already. */
const roots = ["main.tsx", "sign-in/*.tsx", "error-pages/{maintenance-cover,something-wrong-page,pictures}.tsx"];

/** Names the titles of all screens, but shows none. */
const exceptions = ["routes.ts"];

const staticImports = /(?:^|\n)(?:import|export) (?!type )(?:[^;"]*? from )?"(\.[^"]+\.tsx?)"/g;

/** Paths of the files that a visitor's browser loads up to a usable sign-in. */
export function entranceFiles(): string[] {
  const found = new Set<string>();
  const visit = (file: string): void => {
    if (found.has(file) || exceptions.includes(file)) return;
    found.add(file);
    for (const [, target = ""] of readFileSync(join(sources, file), "utf8").matchAll(staticImports)) visit(join(dirname(file), target));
  };
  for (const file of globSync(roots, { cwd: sources })) visit(file);
  return [...found].map((file) => join(sources, file));
}

/** The texts whose keys these files name. */
export function entranceTexts(keys: string[]): Set<string> {
  const code = entranceFiles()
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  return new Set(keys.filter((key) => code.includes(`"${key}"`)));
}

/** Screens and dialogs that are opened seldom, and what is said of refusals. Nothing else takes texts from there, but for loading it. */
const farFiles = [
  "src/{alerts,announcements,api-keys,audit-events,configuration,toolbox,users}/**/*.{ts,tsx}",
  "src/jobs/{patch,redirect}-{dialog,dry-run,form}.tsx",
  "src/external-messages/rejected-groups.tsx",
  "src/entities/resync-dialog.tsx",
  "src/job-status/{import-dialog,import-preview,run-lines}.tsx",
  "src/tenants/{tenant-page,limits-card,masking-card}.tsx",
  "src/{draft,import-dialog,test-result}.tsx",
  "src/problem-texts.ts",
];

/** The texts that the seldom opened screens name and no other file does. */
export function farTexts(keys: string[]): Set<string> {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const far = new Set(globSync(farFiles, { cwd }).map((file) => join(cwd, file)));
  const near = globSync("src/**/*.{ts,tsx}", { cwd })
    .map((file) => join(cwd, file))
    .filter((file) => !far.has(file));
  const code = near.map((file) => readFileSync(file, "utf8")).join("\n");
  return new Set(keys.filter((key) => !code.includes(`"${key}"`)));
}
