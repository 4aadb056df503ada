import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export type TestProcess = {
  url: string;
  /** Where Prometheus asks; null unless the settings open that port. */
  metricsUrl: string | null;
  /** All that it and its children have written so far. */
  output: () => string;
  /** The arguments of the process and of all below it, as every user of the machine can read them. */
  argumentsOf: () => string;
  stop: () => Promise<void>;
};

const program = fileURLToPath(new URL("../main.ts", import.meta.url));
const readyWithinMs = 60_000;

/** Starts the server as a process of its own. The log level must show where it listens. */
export async function startProcess(settings: Record<string, string>): Promise<TestProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), "crossdock-test-"));
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(process.execPath, [program], {
    env: { PATH, HOME, NODE_COMPILE_CACHE, CROSSDOCK_PORT: "0", CROSSDOCK_DATA_DIR: dataDir, ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit");
  let output = "";
  const ready = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`The server was not ready in time:\n${output}`)), readyWithinMs);
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const listening = /Server listening at (http[^"\s]+)/.exec(output)?.[1];
      if (listening === undefined || !/^Crossdock .* is ready/m.test(output)) return;
      clearTimeout(timer);
      resolve(listening);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => reject(new Error(`The server ended with code ${code}:\n${output}`)));
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await exit;
    rmSync(dataDir, { recursive: true, force: true });
  };
  const url = await ready.catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    url,
    metricsUrl: /^ *Metrics +(http\S+)/m.exec(output)?.[1] ?? null,
    output: () => output,
    argumentsOf: () => argumentsOf(String(child.pid)),
    stop,
  };
}

function argumentsOf(root: string): string {
  const parents = new Map<string, string>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    // A process may have ended meanwhile.
    const status = read(`/proc/${pid}/status`);
    parents.set(pid, /^PPid:\s+(\d+)/m.exec(status)?.[1] ?? "");
  }
  const isBelow = (pid: string | undefined): boolean => pid === root || (pid !== undefined && pid !== "" && isBelow(parents.get(pid)));
  return [...parents.keys()]
    .filter(isBelow)
    .map((pid) => read(`/proc/${pid}/cmdline`))
    .join("\n");
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
