import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { connectors } from "./index.ts";

const now = new Date("2026-11-21T08:00:00Z");
// Not valid UTF-8 on purpose: what is signed is the bytes, not their text.
const body = Uint8Array.from([0x7b, 0xff, 0x20, 0x20, 0x7d]);

describe("Shopify", () => {
  const signature = createHmac("sha256", "shop secret").update(body).digest("base64");
  const verify = (headers: Record<string, string>, webhookSecret?: string) =>
    connectors.shopify.verify({ body, headers, now, credentials: webhookSecret === undefined ? {} : { webhookSecret } });

  test("is valid over the raw bytes with the right secret only", () => {
    expect(verify({ "x-shopify-hmac-sha256": signature }, "shop secret")).toBe("valid");
    expect(verify({ "x-shopify-hmac-sha256": signature }, "other secret")).toBe("invalid");
    expect(verify({ "x-shopify-hmac-sha256": signature.slice(0, -4) }, "shop secret")).toBe("invalid");
    expect(verify({ "x-shopify-hmac-sha256": "" }, "shop secret")).toBe("invalid");
    expect(verify({}, "shop secret")).toBe("missing");
    expect(verify({ "x-shopify-hmac-sha256": signature })).toBe("none-configured");
  });

  test("the webhook's id is what tells a repetition", () => {
    expect(connectors.shopify.dedupeKey({ "x-shopify-webhook-id": "b54557e4" }, body)).toBe("b54557e4");
    expect(connectors.shopify.dedupeKey({}, body)).toBeNull();
  });
});

describe("Standard Webhooks", () => {
  const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  const timestamp = String(now.getTime() / 1000);
  function headersFor(signed: string, id = "msg_1", at = timestamp) {
    return { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signed };
  }
  function sign(id: string, at: string) {
    const key = Buffer.from(secret.slice("whsec_".length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest("base64")}`;
  }
  const verify = (headers: Record<string, string>) =>
    connectors.magento.verify({ body, headers, now, credentials: { webhookSecret: secret } });

  test("agrees with the example of the specification", () => {
    const example = Buffer.from('{"test": 2432232314}');
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const at = new Date(1_614_265_330_000);
    expect(connectors.magento.verify({ body: example, headers, now: at, credentials: { webhookSecret: secret } })).toBe("valid");
  });

  test("one valid signature among several is enough, as when a secret is being changed", () => {
    expect(verify(headersFor(`v1,AAAA v1a,BBBB ${sign("msg_1", timestamp)}`))).toBe("valid");
  });

  test("another id or another time is invalid, and a right signature of a time too far away is stale", () => {
    const signed = sign("msg_1", timestamp);
    expect(verify(headersFor(signed, "msg_2"))).toBe("invalid");
    expect(verify(headersFor(signed, "msg_1", String(Number(timestamp) + 1)))).toBe("invalid");
    for (const [seconds, result] of [
      [-301, "stale"],
      [-300, "valid"],
      [300, "valid"],
      [301, "stale"],
    ] as const) {
      const at = String(now.getTime() / 1000 + seconds);
      expect(verify(headersFor(sign("msg_1", at), "msg_1", at))).toBe(result);
      expect(verify(headersFor(signed, "msg_1", at))).toBe("invalid");
    }
    expect(verify(headersFor(sign("msg_1", "999999999999"), "msg_1", "999999999999"))).toBe("stale");
    expect(verify(headersFor(signed, "msg_1", "soon"))).toBe("invalid");
    expect(verify({})).toBe("missing");
  });
});
