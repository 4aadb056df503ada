import type { Reply } from "./personality.ts";

/** The text of the first element of a name, whatever its prefix; enough for the bodies that our own connectors send. */
export function textIn(xml: string, name: string): string {
  return new RegExp(`<(?:[a-z0-9]+:)?${name}>([^<]*)<`, "i").exec(xml)?.[1] ?? "";
}

/** The operation's name: the first element of the body. */
export function operationOf(xml: string): string {
  return /<(?:[a-z]+:)?Body>\s*<(?:[a-z]+:)?([A-Za-z_]+)/.exec(xml)?.[1] ?? "";
}

export function envelope(namespace: string, inner: string, status = 200): Reply {
  return {
    status,
    headers: { "content-type": "text/xml; charset=utf-8" },
    body: `<?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="${namespace}"><soap:Body>${inner}</soap:Body></soap:Envelope>`,
  };
}
