// Remembers the objects that a run deletes: an object that referred to one must refer again to the one that replaces it.
import { nameOf } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { updatableReferencesOf } from "../../core/kind/references.ts";

/** The objects that a run deleted. */
export interface DeletedObjects {
  add(kind: Kind, spec: JsonObject): void;
  /**
   * Returns the fields that refer to a deleted object and can change in place. The server dropped these references, so they
   * are written again even if the new object has the same name.
   */
  fieldsReferringTo(kind: Kind, spec: JsonObject): ReadonlySet<string>;
}

/** Creates an empty record. */
export function createDeletedObjects(): DeletedObjects {
  const deleted = new Set<string>();
  const identity = (kind: string, name: unknown): string => JSON.stringify([kind, name]);
  return {
    add: (kind, spec) => void deleted.add(identity(kind.name, nameOf(kind, spec))),
    fieldsReferringTo: (kind, spec) => {
      if (deleted.size === 0) return new Set();
      const references = updatableReferencesOf(kind, spec).filter((one) =>
        deleted.has(identity(one.kind, one.value)),
      );
      return new Set(references.map(({ field }) => field));
    },
  };
}
