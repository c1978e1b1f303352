// Decides about fields that a configuration no longer declares, and about the rights that some of them hold.
import { type FieldInfo, fieldsOf, membersOf } from "../kind/fields.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type { Kind } from "../kind/kind.ts";
import { joinPointer } from "../pointer.ts";

type Values = Readonly<Record<string, unknown>>;

/** The fields that are no longer declared. */
export interface RemovedFields {
  /** The values that take rights away, by top-level field. They count as declared. */
  readonly taken: JsonObject;
  /** The JSON Pointers of fields that must stay declared, because rights could grow without them. */
  readonly refused: readonly string[];
  /** The JSON Pointers of fields that keep their value on the server. */
  readonly kept: readonly string[];
}

/** Returns what becomes of the fields of `before`, the configuration of the last write, that `declared` leaves out. */
export function removedFields(kind: Kind, before: Values, declared: Values): RemovedFields {
  return removedMembers(fieldsOf(kind), [before, declared], "");
}

function removedMembers(
  fields: readonly FieldInfo[],
  [before, declared]: readonly [Values, Values],
  parent: string,
): RemovedFields {
  const taken: Record<string, JsonValue> = {};
  const refused: string[] = [];
  const kept: string[] = [];
  for (const { name, schema, traits } of fields) {
    const [was, is] = [before[name] ?? null, declared[name]];
    if (was === null) continue;
    const pointer = `${parent}${joinPointer([name])}`;
    const { whenRemoved, whenOmitted } = traits;
    if (isRecord(was) && isRecord(is)) {
      const inner = removedMembers(membersOf(schema), [was, is], pointer);
      if (Object.keys(inner.taken).length > 0)
        taken[name] = { ...is, ...inner.taken } as JsonObject;
      refused.push(...inner.refused);
      kept.push(...inner.kept);
    } else if (is === undefined) {
      if (typeof whenRemoved === "object") taken[name] = whenRemoved.becomes;
      else if (whenRemoved === "refuse") refused.push(pointer);
      else if (whenOmitted === undefined) kept.push(pointer);
    }
  }
  return { taken, refused, kept };
}

/** Returns the JSON Pointers of the members that hold rights and are set. */
export function rightsIn(kind: Kind, spec: JsonObject): readonly string[] {
  const search = (fields: readonly FieldInfo[], values: Values, parent: string): string[] =>
    fields.flatMap(({ name, schema, traits }) => {
      const value = values[name] ?? null;
      if (value === null) return [];
      const pointer = `${parent}${joinPointer([name])}`;
      const inner = isRecord(value) ? search(membersOf(schema), value, pointer) : [];
      return traits.whenRemoved !== undefined || inner.length > 0 ? [pointer, ...inner] : inner;
    });
  return search(fieldsOf(kind), spec, "");
}

/** Returns whether a value is a plain object, not one that stands for an unknown value. */
function isRecord(value: unknown): value is Values {
  return (
    typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
  );
}

/** Returns why a field must stay declared, as the end of a sentence about it. */
export const removalRefused = "is no longer declared, and without it the rights could grow";
