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
    // Its connection is reset.
    late.on("error", () => undefined);
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

const size = 32 * 1024 * 1024;

/** An answer that is ready as a whole, of which its caller has read only the beginning when the server stops. */
async function readSlowly(lateMsMax: number) {
  const app = Fastify({ forceCloseConnections: "idle", return503OnClosing: false });
  refuseWhenClosing(app, lateMsMax);
  // Without a length, as what is streamed: to a caller of HTTP/1.0 the end of the connection is that of the answer.
  app.get("/", (_request, reply) => reply.hijack().raw.end("x".repeat(size)));
  const url = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  const slow = connect(Number(url.port), url.hostname);
  slow.write("GET / HTTP/1.0\r\n\r\n");
  await once(slow, "readable");
  const closed = app.close();
  // Told that the server stops, or refused the connection.
  await fetch(url).catch(() => undefined);
  return { slow, closed };
}

test("an answer that was ready before a stop is read to its end", async () => {
  const { slow, closed } = await readSlowly(60_000);
  let read = 0;
  for await (const chunk of slow) read += (chunk as Buffer).length;
  expect(read).toBeGreaterThan(size);
  await closed;
});

test("a stop does not wait for whoever reads no further, and nobody takes what he has read for the whole", async () => {
  const { slow, closed } = await readSlowly(100);
  await closed;
  await expect(once(slow.resume(), "end")).rejects.toThrow("ECONNRESET");
});
