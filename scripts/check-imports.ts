import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Which workspace may import which, tests excepted where it is by a package's name; the map of ARCHITECTURE.md. */
const allowed: Record<string, string[]> = {
  db: [],
  "packages/contract": [],
  "packages/queue": [],
  "packages/connectors": ["packages/contract"],
  "apps/server": ["packages/contract", "packages/queue", "packages/connectors", "db"],
  "apps/console": ["packages/contract"],
  "apps/sandbox": [],
  "apps/demo": ["packages/contract"],
  bench: ["db", "packages/contract", "packages/queue", "apps/server", "apps/console", "apps/demo", "e2e"],
  e2e: ["db", "apps/sandbox"],
  scripts: ["db", "packages/connectors", "apps/server", "e2e"],
};
/** The workspaces that have an entrance; those without are imported by path. */
const packages: Record<string, string> = {
  "@crossdock/db": "db",
  "@crossdock/contract": "packages/contract",
  "@crossdock/queue": "packages/queue",
  "@crossdock/connectors": "packages/connectors",
  "@crossdock/sandbox": "apps/sandbox",
};
/** What these import from elsewhere, tests excepted: it keeps the contract small, connectors pure, and the engine from HTTP. */
const outside: Record<string, string[]> = {
  db: ["pg", "node:*"],
  "packages/contract": ["zod"],
  "packages/queue": ["pg", "node:crypto", "node:timers/promises"],
  "packages/connectors": ["zod", "jsonata", "node:crypto"],
  "apps/sandbox": ["graphql", "oidc-provider", "node:*"],
};
/** Third-party packages that only these may use, tests as well. */
const reserved: Record<string, string[]> = {
  fastify: ["apps/server"],
  pg: ["db", "packages/queue", "apps/server", "bench", "e2e", "scripts"],
  react: ["apps/console", "bench"],
};
/** Inside an application a feature folder never imports another one, except for the rooms everybody may use; a room imports only rooms. */
const sharedRooms: Record<string, string[]> = {
  "apps/server/src": [
    "access",
    "api",
    "delivery",
    "egress",
    "errors",
    "external-items",
    "external-messages",
    "http",
    "impact",
    "installation",
    "intake",
    "keys",
    "mails",
    "masking",
    "messages",
    "runs",
    "session",
    "subtenants",
  ],
  "apps/console/src": [
    "alerts",
    "api",
    "charts",
    "connectors",
    "customizer",
    "header",
    "i18n",
    "jobs",
    "layouts",
    "live",
    "masking",
    "message-filters",
    "messages",
    "notes",
    "runs",
    "saved-views",
    "scans",
    "session",
    "targets",
    "theme",
    "ui",
  ],
};

/** Routes and screens: those of a room, too, are for the application that composes them. */
const entrance = /[/-]routes\.ts$|\/src\/(?!ui\/).*-page\.tsx$/;
/** What tests use and nothing else does. */
const testSupport = /\/testing[^/]*\.ts$|\/testing\//;

const files = globSync("{db,packages,apps,bench,e2e,scripts}/**/*.{ts,tsx,mjs}", { exclude: ["**/node_modules/**", "**/dist/**"] });
const complaints = files.length === 0 ? ["there are no files to check here"] : files.flatMap(checkFile);
for (const complaint of complaints) console.error(complaint);
process.exit(complaints.length === 0 ? 0 : 1);

function checkFile(file: string): string[] {
  const from = workspaceOf(file);
  const isTest = /\.test\.tsx?$/.test(file) || testSupport.test(file);
  return importsOf(file).flatMap(({ specifier, isType }) => {
    if (specifier.startsWith(".")) return checkPath(file, from, normalize(join(dirname(file), specifier)));
    const name = specifier
      .split("/")
      .slice(0, specifier.startsWith("@") ? 2 : 1)
      .join("/");
    if (reserved[name] && !reserved[name].includes(from)) return [`${file}: ${name} belongs to ${reserved[name].join(", ")}`];
    if (isTest) return [];
    const to = packages[name];
    if (to) return to === "packages/contract" && from === "apps/console" && !isType ? [typesOnly(file)] : checkWorkspace(file, from, to);
    const open = outside[from];
    const isOpen = !open || open.includes(name) || open.includes(specifier) || (specifier.startsWith("node:") && open.includes("node:*"));
    return isOpen ? [] : [`${file}: ${from} must not import ${specifier}`];
  });
}

function checkPath(file: string, from: string, target: string): string[] {
  const isTest = /\.test\.tsx?$|\/testing\//.test(file);
  const to = workspaceOf(target);
  if (to !== from && Object.values(packages).includes(to)) return [`${file}: reaches into ${to} by path; import its package`];
  for (const [base, rooms] of Object.entries(sharedRooms)) {
    const [mine, theirs] = [featureOf(base, file), featureOf(base, target)];
    if (!mine || !theirs || mine === theirs || isTest) continue;
    const isSupported = testSupport.test(file) && testSupport.test(target);
    if (!rooms.includes(theirs) && !isSupported) {
      return [`${file}: feature ${mine} imports feature ${theirs}; move what both need up, or compose in the application`];
    }
    if (entrance.test(target)) return [`${file}: ${target} is opened by the application alone; move what both need out of it`];
  }
  return checkWorkspace(file, from, to);
}

function checkWorkspace(file: string, from: string, to: string): string[] {
  return to === from || allowed[from]?.includes(to) ? [] : [`${file}: ${from} must not import ${to || "from outside the map"}`];
}

function typesOnly(file: string): string {
  return `${file}: the console takes only types from the contract; write "import type"`;
}

function workspaceOf(file: string): string {
  return Object.keys(allowed).find((workspace) => file.startsWith(`${workspace}/`)) ?? "";
}

function featureOf(base: string, file: string): string | undefined {
  if (!file.startsWith(`${base}/`)) return undefined;
  const [first, second] = file.slice(base.length + 1).split("/");
  return second === undefined ? undefined : first;
}

function importsOf(file: string): { specifier: string; isType: boolean }[] {
  const pattern =
    /^\s*(?:import|export)\s+(type\s)?[^;"']*?from\s+["']([^"']+)["']|\bimport\(\s*["']([^"']+)["']\s*\)|^\s*import\s+["']([^"']+)["']/gm;
  return [...readFileSync(file, "utf8").matchAll(pattern)].map(([, type, from, called, bare]) => ({
    specifier: from ?? called ?? bare ?? "",
    isType: type !== undefined,
  }));
}
