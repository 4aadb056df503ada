import { spawn, type ChildProcess } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const serverProgram = fileURLToPath(new URL("../../server/src/main.ts", import.meta.url));
const sandboxProgram = fileURLToPath(new URL("../../sandbox/src/main.ts", import.meta.url));

/** A program started for a while, and the address that it announced. */
export type Started = {
  /** Empty for a process that serves nobody. */
  url: string;
  child: ChildProcess;
  /** Ends it in order; resolves when it has ended. */
  stop: () => Promise<void>;
};

/** Starts the sandbox; port 0 takes a free one. What its systems hold outlives it in the file, where one is named. */
export function startSandboxProcess(port = 0, memoryFile?: string): Promise<Started> {
  const memory = memoryFile === undefined ? [] : ["--memory", memoryFile];
  return start(sandboxProgram, ["--port", String(port), ...memory], {}, /listening on (http:\S+)/);
}

/**
 * Starts a server with `settings` alone: what the caller's environment says about Crossdock or a database does not reach it.
 * Resolves once it is ready.
 */
export function startServerProcess(settings: Record<string, string>): Promise<Started> {
  const isApi = (settings["CROSSDOCK_ROLES"] ?? "api").split(",").includes("api");
  return start(serverProgram, [], settings, isApi ? /Console\s+(http\S+)/ : /is (ready)/);
}

async function start(program: string, words: string[], settings: Record<string, string>, announcement: RegExp): Promise<Started> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(CROSSDOCK_|DATABASE_)/.test(name));
  const child = spawn(process.execPath, [program, ...words], {
    env: { ...Object.fromEntries(inherited), ...settings },
    stdio: ["ignore", "pipe", "inherit"],
  });
  // However this program ends, by a fault or before the other is ready as well, it leaves nothing behind.
  const kill = (): void => void child.kill();
  process.once("exit", kill);
  child.once("exit", () => process.off("exit", kill));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const announced = Promise.withResolvers<string>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const found = announcement.exec(line)?.[1];
    if (found !== undefined) announced.resolve(found);
  });
  child.once("error", announced.reject);
  child.once("exit", (code) => announced.reject(new Error(`${program} ended with ${code} before it was ready`)));
  const said = await announced.promise;
  return {
    url: said.startsWith("http") ? said : "",
    child,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
