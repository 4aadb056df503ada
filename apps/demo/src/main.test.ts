import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

function portOf(server: Server): string {
  const address = server.address();
  return String(typeof address === "object" && address ? address.port : 0);
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  server.close();
  return port;
}

test.each([
  ["closes what is opened", (socket: Socket) => void socket.destroy()],
  ["never answers", (socket: Socket) => void socket.on("error", () => undefined).resume()],
])("a demo whose sandbox finds its port taken by what %s names the setting that chooses it, without a stack", async (_, meet) => {
  const other = createServer(meet).listen(0, "127.0.0.1");
  await once(other, "listening");
  const port = portOf(other);
  const demo = spawn(process.execPath, [`${import.meta.dirname}/main.ts`], {
    env: { ...process.env, CROSSDOCK_URL: "http://127.0.0.1:1", CROSSDOCK_TOKEN: "none", SANDBOX_PORT: port },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const [said, [code]] = await Promise.all([text(demo.stderr), once(demo, "exit")]);
  other.close();
  expect(code).toBe(1);
  expect(said.trim().split("\n")).toEqual([
    `sandbox: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
    `demo: the sandbox cannot be started on port ${port}; choose another with CROSSDOCK_DEMO_PORT`,
  ]);
});

test.runIf(process.platform === "linux")("a demo that is ended while its sandbox starts leaves none behind", async () => {
  const port = await freePort();
  const demo = spawn(process.execPath, [`${import.meta.dirname}/main.ts`], {
    env: { ...process.env, CROSSDOCK_URL: "http://127.0.0.1:1", CROSSDOCK_TOKEN: "none", SANDBOX_PORT: port },
    stdio: "ignore",
  });
  const children = () => readFileSync(`/proc/${demo.pid}/task/${demo.pid}/children`, "utf8").trim();
  // Looked for without a pause: it takes a while to be ready, and is not to be.
  while (children() === "") await new Promise(setImmediate);
  const sandbox = Number(children());
  demo.kill("SIGTERM");
  await once(demo, "exit");
  await expect.poll(() => existsSync(`/proc/${sandbox}`)).toBe(false);
});
