import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

/** Which workspace may import which; the map of ARCHITECTURE.md. */
const allowed: Record<string, string[]> = {
  db: [],
  "packages/contract": [],
  "packages/queue": [],
  "packages/connectors": ["packages/contract"],
  "apps/server": ["packages/contract", "packages/queue", "packages/connectors", "db"],
  "apps/console": ["packages/contract"],
  "apps/sandbox": [],
  "apps/demo": ["packages/contract"],
  bench: ["db", "packages/contract", "packages/queue", "apps/sandbox", "apps/demo"],
  e2e: ["db", "apps/sandbox"],
  scripts: ["db", "apps/server"],
};
const packages: Record<string, string> = {
  "@crossdock/db": "db",
  "@crossdock/contract": "packages/contract",
  "@crossdock/queue": "packages/queue",
  "@crossdock/connectors": "packages/connectors",
  "@crossdock/sandbox": "apps/sandbox",
};
/** Third-party packages that only one place may use. */
const reserved: Record<string, string[]> = {
  fastify: ["apps/server"],
  pg: ["db", "packages/queue", "apps/server", "bench", "apps/demo", "e2e", "scripts"],
  react: ["apps/console", "bench"],
};
/** Inside an application a feature folder never imports another one, except for the rooms everybody may use. */
const sharedRooms: Record<string, string[]> = {
  "apps/server/src": ["egress", "impact", "intake", "delivery", "runs", "session"],
  "apps/console/src": ["ui", "i18n", "layouts", "header", "jobs", "message-filters", "notes", "customizer", "session", "theme"],
};

const files = globSync("{db,packages,apps,bench,e2e,scripts}/**/*.{ts,tsx}", {
  exclude: (path) => /node_modules|dist/.test(typeof path === "string" ? path : ""),
});
const complaints = files.flatMap(checkFile);
for (const complaint of complaints) console.error(complaint);
process.exit(complaints.length === 0 ? 0 : 1);

function checkFile(file: string): string[] {
  const from = workspaceOf(file);
  const isTest = /\.test\.tsx?$|testing/.test(file);
  return importsOf(file).flatMap((specifier) => {
    if (specifier.startsWith(".")) return checkPath(file, from, normalize(join(dirname(file), specifier)));
    const name = specifier
      .split("/")
      .slice(0, specifier.startsWith("@") ? 2 : 1)
      .join("/");
    const to = packages[name];
    if (to && to !== from && !isTest && !(allowed[from] ?? []).includes(to)) return [`${file}: ${from} must not import ${to}`];
    if (reserved[name] && !reserved[name].includes(from)) return [`${file}: ${name} belongs to ${reserved[name].join(", ")}`];
    return [];
  });
}

function checkPath(file: string, from: string, target: string): string[] {
  const to = workspaceOf(target);
  if (to !== from && to !== "db" && from !== "scripts" && from !== "bench")
    return [`${file}: reaches into ${to} by path; import its package`];
  for (const [base, rooms] of Object.entries(sharedRooms)) {
    const [mine, theirs] = [featureOf(base, file), featureOf(base, target)];
    if (mine && theirs && mine !== theirs && !rooms.includes(theirs) && !/\.test\.tsx?$/.test(file)) {
      return [`${file}: feature ${mine} imports feature ${theirs}; move what both need up, or compose in the application`];
    }
  }
  return [];
}

function workspaceOf(file: string): string {
  return Object.keys(allowed).find((workspace) => file.startsWith(`${workspace}/`)) ?? "";
}

function featureOf(base: string, file: string): string | undefined {
  if (!file.startsWith(`${base}/`)) return undefined;
  const [first, second] = file.slice(base.length + 1).split("/");
  return second === undefined ? undefined : first;
}

function importsOf(file: string): string[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']/g;
  return [...readFileSync(file, "utf8").matchAll(pattern)].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}
