// Applies patches to JSON values: RFC 7386 (merge patch) and RFC 6902 (JSON Patch). Values are not modified in place.
import { equal, isObject, type JsonObject, type JsonValue } from "./json.ts";
import { limits } from "./limits.ts";
import { splitPointer } from "./pointer.ts";

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
  let value = target;
  let copied = 0;
  for (const [index, operation] of operations.entries()) {
    try {
      if (operation.op === "copy") copied += sizeOf(requiredValueAt(value, operation.from ?? ""));
      if (copied > limits.bodyValues) throw new PatchError("the operations copy too many values");
      value = applyOperation(value, operation);
    } catch (error) {
      if (error instanceof PatchError) return { failed: index, reason: error.message };
      throw error;
    }
  }
  return { value };
}

/** An operation that cannot be applied. Internal to this file. */
class PatchError extends Error {}

function applyOperation(
  value: JsonValue,
  { op, path, from = "", value: given }: PatchOperation,
): JsonValue {
  switch (op) {
    case "add":
      return add(value, path, given ?? null);
    case "remove":
      return editAt(value, path, { op });
    case "replace":
      requiredValueAt(value, path);
      return path === "" ? (given ?? null) : editAt(value, path, { op, value: given ?? null });
    case "copy":
      return add(value, path, requiredValueAt(value, from));
    case "move": {
      if (path.startsWith(`${from}/`)) throw new PatchError(`"${from}" cannot move into itself`);
      const moved = requiredValueAt(value, from);
      return add(from === "" ? value : editAt(value, from, { op: "remove" }), path, moved);
    }
    case "test":
      if (equal(requiredValueAt(value, path), given ?? null)) return value;
      throw new PatchError(`the value at "${path}" is different`);
  }
}

function add(value: JsonValue, path: string, given: JsonValue): JsonValue {
  return path === "" ? given : editAt(value, path, { op: "add", value: given });
}

/** Returns the value at a pointer. Fails if there is none. */
function requiredValueAt(value: JsonValue, path: string): JsonValue {
  let reached: JsonValue | undefined = value;
  for (const step of segmentsOf(path)) {
    if (Array.isArray(reached)) reached = reached[positionIn(reached, step, path)];
    else reached = isObject(reached) ? ownMember(reached, step) : undefined;
    if (reached === undefined) throw new PatchError(`there is no value at "${path}"`);
  }
  return reached;
}

type Edit =
  | { readonly op: "add" | "replace"; readonly value: JsonValue }
  | { readonly op: "remove" };

function editAt(value: JsonValue, path: string, how: Edit): JsonValue {
  if (path === "") throw new PatchError("the whole document cannot be removed");
  const inner = (held: JsonValue, [step = "", ...rest]: readonly string[]): JsonValue => {
    if (rest.length === 0) return editHere(held, { step, path }, how);
    const next = requiredValueAt(held, `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`);
    const made = inner(next, rest);
    if (Array.isArray(held)) return held.with(positionIn(held, step, path), made);
    return { ...(held as JsonObject), [step]: made };
  };
  return inner(value, segmentsOf(path));
}

function editHere(
  held: JsonValue,
  { step, path }: { readonly step: string; readonly path: string },
  how: Edit,
): JsonValue {
  if (Array.isArray(held)) {
    const isEnd = how.op === "add" && (step === "-" || step === String(held.length));
    const index = isEnd ? held.length : positionIn(held, step, path);
    const replaced = how.op === "add" ? 0 : 1;
    return held.toSpliced(index, replaced, ...(how.op === "remove" ? [] : [how.value]));
  }
  if (!isObject(held))
    throw new PatchError(`the parent of "${path}" is neither a list nor an object`);
  if (how.op !== "remove") return { ...held, [step]: how.value };
  if (ownMember(held, step) === undefined) throw new PatchError(`there is no value at "${path}"`);
  const { [step]: _, ...others } = held;
  return others;
}

function segmentsOf(path: string): readonly string[] {
  if (path !== "" && !path.startsWith("/")) throw new PatchError(`"${path}" is not a JSON Pointer`);
  const steps = splitPointer(path);
  if (steps.includes("__proto__")) throw new PatchError(`"${path}" is not a valid field`);
  return steps;
}

function positionIn(list: readonly JsonValue[], step: string, path: string): number {
  const index = /^(?:0|[1-9][0-9]*)$/u.test(step) ? Number(step) : -1;
  if (index >= 0 && index < list.length) return index;
  throw new PatchError(`there is no value at "${path}"`);
}

function ownMember(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function sizeOf(value: JsonValue | undefined): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + sizeOf(inner), 1);
}
