import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";

test.each([
  ["closes what is opened", (socket: Socket) => void socket.destroy()],
  ["never answers", (socket: Socket) => void socket.on("error", () => undefined).resume()],
])("a demo whose sandbox finds its port taken by what %s names the setting that chooses it, without a stack", async (_, meet) => {
  const other = createServer(meet).listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = other.address();
  const port = String(typeof address === "object" && address ? address.port : 0);
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
