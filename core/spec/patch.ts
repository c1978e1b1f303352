// Applies patches to JSON values: RFC 6902 (JSON Patch) by fast-json-patch, RFC 7386 (merge patch) by own code, since
// json-merge-patch stops without an error at a member named `constructor` or `prototype`. Values are not modified in place.
import jsonPatch, { type JsonPatchError, type Operation } from "fast-json-patch";
import { isObject, type JsonValue } from "../json.ts";
import { limits } from "../limits/limits.ts";
import { splitPointer, valueAt } from "../pointer.ts";

/** One operation of RFC 6902. */
export interface PatchOperation {
  readonly op: "add" | "remove" | "replace" | "move" | "copy" | "test";
  /** JSON Pointer. The last step `-` is the end of a list. */
  readonly path: string;
  /** Source JSON Pointer of `move` and `copy`. */
  readonly from?: string;
  /** Value of `add`, `replace` and `test`. */
  readonly value?: JsonValue;
}

/** The patched value, or the index of the first operation that fails and the reason. */
export type PatchResult =
  | { readonly value: JsonValue }
  | { readonly failed: number; readonly reason: string };

/** Applies a merge patch: merges objects member by member, `null` removes a member, other values replace. */
export function mergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isObject(patch)) return patch;
  // A map, because an assignment to `__proto__` would set the prototype.
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** Applies operations in order, all or none. Limits the amount of copied values. */
export function applyOperations(
  target: JsonValue,
  operations: readonly PatchOperation[],
): PatchResult {
  let value = structuredClone(target);
  let copied = 0;
  for (const [index, operation] of operations.entries()) {
    const reason = refusalOf(value, operation);
    if (reason !== undefined) return { failed: index, reason };
    if (operation.op === "copy") copied += sizeOf(sourceOf(value, operation));
    if (copied > limits.bodyValues) {
      return { failed: index, reason: "the operations copy too many values" };
    }
    try {
      // A copy of the operation's value: later operations may change it in place.
      const given = structuredClone(operation) as Operation;
      value = jsonPatch.applyOperation(value, given, true).newDocument;
    } catch (error) {
      if (error instanceof jsonPatch.JsonPatchError) {
        return { failed: index, reason: reasonOf(error, operation) };
      }
      throw error;
    }
  }
  return { value };
}

/** Returns why an operation is refused that the library would accept: it also reads inherited members and `length`. */
function refusalOf(value: JsonValue, operation: PatchOperation): string | undefined {
  const { op, path, from } = operation;
  const pointers = from === undefined ? [path] : [path, from];
  for (const pointer of pointers) {
    if (pointer !== "" && !pointer.startsWith("/")) return `"${pointer}" is not a JSON Pointer`;
    if (/\/(?:__proto__|constructor\/prototype)(?:\/|$)/u.test(pointer)) {
      return `"${pointer}" is not a valid field`;
    }
  }
  if (op === "remove" && path === "") return "the whole document cannot be removed";
  if (op === "move" && path.startsWith(`${from}/`)) return `"${from}" cannot move into itself`;
  if (op === "add" || sourceOf(value, operation) !== undefined) return undefined;
  return `there is no value at "${from ?? path}"`;
}

function sourceOf(value: JsonValue, { path, from }: PatchOperation): JsonValue | undefined {
  return valueAt(value, splitPointer(from ?? path));
}

function reasonOf({ name }: JsonPatchError, { path }: PatchOperation): string {
  return name === "TEST_OPERATION_FAILED"
    ? `the value at "${path}" is different`
    : `there is no value at "${path}"`;
}

function sizeOf(value: JsonValue | undefined): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + sizeOf(inner), 1);
}
