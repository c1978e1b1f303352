// Telling addresses of objects from paths of manifests, where a command takes both.
import { existsSync } from "node:fs";
import { parseAddress } from "../../core/identity.ts";

/** An address looks like a path; where there is such a file, it is one. */
export function splitAddresses(given: readonly string[]): {
  readonly addresses: readonly string[];
  readonly paths: readonly string[];
} {
  const addresses = given.filter((one) => parseAddress(one) !== undefined && !existsSync(one));
  return { addresses, paths: given.filter((one) => !addresses.includes(one)) };
}
