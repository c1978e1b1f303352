// Warns of values that have no effect because of other objects that the stack declares. Sends no requests.
import type { Diagnostic } from "../../core/diagnostics.ts";
import { address as addressOf, keyOf } from "../../core/kind/identity.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { DeclaredObjects } from "../../core/kind/server-checks.ts";
import type { DesiredObject } from "./index.ts";
import { ineffectiveValues } from "./value-diagnostics.ts";

/** Returns the warnings of all objects, in their order. */
export function declaredWarnings(objects: readonly DesiredObject[]): readonly Diagnostic[] {
  const checked = objects.filter(({ kind }) => kind.offlineWarnings !== undefined);
  if (checked.length === 0) return [];
  const declared = declaredObjects(objects);
  return checked.flatMap((object) =>
    ineffectiveValues(object, object.kind.offlineWarnings?.(object.spec, declared) ?? []),
  );
}

function declaredObjects(objects: readonly DesiredObject[]): DeclaredObjects {
  const kinds = new Map<string, Kind>();
  const specs = new Map(
    objects.map(({ kind, key, spec }) => {
      kinds.set(kind.name, kind);
      return [addressOf(kind.name, key), spec];
    }),
  );
  return (name, key) => {
    const kind = kinds.get(name);
    return kind && specs.get(addressOf(name, keyOf(kind, key)));
  };
}
