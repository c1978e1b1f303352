// Classifies IP addresses with ipaddr.js: which are outside the public internet, and which belong to one client.
import ipaddr from "ipaddr.js";

/** IPv4 addresses inside IPv6, deprecated: `::a.b.c.d`. */
const ipv4Compatible = ipaddr.parseCIDR("::/96");

/** Returns true for an IP address as people write it: four decimal parts, or IPv6. */
export function isAddress(text: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text);
}

/** Returns true for every address that is not a public unicast address, and for text that is not an address. */
export function isPrivateAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return true;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== "unicast") return true;
  return parsed.kind() === "ipv6" && parsed.match(ipv4Compatible);
}

/** Returns true for a loopback address, including the IPv4-mapped form. */
export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === "loopback";
}

/** Returns the network of one client: an IPv4 address, or the /64 network of an IPv6 address. */
export function clientNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  return ipaddr
    .fromByteArray([...parsed.toByteArray().slice(0, 8), ...Array<number>(8).fill(0)])
    .toString();
}
