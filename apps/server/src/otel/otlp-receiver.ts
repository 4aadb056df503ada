import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  parentId: string;
  name: string;
  kind: number;
  startMs: number;
  endMs: number;
  attributes: Record<string, unknown>;
  resource: Record<string, unknown>;
};

/** Takes traces as a collector does: OTLP over HTTP in protobuf (opentelemetry/proto/collector/trace/v1/trace_service.proto). For tests. */
export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      headers.push({ ...request.headers, ":path": request.url });
      bodies.push(body);
      spans.push(...spansOf(body));
      response.writeHead(200, { "content-type": "application/x-protobuf" }).end();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    headers,
    /** All that came, to look for what must not. */
    text: (): string => Buffer.concat(bodies).toString("latin1"),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function spansOf(body: Buffer): ReceivedSpan[] {
  return children(body, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(children(resourceSpans, 1)[0] ?? Buffer.alloc(0), 1);
    const spans = children(resourceSpans, 2).flatMap((scopeSpans) => children(scopeSpans, 2));
    return spans.map((span) => ({
      traceId: children(span, 1)[0]?.toString("hex") ?? "",
      spanId: children(span, 2)[0]?.toString("hex") ?? "",
      parentId: children(span, 4)[0]?.toString("hex") ?? "",
      name: children(span, 5)[0]?.toString() ?? "",
      kind: Number(numberAt(span, 6)),
      startMs: Number(numberAt(span, 7)) / 1e6,
      endMs: Number(numberAt(span, 8)) / 1e6,
      attributes: attributesOf(span, 9),
      resource,
    }));
  });
}

function attributesOf(message: Buffer, field: number): Record<string, unknown> {
  const pairs = children(message, field).map((pair) => {
    const [value] = fieldsOf(children(pair, 2)[0] ?? Buffer.alloc(0));
    const read = value?.value instanceof Buffer ? value.value.toString() : value?.number === 2 ? value.value === 1n : Number(value?.value);
    return [children(pair, 1)[0]?.toString() ?? "", read];
  });
  return Object.fromEntries(pairs);
}

const children = (message: Buffer, field: number): Buffer[] =>
  fieldsOf(message).flatMap(({ number, value }) => (number === field && value instanceof Buffer ? [value] : []));

function numberAt(message: Buffer, field: number): bigint {
  const found = fieldsOf(message).find(({ number }) => number === field)?.value;
  return typeof found === "bigint" ? found : 0n;
}

/** The fields of a protobuf message: https://protobuf.dev/programming-guides/encoding/ */
function fieldsOf(message: Buffer): { number: number; value: Buffer | bigint }[] {
  const fields: { number: number; value: Buffer | bigint }[] = [];
  let position = 0;
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(position++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (position < message.length) {
    const tag = Number(varint());
    const [number, wire] = [tag >> 3, tag & 7];
    if (wire === 0) fields.push({ number, value: varint() });
    else if (wire === 1) fields.push({ number, value: message.readBigUInt64LE((position += 8) - 8) });
    else if (wire === 5) fields.push({ number, value: BigInt(message.readUInt32LE((position += 4) - 4)) });
    else {
      const length = Number(varint());
      fields.push({ number, value: message.subarray(position, (position += length)) });
    }
  }
  return fields;
}
