import { createHmac, generateKeyPairSync, sign as signWithKey } from "node:crypto";
import { describe, expect, test } from "vitest";
import { connectors } from "./index.ts";

const now = new Date("2026-11-21T08:00:00Z");
// Not valid UTF-8 on purpose: what is signed is the bytes, not their text.
const body = Uint8Array.from([0x7b, 0xff, 0x20, 0x20, 0x7d]);

describe("Shopify", () => {
  const signature = createHmac("sha256", "shop secret").update(body).digest("base64");
  const verify = (headers: Record<string, string>, webhookSecret?: string) =>
    connectors.shopify.verify({ body, headers, now, settings: {}, credentials: webhookSecret === undefined ? {} : { webhookSecret } });

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
    connectors.magento.verify({ body, headers, now, settings: {}, credentials: { webhookSecret: secret } });

  test("agrees with the example of the specification", () => {
    const example = Buffer.from('{"test": 2432232314}');
    const headers = {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    };
    const at = new Date(1_614_265_330_000);
    expect(connectors.magento.verify({ body: example, headers, now: at, settings: {}, credentials: { webhookSecret: secret } })).toBe(
      "valid",
    );
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
    expect(verify(headersFor(sign("msg_1", "soon"), "msg_1", "soon"))).toBe("invalid");
  });

  test("is missing when any of its headers is", () => {
    const headers = headersFor(sign("msg_1", timestamp));
    for (const name of Object.keys(headers)) {
      expect(verify(Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name)))).toBe("missing");
    }
  });
});

/** As a native connector's point has them: with the system's address, and its own credentials beside the secret. */
function verifierOf(code: "bigcommerce" | "centra" | "magento" | "sitoo", credentials: object, at = now) {
  const settings = { baseUrl: "https://shop.test" };
  return (headers: Record<string, string>, signed: Uint8Array = body) =>
    connectors[code].verify({ body: signed, headers, now: at, settings, credentials });
}

describe("Centra", () => {
  const example = Buffer.from("payload=%7B%22x%22%3A%22test%22%7D");
  const signature = "0b9cd84f5d583e5e1aadfb9f160aa8080b51d5b85ff85808d6b75bdac356c549";
  const credentials = { token: "t", webhookSecret: "test123" };
  const verify = verifierOf("centra", credentials, new Date(12_345_678_000));

  test("agrees with the example of its guide", () => {
    expect(verify({ "x-centra-signature": `t=12345678,v1=${signature}` }, example)).toBe("valid");
    expect(verify({ "x-centra-signature": `t=12345678, v1=${signature}` }, example)).toBe("valid");
  });

  test("another body, time, secret or form is invalid, and a time too far away is stale", () => {
    expect(verify({ "x-centra-signature": `t=12345678,v1=${signature}` })).toBe("invalid");
    for (const header of [`t=12345679,v1=${signature}`, `v1=${signature}`, "t=12345678", "t=12345678,v1=", `t=,v1=${signature}`, ""])
      expect(verify({ "x-centra-signature": header }, example)).toBe("invalid");
    const headers = { "x-centra-signature": `t=12345678,v1=${signature}` };
    expect(verifierOf("centra", { ...credentials, webhookSecret: "other" })(headers, example)).toBe("invalid");
    expect(verifierOf("centra", credentials)(headers, example)).toBe("stale");
  });

  test("is missing without its header, and not asked for without a secret", () => {
    expect(verify({}, example)).toBe("missing");
    expect(verifierOf("centra", { token: "t" })({})).toBe("none-configured");
  });
});

describe("BigCommerce", () => {
  const time = String(now.getTime() / 1000);
  const signature = `v1,${createHmac("sha256", "the client secret").update(`m1.${time}.`).update(body).digest("base64")}`;
  const headers = { "webhook-id": "m1", "webhook-timestamp": time, "webhook-signature": signature };
  const verify = verifierOf("bigcommerce", { accessToken: "t", webhookSecret: "the client secret" });

  test("signs as Standard Webhooks do, with the client secret as it stands", () => {
    expect(verify(headers)).toBe("valid");
    expect(verify({ ...headers, "webhook-id": "m2" })).toBe("invalid");
    expect(verify({})).toBe("missing");
    expect(connectors.bigcommerce.dedupeKey(headers, body)).toBe("m1");
  });
});

