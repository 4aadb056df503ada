import { expect, test } from "vitest";
import { networkOf, withoutPorts } from "./network.ts";

test("IPv4 addresses are counted apart, also when they come as IPv6", () => {
  expect(networkOf("::ffff:192.0.2.1")).toBe(networkOf("192.0.2.1"));
  expect(networkOf("192.0.2.1")).not.toBe(networkOf("192.0.2.2"));
});

test("IPv6 addresses of one network are counted together, those of another apart", () => {
  expect(networkOf("2001:db8:0:1::1")).toBe(networkOf("2001:db8:0:1:ffff::2"));
  expect(networkOf("2001:db8:0:1::1")).not.toBe(networkOf("2001:db8:0:2::1"));
});

test("a caller who has hung up has no address, and that is no fault", () => {
  const gone: { ip?: string } = {};
  expect(networkOf(gone.ip as string)).toBe("");
});

test.each([
  ["192.0.2.1:50123", "192.0.2.1"],
  ["192.0.2.1", "192.0.2.1"],
  ["[2001:db8::1]:50123", "2001:db8::1"],
  ["[2001:db8::1]", "2001:db8::1"],
  ["2001:db8::1", "2001:db8::1"],
  ["::ffff:192.0.2.1", "::ffff:192.0.2.1"],
  ["198.51.100.7:1, [2001:db8::1]:2 ,192.0.2.1:3", "198.51.100.7, 2001:db8::1 ,192.0.2.1"],
  ["unknown, evil:80", "unknown, evil:80"],
  ["x192.0.2.1:80, 192.0.2.1:80 x", "x192.0.2.1:80, 192.0.2.1:80 x"],
])("of the forwarded addresses %s the ports and brackets are left out", (forwarded, plain) => {
  expect(withoutPorts(forwarded)).toBe(plain);
});
