// Private, loopback and client addresses.
import { describe, expect, it } from "vitest";
import { clientNetwork, isLoopbackAddress, isPrivateAddress } from "./ip-address.ts";

describe("an IP address", () => {
  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "100.64.1.1",
    "192.0.0.8",
    "198.18.0.1",
    "0.1.2.3",
    "::",
    "::1",
    "::ffff:192.168.0.1",
    "::ffff:0:a00:1",
    "::7f00:1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "64:ff9b::a00:1",
    "64:ff9b:1::7f00:1",
    "fd00::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "not an address",
  ])("%s is private", (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each(["93.184.216.34", "::ffff:93.184.216.34", "2606:2800:220:1::1"])(
    "%s is public",
    (address) => {
      expect(isPrivateAddress(address)).toBe(false);
    },
  );

  it.each([
    ["127.0.0.1", true],
    ["127.8.9.1", true],
    ["::1", true],
    ["::ffff:127.0.0.1", true],
    ["10.0.0.1", false],
    ["localhost", false],
  ])("%s is loopback: %s", (address, expected) => {
    expect(isLoopbackAddress(address)).toBe(expected);
  });

  it.each([
    ["203.0.113.1", "203.0.113.1"],
    ["::ffff:203.0.113.1", "203.0.113.1"],
    ["2001:db8:1:2::1", "2001:db8:1:2::"],
    ["2001:db8:1:2:ffff::9%eth0", "2001:db8:1:2::"],
    ["unknown", "unknown"],
  ])("%s belongs to the client network %s", (address, network) => {
    expect(clientNetwork(address)).toBe(network);
  });
});
