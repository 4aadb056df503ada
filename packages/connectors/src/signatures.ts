import { type KeyObject, createHmac, createPublicKey, timingSafeEqual, verify as verifyWithKey } from "node:crypto";
import { reasons } from "@crossdock/contract";
import { z } from "zod";
import { type Connector, type SignatureResult, type VerifyInput, parseOnce } from "./connector.ts";
import { isRecord } from "./json.ts";

/** One way of signing webhooks, always over the bytes as they came. */
export type SignatureScheme = {
  /** What the credential `webhookSecret` looks like. */
  secret: z.ZodType<string>;
  /** Help of the console's form: where the secret comes from. */
  help: string;
  verify(message: Pick<VerifyInput, "body" | "headers" | "now">, secret: string): SignatureResult;
};

/** How far the signed time may be from ours, in seconds; the value that Standard Webhooks suggests. */
export const signatureToleranceSeconds = 300;

/** The credentials of webhooks that are signed by the scheme: the secret, and a second one while it is being changed. */
export function webhookSecrets({ secret, help }: SignatureScheme) {
  return {
    webhookSecret: secret.optional().meta({ title: "Webhook secret", description: help }),
    secondWebhookSecret: secret.optional().meta({
      title: "Second webhook secret",
      description:
        "Taken as well while the secret is being changed: put the new one here, then into the source, then into the first field, and remove it here",
    }),
  };
}

/** The credentials that a system itself asks for. */
export function withoutWebhookSecrets(credentials: unknown): unknown {
  if (!isRecord(credentials)) return credentials;
  const { webhookSecret: _first, secondWebhookSecret: _second, ...own } = credentials;
  return own;
}

const secretsOf = parseOnce(z.object({ webhookSecret: z.string().optional(), secondWebhookSecret: z.string().optional() }));

/** By either secret; without any, webhooks are taken unsigned. */
export function verifiedBy(scheme: SignatureScheme): Connector["verify"] {
  return ({ credentials, ...message }) => {
    const { webhookSecret, secondWebhookSecret } = secretsOf(credentials);
    const secrets = [webhookSecret, secondWebhookSecret].filter((secret) => secret !== undefined);
    const results = secrets.map((secret) => scheme.verify(message, secret));
    return results.find((result) => result === "valid" || result === "stale") ?? results[0] ?? "none-configured";
  };
}

/** https://www.standardwebhooks.com with a secret in base64, maybe behind `whsec_`. */
export const standardWebhooks: SignatureScheme = {
  secret: z.string().regex(/^(?:whsec_)?[A-Za-z0-9+/]{8,}={0,2}$/, reasons["base64-form"]),
  help: "Of Standard Webhooks: base64, maybe behind whsec_",
  verify: (message, secret) => verifyStandardWebhook(message, Buffer.from(secret.replace(/^whsec_/, ""), "base64")),
};

/** Standard Webhooks, too; the key is the app's client secret as it stands. https://docs.bigcommerce.com/docs/integrations/webhooks/https-webhook-overview */
export const bigcommerceWebhooks: SignatureScheme = {
  secret: z.string().min(1).max(500),
  help: "The client secret of the API account that made the webhook",
  verify: (message, secret) => verifyStandardWebhook(message, Buffer.from(secret)),
};

/** `X-Shopify-Hmac-Sha256`: base64 of the HMAC over the body. */
export const shopifyWebhooks: SignatureScheme = {
  secret: z.string().min(1).max(500),
  help: "The app's API secret key, which signs its webhooks",
  verify({ body, headers: { "x-shopify-hmac-sha256": signature } }, secret) {
    if (signature === undefined) return "missing";
    return isSame(signature, hmac(secret, body).toString("base64")) ? "valid" : "invalid";
  },
};

