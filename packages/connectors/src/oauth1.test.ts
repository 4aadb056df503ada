import { expect, test } from "vitest";
import { oauth1Header } from "./oauth1.ts";

const keys = { consumerKey: "ck", consumerSecret: "cs", token: "ot", tokenSecret: "os" };
const now = new Date(1_700_000_000_000);

test("the same request has another signature with every nonce and every second", () => {
  const header = (nonce: string, at = now) => oauth1Header("GET", "https://x.example.com/api/a?b=1", keys, at, nonce);
  expect(header("n1")).toBe(header("n1"));
  expect(header("n1")).not.toBe(header("n2"));
  expect(header("n1")).not.toBe(header("n1", new Date(now.getTime() + 1000)));
});

test("the signature is that of RFC 5849, computed elsewhere", () => {
  const header = oauth1Header("GET", "https://x.example.com/api/a?b=1%20%C3%A5!", keys, now, "n1");
  expect(header).toContain(`oauth_signature="${encodeURIComponent("imrQcVEdhWeWBPymbFCE8WEl0fw=")}"`);
});
