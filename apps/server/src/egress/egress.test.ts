import { createSocket } from "node:dgram";
import { getEventListeners, once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createSocketServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { parseAllowList } from "./addresses.ts";
import { openSocket } from "./checked-lookup.ts";
import { EgressError } from "./egress-error.ts";
import { createEgress, type Egress, type EgressOptions, type EgressRequest } from "./egress.ts";
import type { EgressAnswer } from "./exchange.ts";
import { resolverBy, type Resolve } from "./resolve.ts";

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

function egress(options: Partial<EgressOptions> = {}): Egress {
  const made = createEgress({ allow: parseAllowList(["127.0.0.1/32"]), ...options });
  cleanUps.push(made.close);
  return made;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  cleanUps.push(() => new Promise((closed) => server.close(() => closed())));
  return (server.address() as AddressInfo).port;
}

async function site(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  cleanUps.push(async () => server.closeAllConnections());
  return listen(server);
}

/** A server that speaks bytes, for answers that an HTTP library would not send. */
async function rawSite(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const port = await listen(
    createSocketServer((socket) => {
      sockets.add(socket.on("error", () => undefined));
      socket.once("data", () => onConnection(socket));
    }),
  );
  cleanUps.push(async () => sockets.forEach((socket) => socket.destroy()));
  return port;
}

/** The site listens on 127.0.0.1 only, where `localhost` may be ::1 first. */
function loopbackOnly(...[, done]: Parameters<Resolve>): void {
  done(null, [{ address: "127.0.0.1", family: 4 }]);
}

/** Gives every name these addresses. */
const resolveTo =
  (...addresses: string[]): Resolve =>
  (_host, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );

function get(client: Egress, url: string, signal?: AbortSignal): Promise<EgressAnswer> {
  return client.send({ method: "GET", url, headers: {}, body: null }, signal);
}

test("method, headers and body arrive, status, headers and body come back", async () => {
  const port = await site((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      response.writeHead(201, {
        "x-seen": `${request.method} ${request.url} ${String(request.headers["x-key"])}`,
        "set-cookie": ["a=1", "b=2"],
      });
      response.end(body.toUpperCase());
    });
  });
  const answer = await egress().send({ method: "POST", url: `http://127.0.0.1:${port}/items?x=1`, headers: { "x-key": "k" }, body: "é" });
  expect(answer).toMatchObject({ status: 201, body: "É", headers: { "x-seen": "POST /items?x=1 k", "set-cookie": "a=1, b=2" } });
});

