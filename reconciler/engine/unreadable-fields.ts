// The fields of an object that cannot be compared with it, because the API does not show their values.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { fieldsOf, isMasked } from "../../core/kind/fields.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Traits } from "../../core/schema/traits.ts";
import type { DesiredObject } from "../model/index.ts";

/** Returns the given fields that the API never returns, or masks in this object. */
export function unreadableFields(kind: Kind, spec: JsonObject): string[] {
  return fieldsOf(kind)
    .filter(({ name, traits }) => spec[name] !== undefined && isHidden(traits, spec))
    .map(({ name }) => name);
}

function isHidden(traits: Traits, spec: JsonObject): boolean {
  return traits.writeOnly === true || isMasked(traits, spec);
}

/** Reports the fields that the API does not show in one note. */
export function notVerifiableNotes(desiredObjects: readonly DesiredObject[]): Diagnostic[] {
  const counts = new Map<string, number>();
  for (const { kind, spec } of desiredObjects) {
    for (const name of unreadableFields(kind, spec)) {
      const field = `${kind.name}.${name}`;
      counts.set(field, (counts.get(field) ?? 0) + 1);
    }
  }
  if (counts.size === 0) return [];
  const fields = [...counts].map(
    ([field, count]) => `${field} of ${count} ${count === 1 ? "object" : "objects"}`,
  );
  return [
    {
      code: "not-verifiable",
      severity: "info",
      summary: `drift is not detected in what cannot be read back: ${fields.join(", ")}`,
    },
  ];
}
