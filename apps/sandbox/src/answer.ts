import type { ServerResponse } from "node:http";

export type Answer = { status: number; headers?: Record<string, string>; body: string };

export function json(status: number, value: unknown): Answer {
  return { status, body: JSON.stringify(value) };
}

export function send(response: ServerResponse, { status, headers, body }: Answer): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", "content-length": Buffer.byteLength(body), ...headers });
  response.end(body);
}