test("a redirect is handed back, not followed", async () => {
  const port = await site((_request, response) => response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data" }).end());
  expect(await get(egress(), `http://127.0.0.1:${port}/`)).toMatchObject({ status: 302 });
});

test.each([
  ["dotted", "http://127.0.0.1/"],
  ["decimal", "http://2130706433/"],
  ["hex", "http://0x7f.1/"],
  ["octal", "http://0177.0.0.1/"],
  ["short", "http://127.1/"],
  ["IPv6", "http://[::1]/"],
  ["IPv4-mapped IPv6", "http://[::ffff:127.0.0.1]/"],
  ["metadata", "http://169.254.169.254/latest/meta-data"],
])("an address written %s is refused before anything is sent", async (_form, url) => {
  await expect(get(egress({ allow: parseAllowList([]) }), url)).rejects.toMatchObject({ fault: "address-refused", isPermanent: true });
});

test("a name is refused when one of its addresses is not public", async () => {
  const client = egress({
    allow: parseAllowList([]),
    resolve: (_host, done) =>
      done(null, [
        { address: "8.8.8.8", family: 4 },
        { address: "10.0.0.5", family: 4 },
      ]),
  });
  await expect(get(client, "http://shop.example/")).rejects.toMatchObject({ fault: "address-refused" });
});

test("a name is resolved once, and the socket goes to the address that was checked", async () => {
  const port = await site((request, response) => response.writeHead(200, { connection: "close" }).end(request.headers.host));
  let asked = 0;
  const client = egress({
    resolve: (_host, done) => {
      asked += 1;
      done(null, [{ address: asked === 1 ? "127.0.0.1" : "169.254.169.254", family: 4 }]);
    },
  });
  expect((await get(client, `http://rebinding.example:${port}/`)).body).toBe(`rebinding.example:${port}`);
  expect(asked).toBe(1);
  await expect(get(client, `http://rebinding.example:${port}/`)).rejects.toMatchObject({ fault: "address-refused" });
});

test("thousands of targets are reached at a time, each by its own name", async () => {
  const port = await site((request, response) => response.end(request.headers.host));
  const client = egress({ resolve: resolveTo("127.0.0.1") });
  const names = Array.from({ length: 2_500 }, (_, index) => `shop-${index}.example:${port}`);
  for (let from = 0; from < names.length; from += 100) {
    const some = names.slice(from, from + 100);
    expect((await Promise.all(some.map((name) => get(client, `http://${name}/`)))).map(({ body }) => body)).toEqual(some);
  }
});

test("localhost is refused unless its port is allowed", async () => {
  const port = await site((_request, response) => response.end("in"));
  await expect(get(egress({ allow: parseAllowList([]) }), `http://localhost:${port}/`)).rejects.toMatchObject({ fault: "address-refused" });
  const client = egress({ allow: parseAllowList([`localhost:${port}`]), resolve: loopbackOnly });
  expect((await get(client, `http://localhost:${port}/`)).body).toBe("in");
});

test.each(["ftp://shop.example/", "file:///etc/passwd", "http://user:secret@shop.example/", "not a url"])(
  "%s is not a request",
  async (url) => {
    await expect(get(egress(), url)).rejects.toMatchObject({ fault: "invalid-request", isPermanent: true });
  },
);

test.each([
  ["a reserved header", { Host: "other.example" }],
  ["a line break in a header", { "x-name": "a\r\nx-other: b" }],
])("%s is refused", async (_what, headers) => {
  const port = await site((_request, response) => response.end());
  const request: EgressRequest = { method: "GET", url: `http://127.0.0.1:${port}/`, headers, body: null };
  await expect(egress().send(request)).rejects.toMatchObject({ fault: "invalid-request" });
});

test("an answer larger than the cap is cut off", async () => {
  const port = await site((_request, response) => {
    const part = Buffer.alloc(64 * 1024, "x");
    const more = (): void => {
      while (response.write(part));
    };
    response.on("drain", more);
    more();
  });
  const client = egress({ answerBytesMax: 256 * 1024 });
  await expect(get(client, `http://127.0.0.1:${port}/`)).rejects.toMatchObject({ fault: "answer-too-large", isPermanent: false });
});

test("an answer that trickles in ends at the total timeout, and its connection with it", async () => {
  const closed = Promise.withResolvers<void>();
  const port = await rawSite((socket) => {
    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n");
    const timer = setInterval(() => socket.write("x"), 10);
    socket.once("close", () => {
      clearInterval(timer);
      closed.resolve();
    });
  });
  const begun = performance.now();
  await expect(get(egress({ totalTimeoutMs: 200 }), `http://127.0.0.1:${port}/`)).rejects.toMatchObject({ fault: "timeout" });
  expect(performance.now() - begun).toBeLessThan(30_000);
  await closed.promise;
});

test("a target that never answers ends at the total timeout", async () => {
  const port = await rawSite(() => undefined);
  await expect(get(egress({ totalTimeoutMs: 100 }), `http://127.0.0.1:${port}/`)).rejects.toMatchObject({
    fault: "timeout",
    isPermanent: false,
  });
});

test("endless headers end at the header cap", async () => {
  const port = await rawSite((socket) => socket.write(`HTTP/1.1 200 OK\r\n${"x-more: padding padding\r\n".repeat(4_000)}`));
  await expect(get(egress({ totalTimeoutMs: 5_000 }), `http://127.0.0.1:${port}/`)).rejects.toMatchObject({ fault: "answer-too-large" });
});

test("an answer in chunks of a byte comes back whole", async () => {
  const body = Array.from({ length: 20_000 }, (_, n) => String.fromCodePoint(97 + (n % 26))).join("");
  const chunks = Array.from(body, (letter) => `1\r\n${letter}\r\n`).join("");
  const port = await rawSite((socket) => socket.end(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`));
  expect(await get(egress(), `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, body });
});

const encoded: [name: string, contentType: string, bytes: Buffer, text: string][] = [
  ["by its content type", "application/json; charset=ISO-8859-1", Buffer.from('["Grün"]', "latin1"), '["Grün"]'],
  ["by a quoted charset in small letters", 'text/xml;charset="windows-1251"', Buffer.from([0xc4, 0xe0]), "Да"],
  ["by its XML declaration", "text/xml", xml("ISO-8859-1", "latin1"), xml("ISO-8859-1").toString()],
  ["by its content type rather than its declaration", "text/xml; charset=utf-8", xml("ISO-8859-1"), xml("ISO-8859-1").toString()],
  ["not by a declaration that cannot be right", "text/xml", xml("utf-16"), xml("utf-16").toString()],
  ["by its byte order mark", "text/plain; charset=utf-8", Buffer.from("\ufeffGrün", "utf16le"), "Grün"],
  ["without its byte order mark", "application/json", Buffer.from('\ufeff["Grün"]'), '["Grün"]'],
  ["in UTF-8 where Latin-1 is only what the server says of everything", "text/html; charset=iso-8859-1", Buffer.from("Grün"), "Grün"],
  ["in UTF-8 where its charset is unknown", "application/json; charset=UTF_8", Buffer.from("Grün"), "Grün"],
];

function xml(encoding: string, as: BufferEncoding = "utf8"): Buffer {
  return Buffer.from(`<?xml version="1.0" encoding="${encoding}"?><name>Grün</name>`, as);
}

test.each(encoded)("an answer is read %s", async (_how, contentType, bytes, text) => {
  const port = await site((_request, response) => response.writeHead(200, { "content-type": contentType }).end(bytes));
  expect((await get(egress(), `http://127.0.0.1:${port}/`)).body).toBe(text);
});

const inLatin1 = (status: number, contentType: string) =>
  site((_request, response) => response.writeHead(status, { "content-type": contentType }).end(Buffer.from("Grün", "latin1")));

test("an answer whose bytes are no text in its charset is malformed, unless it is a refusal", async () => {
  for (const [contentType, charset] of [
    ["application/json", "UTF-8"],
    ["text/plain; charset=martian", "martian"],
  ] as const) {
    const refusal = { fault: "answer-malformed", isPermanent: false, message: `The answer's bytes are no text in the charset ${charset}.` };
    await expect(get(egress(), `http://127.0.0.1:${await inLatin1(200, contentType)}/`)).rejects.toMatchObject(refusal);
  }
  const refused = await get(egress(), `http://127.0.0.1:${await inLatin1(503, "text/html")}/`);
  expect(refused).toMatchObject({ status: 503, body: "Gr\ufffdn" });
});

/** A delivery of which the status decides. */
const post = async (port: number, options?: Partial<EgressOptions>) => {
  const request = { method: "POST", url: `http://127.0.0.1:${port}/`, headers: {}, body: "{}", statusDecides: true } as const;
  return egress(options).send(request);
};

test("where the status decides, an answer whose body can't be had counts by its status", async () => {
  const counted = { status: 200, body: "" };
  expect(await post(await inLatin1(200, "application/json"))).toMatchObject(counted);
  const large = await site((_request, response) => response.end(Buffer.alloc(2_000)));
  expect(await post(large, { answerBytesMax: 1_000 })).toMatchObject(counted);
  const cut = await rawSite((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nok"));
  expect(await post(cut)).toMatchObject(counted);
  const hung = await rawSite((socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n"));
  expect(await post(hung, { totalTimeoutMs: 1_000 })).toMatchObject(counted);
  const silent = await rawSite((socket) => socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"));
  await expect(post(silent, { totalTimeoutMs: 100 })).rejects.toMatchObject({ fault: "timeout" });
});

test("interim answers come before the real one, but not without end", async () => {
  const hint = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n";
  const few = await rawSite((socket) => socket.end(`${hint.repeat(5)}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`));
  expect(await get(egress(), `http://127.0.0.1:${few}/`)).toMatchObject({ status: 200, body: "ok" });
  const endless = await rawSite((socket) => socket.write(hint.repeat(200)));
  await expect(get(egress(), `http://127.0.0.1:${endless}/`)).rejects.toMatchObject({ fault: "answer-malformed" });
});

test("a status that there is not is a malformed answer", async () => {
  const port = await rawSite((socket) => socket.end("HTTP/1.1 000 Nothing\r\nContent-Length: 2\r\n\r\nok"));
  const refusal = { fault: "answer-malformed", message: "The answer breaks the rules of HTTP." };
  await expect(get(egress(), `http://127.0.0.1:${port}/`)).rejects.toMatchObject(refusal);
});

test("something that is not HTTP is a malformed answer", async () => {
  const port = await rawSite((socket) => socket.end("220 mail.example ESMTP\r\n"));
  await expect(get(egress(), `http://127.0.0.1:${port}/`)).rejects.toMatchObject({ fault: "answer-malformed" });
});

test("a reset connection, a closed port and an unknown name are passing faults", async () => {
  const resetting = await rawSite((socket) => socket.resetAndDestroy());
  await expect(get(egress(), `http://127.0.0.1:${resetting}/`)).rejects.toMatchObject({ fault: "connection-lost", isPermanent: false });
  const closed = await site(() => undefined);
  await cleanUps.at(-1)?.();
  cleanUps.splice(-1);
  await expect(get(egress(), `http://127.0.0.1:${closed}/`)).rejects.toMatchObject({ fault: "connection-failed", isPermanent: false });
  const unknown = egress({ resolve: (_host, done) => done(Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" }), []) });
  await expect(get(unknown, "http://nowhere.example/")).rejects.toMatchObject({ fault: "name-not-found", isPermanent: false });
});

test("stopping the worker ends a request under way", async () => {
  const stop = new AbortController();
  const port = await rawSite(() => stop.abort());
  await expect(get(egress(), `http://127.0.0.1:${port}/`, stop.signal)).rejects.toMatchObject({ fault: "aborted" });
});

test("a stop that outlives a request holds nothing of it", async () => {
  const { signal } = new AbortController();
  const port = await site((_request, response) => response.end());
  await get(egress(), `http://127.0.0.1:${port}/`, signal);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("what is stopped already is not sent", async () => {
  let requests = 0;
  const port = await site((_request, response) => {
    requests += 1;
    response.end();
  });
  const client = egress();
  await expect(get(client, `http://127.0.0.1:${port}/`, AbortSignal.abort())).rejects.toMatchObject({ fault: "aborted" });
  await get(client, `http://127.0.0.1:${port}/`);
  expect(requests).toBe(1);
});

type Question = { id: number; name: string; isForFour: boolean; answer: (address: number[] | null) => void };

/** A name server by a part of RFC 1035. It says 127.0.0.1 for a name, no address of IPv6, and nothing where `hears` keeps the question. */
async function nameServer(hears: (question: Question) => boolean): Promise<string> {
  const socket = createSocket("udp4");
  socket.on("message", (message, { port, address }) => {
    const end = message.indexOf(0, 12);
    const labels: string[] = [];
    for (let at = 12; at < end; at += 1 + (message[at] ?? 0)) labels.push(message.toString("latin1", at + 1, at + 1 + (message[at] ?? 0)));
    const isForFour = message.readUInt16BE(end + 1) === 1;
    const answer: Question["answer"] = (found) => {
      const counts = Buffer.from([0x81, found ? 0x80 : 0x83, 0, 1, 0, found && isForFour ? 1 : 0, 0, 0, 0, 0]);
      const record = found && isForFour ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...found]) : Buffer.alloc(0);
      socket.send(Buffer.concat([message.subarray(0, 2), counts, message.subarray(12, end + 5), record]), port, address);
    };
    if (!hears({ id: message.readUInt16BE(0), name: labels.join("."), isForFour, answer })) answer([127, 0, 0, 1]);
  });
  socket.bind(0, "127.0.0.1");
  await once(socket, "listening");
  cleanUps.push(() => new Promise((closed) => socket.close(() => closed())));
  return `127.0.0.1:${socket.address().port}`;
}

test("names whose server is silent hold up no others, and each is asked for once at a time", async () => {
  const port = await site((request, response) => response.end(request.headers.host));
  const names = Array.from({ length: 8 }, (_, index) => `silent-${index}.example`);
  const kept: Question[] = [];
  const allAsked = Promise.withResolvers<void>();
  const server = await nameServer((question) => {
    if (!question.name.startsWith("silent")) return false;
    kept.push(question);
    if (new Set(kept.map(({ name, isForFour }) => `${name} ${isForFour}`)).size === names.length * 2) allAsked.resolve();
    return true;
  });
  const client = egress({ resolve: resolverBy([server]) });
  const waiting = [...names, ...names].map((name) =>
    expect(get(client, `http://${name}:${port}/`)).rejects.toMatchObject({ fault: "name-not-found" }),
  );
  await allAsked.promise;
  expect((await get(client, `http://healthy.example:${port}/`)).body).toBe(`healthy.example:${port}`);
  // A question that is asked again keeps its id.
  expect(new Set(kept.map(({ id }) => id)).size).toBe(names.length * 2);
  for (const { answer } of kept) answer(null);
  await Promise.all(waiting);
});

test("this machine's name is refused as what it is, though no name server knows it", async () => {
  await expect(get(egress({ allow: parseAllowList([]) }), "http://localhost:1/")).rejects.toMatchObject({ fault: "address-refused" });
});

test("a name without an address is a passing fault", async () => {
  const client = egress({ resolve: (_host, done) => done(null, []) });
  await expect(get(client, "http://nowhere.example/")).rejects.toMatchObject({ fault: "name-not-found", isPermanent: false });
});

test.each(["secret@shop.example", ":secret@shop.example"])("%s is no host: neither half of a sign-in may stand before it", async (host) => {
  await expect(get(egress(), `http://${host}/`)).rejects.toMatchObject({ fault: "invalid-request" });
});

test("an answer is asked for uncompressed, and no header frames the request but the client's own", async () => {
  const port = await site((request, response) => response.end(request.headers["accept-encoding"]));
  expect((await get(egress(), `http://127.0.0.1:${port}/`)).body).toBe("identity");
  for (const name of ["Connection", "content-length", "Transfer-Encoding", "upgrade", "expect", "te", "trailer", "proxy-authorization"]) {
    const request: EgressRequest = { method: "POST", url: `http://127.0.0.1:${port}/`, headers: { [name]: "1" }, body: "x" };
    await expect(egress().send(request)).rejects.toMatchObject({
      fault: "invalid-request",
      message: `The header '${name}' is set by the client alone.`,
    });
  }
});

test("a connection for something else than HTTP goes to checked addresses alone, and ends when none comes about", async () => {
  const none = { port: 25, allow: parseAllowList([]), timeoutMs: 60_000 };
  for (const host of ["127.0.0.1", "::1", "mail.example"])
    await expect(openSocket({ ...none, host, resolve: resolveTo("10.0.0.5") })).rejects.toMatchObject({ fault: "address-refused" });
  const allowed = openSocket({ ...none, host: "::1", port: 1, allow: parseAllowList(["[::1]:1"]) });
  await expect(allowed).rejects.not.toMatchObject({ fault: "address-refused" });
  const never = openSocket({ ...none, host: "mail.example", timeoutMs: 1, resolve: () => undefined });
  await expect(never).rejects.toMatchObject({ fault: "timeout" });
  const port = await rawSite((socket) => socket.end("in"));
  const socket = await openSocket({
    ...none,
    host: "mail.example",
    port,
    allow: parseAllowList([`mail.example:${port}`]),
    resolve: loopbackOnly,
  });
  socket.write("hello");
  for await (const part of socket) expect(String(part)).toBe("in");
});

test("without a cap of its own an answer may have two mebibytes", async () => {
  const port = await site((request, response) => response.end(Buffer.alloc(2 * 1024 * 1024 + Number(request.url?.slice(1)), "x")));
  expect((await get(egress(), `http://127.0.0.1:${port}/0`)).status).toBe(200);
  await expect(get(egress(), `http://127.0.0.1:${port}/1`)).rejects.toMatchObject({ fault: "answer-too-large" });
});

test.each([
  ["https", 443, 80],
  ["http", 80, 443],
])("a URL of %s means port %i where an allowed host names one", async (protocol, own, other) => {
  const faultOf = (port: number) =>
    get(egress({ allow: parseAllowList([`127.0.0.9:${port}`]) }), `${protocol}://127.0.0.9/`).then(
      () => "none",
      (error: unknown) => (error instanceof EgressError ? error.fault : String(error)),
    );
  expect(await faultOf(own)).not.toBe("address-refused");
  expect(await faultOf(other)).toBe("address-refused");
});

test("of several addresses that fail, the first failure is told; a site without TLS is told as such", async () => {
  const closed = await site(() => undefined);
  await cleanUps.at(-1)?.();
  cleanUps.splice(-1);
  const client = egress({ resolve: resolveTo("127.0.0.1", "127.0.0.2"), allow: parseAllowList(["127.0.0.0/8"]) });
  await expect(get(client, `http://two.example:${closed}/`)).rejects.toMatchObject({
    fault: "connection-failed",
    message: `connect ECONNREFUSED 127.0.0.1:${closed}`,
  });
  const plain = await rawSite((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await expect(get(egress(), `https://127.0.0.1:${plain}/`)).rejects.toMatchObject({ fault: "tls-failed" });
});
