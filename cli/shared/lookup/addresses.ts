// Separates addresses from manifest paths in arguments that accept both.
import { existsSync } from "node:fs";
import { parseAddress } from "../../../core/kind/identity.ts";

/** An address looks like a path; an existing file wins. */
export function splitAddresses(given: readonly string[]): {
  readonly addresses: readonly string[];
  readonly paths: readonly string[];
} {
  const addresses = given.filter((one) => parseAddress(one) !== undefined && !existsSync(one));
  return { addresses, paths: given.filter((one) => !addresses.includes(one)) };
}
