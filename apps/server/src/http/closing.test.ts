import { once } from "node:events";
import { connect, type Socket } from "node:net";
import Fastify from "fastify";
import { expect, test } from "vitest";
import { refuseWhenClosing } from "./closing.ts";

test.each([
  ["headers whose rest does not come", "GET /work HTTP/1.1\r\nhost: a\r\nx-a: b"],
  ["a body whose rest does not come", "POST / HTTP/1.1\r\nhost: a\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\na"],
])(
  "a stop does not wait for %s, and for what is in work it does",
  async (_what, bytes) => {
    const app = Fastify({ forceCloseConnections: "idle", return503OnClosing: false });
    refuseWhenClosing(app, 100);
    const [begun, work] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
    app.get("/work", () => {
      begun.resolve();
      return work.promise;
    });
    app.post("/", () => "never");
    const url = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
    const asked = fetch(new URL("/work", url));
    await begun.promise;
    const connected = once(app.server, "connection") as Promise<[Socket]>;
    const late = connect(Number(url.port), url.hostname);
    late.write(bytes);
    const [theirs] = await connected;
    await expect.poll(() => theirs.bytesRead).toBeGreaterThan(0);
    const cut = once(theirs, "close");
    const closed = app.close();
    await cut;
    work.resolve("done");
    expect(await (await asked).text()).toBe("done");
    await closed;
  },
  20_000,
);
