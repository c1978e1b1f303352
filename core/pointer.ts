// JSON Pointers: where in a document something is, as text and as steps.
import { isObject, type JsonValue } from "./json.ts";

/** `["labels", "a/b"]` -> `/labels/a~1b`; no steps are the empty pointer, the whole document. */
export function joinPointer(steps: readonly (string | number)[]): string {
  return steps
    .map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`)
    .join("");
}

/** The steps of a pointer; the inverse of {@link joinPointer}. */
export function splitPointer(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** What stands at a JSON Pointer through members alone; undefined where nothing does, or it lies in a list. */
export function memberAt(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  return splitPointer(pointer).reduce<JsonValue | undefined>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}