describe("Adobe Commerce", () => {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const pem = publicKey.export({ type: "spki", format: "pem" });
  const signature = signWithKey("sha256", Buffer.from(Buffer.from(body).toString("base64")), privateKey).toString("base64");
  const verify = verifierOf("magento", { accessToken: "t", webhookSecret: pem });

  test("is valid over the body in base64 with the key of the store only, whose line breaks may be gone", () => {
    const headers = { "x-adobe-commerce-webhook-signature": signature };
    expect(verify(headers)).toBe("valid");
    expect(verifierOf("magento", { webhookSecret: pem.replaceAll("\n", "") })(headers)).toBe("valid");
    expect(verify(headers, Buffer.from("{}"))).toBe("invalid");
    for (const wrong of ["", "AAAA", "no base64!", signature.slice(4)])
      expect(verify({ "x-adobe-commerce-webhook-signature": wrong })).toBe("invalid");
    expect(verify({})).toBe("missing");
    const other = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ type: "spki", format: "pem" });
    expect(verifierOf("magento", { webhookSecret: other })(headers)).toBe("invalid");
  });

  test("what is no public key is refused before it is kept", () => {
    const schema = connectors.magento.credentialsSchema;
    expect(schema.safeParse({ accessToken: "t", webhookSecret: pem }).success).toBe(true);
    const secret = privateKey.export({ type: "pkcs8", format: "pem" });
    const noKeyOfSha256 = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" });
    for (const wrong of ["", "secret", pem.slice(0, 200), pem.replace("MII", "AAA"), secret, noKeyOfSha256])
      expect(schema.safeParse({ accessToken: "t", webhookSecret: wrong }).error?.issues).toMatchObject([
        { path: ["webhookSecret"], message: "must be a public key, from its BEGIN line to its END line" },
      ]);
  });
});

test("a system without a scheme of its own has that of Standard Webhooks, for the adapter in front of it", () => {
  const time = String(now.getTime() / 1000);
  const key = Buffer.from("a secret of an adapter");
  const signature = `v1,${createHmac("sha256", key).update(`m1.${time}.`).update(body).digest("base64")}`;
  const verify = verifierOf("sitoo", { apiId: "a", password: "b", webhookSecret: key.toString("base64") });
  expect(verify({ "webhook-id": "m1", "webhook-timestamp": time, "webhook-signature": signature })).toBe("valid");
  expect(verify({})).toBe("missing");
  expect(verifierOf("sitoo", { apiId: "a", password: "b" })({})).toBe("none-configured");
});

test("a webhook that is signed with the second secret is taken, too, so that the secret can be changed without losing any", () => {
  const headers = { "x-shopify-hmac-sha256": createHmac("sha256", "new").update(body).digest("base64") };
  const verify = (credentials: object, given: Record<string, string> = headers) =>
    connectors.shopify.verify({ body, headers: given, now, settings: {}, credentials });
  expect(verify({ webhookSecret: "old" })).toBe("invalid");
  expect(verify({ webhookSecret: "old", secondWebhookSecret: "new" })).toBe("valid");
  expect(verify({ webhookSecret: "new", secondWebhookSecret: "old" })).toBe("valid");
  expect(verify({ secondWebhookSecret: "new" })).toBe("valid");
  expect(verify({ webhookSecret: "old", secondWebhookSecret: "older" })).toBe("invalid");
  expect(verify({ webhookSecret: "old", secondWebhookSecret: "new" }, {})).toBe("missing");
  for (const connector of Object.values(connectors))
    expect(Object.keys(connector.credentialsSchema.shape)).toEqual(expect.arrayContaining(["webhookSecret", "secondWebhookSecret"]));
});
