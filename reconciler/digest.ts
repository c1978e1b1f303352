// Digests that tell whether something moved: of a live object's fields, of an inventory's entries.
import { createHash } from "node:crypto";
import { canonical, type JsonValue } from "../core/json.ts";
import type { Kind, Sight } from "../core/kind.ts";
import { normalizeLive } from "../core/normalize.ts";
import type { Inventory, Precondition } from "./model.ts";

/** SHA-256 of the canonical JSON, hexadecimal. */
export function digest(value: JsonValue): string {
  return createHash("sha256").update(canonical(value)).digest("hex");
}

/** The same for inventories that hold the same entries. */
export function inventoryDigest({ entries }: Inventory): string {
  const hash = createHash("sha256");
  // Entry by entry: the text of a large inventory in one piece is costly to put together.
  for (const address of Object.keys(entries).toSorted()) {
    hash.update(canonical([address, entries[address] ?? null]));
  }
  return hash.digest("hex");
}

/** The precondition that `sight` still shows these fields as it does now; absence where there is none. */
export function preconditionOf(
  kind: Kind,
  sight: Sight | undefined,
  fields: Iterable<string>,
): Precondition {
  if (sight === undefined) return { absent: true };
  const sorted = [...new Set(fields)].toSorted();
  return { digest: sightDigest(kind, sight, sorted), fields: sorted };
}

/** True when the world is still as the precondition says. */
export function holds(precondition: Precondition, kind: Kind, sight: Sight | undefined): boolean {
  if ("absent" in precondition) return sight === undefined;
  return (
    sight !== undefined && sightDigest(kind, sight, precondition.fields) === precondition.digest
  );
}

function sightDigest(kind: Kind, sight: Sight, fields: readonly string[]): string {
  const spec = normalizeLive(kind, sight.spec);
  return digest([sight.id ?? null, fields.map((name) => spec[name] ?? null)]);
}
