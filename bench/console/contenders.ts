import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const peersDir = fileURLToPath(new URL("./peers/", import.meta.url));

/** How to find one's way on a page, whoever built it. */
export type Contender = {
  name: string;
  /** Its source folder, from the repository's root. */
  folder: string;
  /** One row of data. */
  row: string;
  /** What stands for the next rows where a table doesn't go on by itself. */
  nextPage: string | null;
};

export const crossdock: Contender = {
  name: "Crossdock",
  folder: "apps/console",
  row: "[role=row]:has([role=cell], [role=gridcell], [role=rowheader])",
  nextPage: null,
};
export const peers: Contender[] = [
  {
    name: "MUI X DataGrid",
    folder: "bench/console/peers/mui",
    row: ".MuiDataGrid-row",
    nextPage: "[aria-label='Go to next page']:not(:disabled)",
  },
  { name: "antd virtual table", folder: "bench/console/peers/antd", row: ".ant-table-row", nextPage: null },
];

/** The peers' kits weigh 200 MB, so they are no workspace of the project: whoever runs this bench installs them, once per lockfile. */
export function installPeers(): void {
  const lockfile = readFileSync(join(peersDir, "package-lock.json"));
  const wanted = createHash("sha256").update(lockfile).digest("hex");
  const stamp = join(peersDir, "node_modules", ".crossdock-lock");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  run("npm", ["ci", "--prefix", peersDir, "--no-fund", "--no-audit", "--loglevel=error"]);
  writeFileSync(stamp, wanted);
}

/** Builds a page for production into `outDir`, as `npm run build` of the console does. */
export function build({ folder }: Contender, outDir: string): void {
  const config = folder.startsWith("apps/") ? [] : ["--config", join(peersDir, "vite.config.ts")];
  run("npx", ["vite", "build", folder, ...config, "--outDir", outDir, "--emptyOutDir", "--logLevel", "error"]);
}

/** What the commands say goes to the error stream, like all progress. */
function run(command: string, words: string[]): void {
  const result = spawnSync(command, words, { cwd: root, stdio: ["ignore", 2, 2], shell: process.platform === "win32" });
  if (result.status !== 0) throw new Error(`'${command} ${words.join(" ")}' failed.`);
}
