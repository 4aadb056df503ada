import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { testDatabase, testSecret } from "@crossdock/db/testing";
import { expect, test } from "vitest";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

test("a server that npm started stops when npm is killed", async () => {
  const database = await testDatabase();
  try {
    // As npm does it: a shell between the two.
    const shell = spawn("sh", ["-c", `"$0" "$1"; true`, process.execPath, main], {
      env: {
        ...process.env,
        npm_lifecycle_event: "start",
        DATABASE_URL: database.ownerUrl,
        CROSSDOCK_SECRET: testSecret,
        CROSSDOCK_DEMO: "0",
        CROSSDOCK_PORT: "0",
        CROSSDOCK_LOG_LEVEL: "warn",
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    let said = "";
    shell.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    await expect.poll(() => /http:\/\/localhost:\d+/.exec(said)?.[0], { timeout: 60_000 }).toBeDefined();
    const [url = ""] = /http:\/\/localhost:\d+/.exec(said) ?? [];
    expect((await fetch(`${url}/readyz`)).status).toBe(200);

    // The pipe is closed when the last process that could write to it has ended.
    const ended = once(shell.stdout, "close");
    shell.kill("SIGKILL");
    await ended;
    await expect(fetch(`${url}/readyz`)).rejects.toThrow("fetch failed");
  } finally {
    await database.drop();
  }
});
