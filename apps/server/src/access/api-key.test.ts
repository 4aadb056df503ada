import { expect, test } from "vitest";
import { apiKeyPrefix, createApiKey, isOwnApiKey } from "./api-key.ts";

const secret = Buffer.alloc(32);
const key = createApiKey(secret);

test("a key is known as made with the secret, and no two are alike", () => {
  expect(isOwnApiKey(secret, key)).toBe(true);
  expect(createApiKey(secret)).not.toBe(key);
});

test.each([
  ["made with another secret", createApiKey(Buffer.alloc(32, 1))],
  ["with another character", key.replace(/(?<=^.{9})./, (letter) => (letter === "a" ? "b" : "a"))],
  ["with another signature", key.slice(0, -22) + createApiKey(secret).slice(-22)],
  ["cut off", key.slice(0, -1)],
  ["with something behind it", `${key}=`],
  ["that is the prefix alone", apiKeyPrefix],
])("a key %s is known as none of ours", (_, other) => {
  expect(isOwnApiKey(secret, other)).toBe(false);
});
