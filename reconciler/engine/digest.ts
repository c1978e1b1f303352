// Computes digests that detect changes of a live object's fields or of an inventory's entries.
import { createHash } from "node:crypto";
import { canonical, type JsonValue } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import { createTextHash } from "../../core/text/text-hash.ts";
import { normalizeLive } from "../../core/spec/normalize.ts";
import { type Fingerprint, splitSecrets } from "../../core/spec/record.ts";
import { splitPointer } from "../../core/pointer.ts";
import { ownedAddresses } from "../model/stack-index.ts";
import type { Inventory, Precondition } from "../model/index.ts";

/** Returns the SHA-256 of the canonical JSON, hexadecimal. */
export function digest(value: JsonValue): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
}

/**
 * Returns a digest of the entries; equal for inventories that a store returns with the same entries. Stores keep the order of
 * members, so the entries need no canonical form. Computing it takes a seventh of a plan without changes.
 */
export function inventoryDigest({ entries }: Inventory): string {
  const hash = createTextHash();
  for (const address of ownedAddresses(entries).toSorted()) {
    hash.add(JSON.stringify([address, entries[address] ?? null]));
  }
  return hash.digest();
}

/**
 * Returns the precondition that the observed object still has these values, or is still absent. Readable secrets count
 * only as their fingerprints.
 */
export function preconditionOf(
  kind: Kind,
  observed: ObservedObject | undefined,
  { fields, of }: { readonly fields: Iterable<string>; readonly of: Fingerprint },
): Precondition {
  if (observed === undefined) return { absent: true };
  const sorted = [...new Set(fields)].toSorted();
  return { digest: observedDigest(kind, observed, { fields: sorted, of }), fields: sorted };
}

/** True if the live object still meets the precondition; `of` makes its fingerprints. */
export function preconditionHolds(
  precondition: Precondition,
  { kind, of }: { readonly kind: Kind; readonly of: Fingerprint },
  observed: ObservedObject | undefined,
): boolean {
  if ("absent" in precondition) return observed === undefined;
  const { fields } = precondition;
  return (
    observed !== undefined && observedDigest(kind, observed, { fields, of }) === precondition.digest
  );
}

function observedDigest(
  kind: Kind,
  observed: ObservedObject,
  { fields, of }: { readonly fields: readonly string[]; readonly of: Fingerprint },
): string {
  const { visible: shown, secretFingerprints: secrets } = splitSecrets(
    kind,
    normalizeLive(kind, observed.spec),
    of,
  );
  const seen = digest([observed.id ?? null, fields.map((name) => shown[name] ?? null)]);
  const watched = Object.entries(secrets).filter(([name]) =>
    fields.includes(splitPointer(`/${name}`)[0] ?? ""),
  );
  return watched.length === 0 ? seen : digest([seen, Object.fromEntries(watched)]);
}
