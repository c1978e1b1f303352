// Decides about fields for rights that a configuration no longer declares.
import { fieldsOf } from "../kind/fields.ts";
import type { JsonObject } from "../json.ts";
import type { Kind } from "../kind/kind.ts";

/** The fields for rights that are no longer declared. */
export interface RemovedRights {
  /** The values that take the rights away. They count as declared. */
  readonly taken: JsonObject;
  /** The fields that must stay declared, because rights could grow without them. */
  readonly refused: readonly string[];
}

/** Returns what becomes of the fields of `before`, the configuration of the last write, that `declared` leaves out. */
export function removedRights(
  kind: Kind,
  before: Readonly<Record<string, unknown>>,
  declared: Readonly<Record<string, unknown>>,
): RemovedRights {
  const removed = fieldsOf(kind).filter(
    ({ name }) => (before[name] ?? null) !== null && declared[name] === undefined,
  );
  const taken = removed.flatMap(({ name, traits: { whenRemoved } }) =>
    typeof whenRemoved === "object" ? [[name, whenRemoved.becomes] as const] : [],
  );
  const refused = removed.filter(({ traits }) => traits.whenRemoved === "refuse");
  return { taken: Object.fromEntries(taken), refused: refused.map(({ name }) => name) };
}

/** Returns why a field must stay declared, as the end of a sentence about it. */
export const removalRefused = "is no longer declared, and without it the rights could grow";
