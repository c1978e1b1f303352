// Creates resources of a bulk request that refer to each other: first without the references, then whole (RFC 7644, section 3.7.1).
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";

/** A value that stands for the ID of a resource that the request creates. */
export const reference = /^bulkId:(.+)$/i;

/** A resource to create. */
interface Draft {
  readonly bulkId: string;
  readonly data: JsonObject;
}

/** Writes the resource of one operation. */
interface Writer<Operation> {
  readonly create: (operation: Operation, data: JsonObject) => Promise<number>;
  /** Writes the whole resource, with the IDs of the others. */
  readonly complete: (operation: Operation, id: string) => Promise<unknown>;
}

/**
 * Creates resources that refer to each other, and returns their IDs by `bulkId`. Also adds these IDs to `created`, even
 * if one of the resources cannot be written; the caller undoes both.
 */
export async function createCycle<Operation extends Draft>(
  cycle: readonly Operation[],
  created: Map<string, string>,
  { create, complete }: Writer<Operation>,
): Promise<ReadonlyMap<string, number>> {
  const names = new Set(cycle.map(({ bulkId }) => bulkId));
  const ids = new Map<string, number>();
  for (const operation of cycle) {
    const data = withoutReferences(operation.data, names);
    const id = await create(operation, isObject(data) ? data : {});
    ids.set(operation.bulkId, id);
    created.set(operation.bulkId, String(id));
  }
  for (const operation of cycle) {
    await complete(operation, String(ids.get(operation.bulkId)));
  }
  return ids;
}

/**
 * Returns a value without the parts that refer to one of the names. A complex value is left out together with its
 * `value`.
 */
function withoutReferences(value: JsonValue, names: ReadonlySet<string>): JsonValue | undefined {
  if (typeof value === "string") {
    return names.has(reference.exec(value)?.[1] ?? "") ? undefined : value;
  }
  if (Array.isArray(value)) {
    return (value as readonly JsonValue[]).flatMap((one) => withoutReferences(one, names) ?? []);
  }
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([name, inner]): [string, JsonValue][] => {
    const rest = withoutReferences(inner ?? null, names);
    return rest === undefined ? [] : [[name, rest]];
  });
  const isReference = "value" in value && !kept.some(([name]) => name === "value");
  return isReference ? undefined : Object.fromEntries(kept);
}
