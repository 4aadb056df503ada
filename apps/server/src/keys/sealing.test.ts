import { expect, test } from "vitest";
import { deriveKey, seal, unseal } from "./sealing.ts";

const secret = "an installation's secret of enough length";
const key = deriveKey(secret, "credentials");
const place = { tenantId: 1, record: "integration_point 7", field: "credentials" };

test("what was sealed opens in its place, and twice the same text is never twice the same bytes", () => {
  const sealed = seal(key, place, "s3cret ✓");
  expect(unseal(key, place, sealed)).toBe("s3cret ✓");
  expect(seal(key, place, "s3cret ✓").equals(sealed)).toBe(false);
});

test.each([
  ["another tenant", { ...place, tenantId: 2 }],
  ["another record", { ...place, record: "integration_point 8" }],
  ["another field", { ...place, field: "settings" }],
  ["a place that is only written alike", { tenantId: 1, record: "integration_point 7c", field: "redentials" }],
])("a value copied to %s does not open", (_where, elsewhere) => {
  expect(() => unseal(key, elsewhere, seal(key, place, "s3cret"))).toThrow("unable to authenticate");
});

test("a changed byte or another secret does not open", () => {
  const sealed = seal(key, place, "s3cret");
  expect(() => unseal(deriveKey("the secret of another installation!!", "credentials"), place, sealed)).toThrow("unable to authenticate");
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
  expect(() => unseal(key, place, sealed)).toThrow("unable to authenticate");
});

test("the key of one purpose opens nothing of another", () => {
  expect(() => unseal(deriveKey(secret, "mail"), place, seal(key, place, "s3cret"))).toThrow("unable to authenticate");
});

test("a tag that was cut short, and so could be guessed, does not open", () => {
  const sealed = seal(key, place, "");
  expect(unseal(key, place, sealed)).toBe("");
  expect(() => unseal(key, place, sealed.subarray(0, 1 + 12 + 4))).toThrow("Invalid authentication tag length");
});
