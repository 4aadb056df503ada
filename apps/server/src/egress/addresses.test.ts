import { expect, test } from "vitest";
import { isAllowedAddress, parseAllowList } from "./addresses.ts";

const nothing = parseAllowList([]);

test.each([
  ["loopback", "127.0.0.1"],
  ["all of 127/8", "127.255.1.2"],
  ["this host", "0.0.0.0"],
  ["private 10/8", "10.1.2.3"],
  ["private 172.16/12", "172.31.255.255"],
  ["private 192.168/16", "192.168.0.1"],
  ["link-local, where clouds keep their metadata", "169.254.169.254"],
  ["carrier-grade NAT, Alibaba's metadata", "100.100.100.200"],
  ["protocol assignments, Oracle's metadata", "192.0.0.192"],
  ["Azure's wire server", "168.63.129.16"],
  ["multicast", "224.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["IPv6 loopback", "::1"],
  ["IPv6 unspecified", "::"],
  ["IPv6 link-local", "fe80::1"],
  ["IPv6 unique local, Amazon's metadata", "fd00:ec2::254"],
  ["IPv4-mapped loopback", "::ffff:127.0.0.1"],
  ["IPv4-mapped private in hex", "::ffff:c0a8:1"],
  ["IPv4-compatible loopback", "::127.0.0.1"],
  ["NAT64 of loopback", "64:ff9b::7f00:1"],
  ["6to4 of loopback", "2002:7f00:1::"],
  ["Teredo", "2001:0:53aa:64c::1"],
  ["documentation", "2001:db8::1"],
  ["space that nobody has been given", "4000::1"],
  ["no address at all", "localhost"],
])("%s is refused", (_what, address) => {
  expect(isAllowedAddress(address, "shop.example", 443, nothing)).toBe(false);
});

test.each(["8.8.8.8", "1.1.1.1", "2606:4700:4700::1111", "::ffff:8.8.8.8"])("public address %s is allowed", (address) => {
  expect(isAllowedAddress(address, "shop.example", 443, nothing)).toBe(true);
});

test("an allowed host holds for its name, and for its port if it names one", () => {
  const allow = parseAllowList(["localhost:8090", "[0:0::1]:8091", "erp.internal"]);
  expect(isAllowedAddress("127.0.0.1", "localhost", 8090, allow)).toBe(true);
  expect(isAllowedAddress("127.0.0.1", "localhost", 5432, allow)).toBe(false);
  expect(isAllowedAddress("127.0.0.1", "other.example", 8090, allow)).toBe(false);
  expect(isAllowedAddress("::1", "[::1]", 8091, allow)).toBe(true);
  expect(isAllowedAddress("10.0.0.9", "ERP.internal", 1433, allow)).toBe(true);
});

test("an allowed range holds for every name and port, and for the mapped form of its addresses", () => {
  const allow = parseAllowList(["10.20.0.0/16", "fd12::/32"]);
  expect(isAllowedAddress("10.20.3.4", "erp.internal", 443, allow)).toBe(true);
  expect(isAllowedAddress("::ffff:10.20.3.4", "erp.internal", 443, allow)).toBe(true);
  expect(isAllowedAddress("10.21.3.4", "erp.internal", 443, allow)).toBe(false);
  expect(isAllowedAddress("fd12::9", "erp.internal", 443, allow)).toBe(true);
});

test.each(["10.0.0.0/33", "shop.example:port", "http://shop.example", "a b", "256.1.1.1", "shop.example:65536"])(
  "an entry like %s is named",
  (entry) => {
    expect(() => parseAllowList([entry])).toThrow(`'${entry}' is neither a host`);
  },
);
