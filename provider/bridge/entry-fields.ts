// Fields that list objects of other resource types, so that writes of those objects change them.
import type { Kind } from "../../core/kind/kind.ts";

/**
 * Returns the names of the fields of a kind whose entries objects of other kinds declare. See `entryOf` of a kind. If the state
 * holds such a field and the program omits it, an update leaves it unknown: the same run may add or remove entries.
 */
export function entryFieldsOf(kinds: Iterable<Kind>, { name }: Kind): ReadonlySet<string> {
  const fields = [...kinds].flatMap(({ entryOf }) =>
    entryOf?.kind === name ? [entryOf.field] : [],
  );
  return new Set(fields);
}