/** `X-Centra-Signature: t={seconds},v1={hex of the HMAC over "{t}.{body}"}`. https://centra.dev/docs/services/centra-webhooks */
export const centraWebhooks: SignatureScheme = {
  secret: z.string().min(1).max(500),
  help: "The endpoint secret in the settings of Centra's webhook plugin",
  verify({ body, headers: { "x-centra-signature": signature }, now }, secret) {
    if (signature === undefined) return "missing";
    const parameters = new URLSearchParams(signature.replaceAll(/,\s*/g, "&"));
    const [time, given] = [parameters.get("t") ?? "", parameters.get("v1") ?? ""];
    if (!isTime(time) || !isSame(given, hmac(secret, `${time}.`, body).toString("hex"))) return "invalid";
    return timely(time, now);
  },
};

/** `ms-signature: sha256={hex of the HMAC over the body}`, as ASP.NET WebHooks has it. */
export const litiumWebhooks: SignatureScheme = {
  secret: z.string().min(1).max(500),
  help: "The secret that the webhook was registered with in Litium",
  verify({ body, headers: { "ms-signature": signature } }, secret) {
    if (signature === undefined) return "missing";
    return isSame(signature.toLowerCase(), `sha256=${hmac(secret, body).toString("hex")}`) ? "valid" : "invalid";
  },
};

/**
 * `x-adobe-commerce-webhook-signature`: base64 of a signature with the store's private key and SHA-256 over the body in base64.
 * https://developer.adobe.com/commerce/extensibility/webhooks/signature-verification
 */
export const adobeCommerceWebhooks: SignatureScheme = {
  secret: z
    .string()
    .max(4_000)
    .refine((key) => publicKeyIn(key) !== null, reasons["public-key-form"]),
  help: "The public key in the store's settings of webhooks",
  verify({ body, headers: { "x-adobe-commerce-webhook-signature": signature } }, secret) {
    if (signature === undefined) return "missing";
    const [key, signed] = [publicKeyIn(secret), Buffer.from(Buffer.from(body).toString("base64"))];
    return key !== null && verifyWithKey("sha256", signed, key, Buffer.from(signature, "base64")) ? "valid" : "invalid";
  },
};

/**
 * `webhook-signature` holds, separated by blanks, `v1,` + base64 of the HMAC over `{webhook-id}.{webhook-timestamp}.{body}`; several while
 * a secret is being changed.
 */
function verifyStandardWebhook({ body, headers, now }: Pick<VerifyInput, "body" | "headers" | "now">, key: Uint8Array): SignatureResult {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures } = headers;
  if (id === undefined || time === undefined || signatures === undefined) return "missing";
  if (!isTime(time)) return "invalid";
  const expected = `v1,${hmac(key, `${id}.${time}.`, body).toString("base64")}`;
  return signatures.split(" ").some((given) => isSame(given, expected)) ? timely(time, now) : "invalid";
}

function hmac(secret: string | Uint8Array, ...parts: (string | Uint8Array)[]): Buffer {
  const digest = createHmac("sha256", secret);
  for (const part of parts) digest.update(part);
  return digest.digest();
}

/** Compares in constant time, so that a signature can't be guessed byte by byte. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function isTime(seconds: string): boolean {
  return /^[0-9]{1,12}$/.test(seconds);
}

/** Asked last: only who knows the secret hears that the time is what is wrong. */
function timely(seconds: string, now: Date): SignatureResult {
  return Math.abs(now.getTime() / 1000 - Number(seconds)) > signatureToleranceSeconds ? "stale" : "valid";
}

/** The key of a PEM text, whose line breaks a form's field may have taken away; null where there is none that signs with SHA-256. */
function publicKeyIn(pem: string): KeyObject | null {
  const [, base64] = /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/.exec(pem) ?? [];
  if (base64 === undefined) return null;
  try {
    const key = createPublicKey({ key: Buffer.from(base64, "base64"), format: "der", type: "spki" });
    return key.asymmetricKeyType === "rsa" || key.asymmetricKeyType === "ec" ? key : null;
  } catch {
    return null;
  }
}
