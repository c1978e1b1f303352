// JSON Pointers (RFC 6901): joining, splitting, and reading the value at one.
import { isObject, type JsonValue } from "./json.ts";

/** Joins steps into a pointer: `["labels", "a/b"]` -> `/labels/a~1b`. No steps give the empty pointer, the whole document. */
export function joinPointer(steps: readonly (string | number)[]): string {
  let pointer = "";
  // A plain loop, because loading a stack makes a pointer for each member of each document.
  for (const step of steps) pointer += `/${typeof step === "string" ? escapeStep(step) : step}`;
  return pointer;
}

function escapeStep(step: string): string {
  return step.includes("~") || step.includes("/")
    ? step.replaceAll("~", "~0").replaceAll("/", "~1")
    : step;
}

/** Splits a pointer into steps; the inverse of {@link joinPointer}. */
export function splitPointer(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Formats a pointer for people: without escapes, so that the name of a file stays as it is. */
export function readablePointer(pointer: string): string {
  return pointer.includes("~")
    ? splitPointer(pointer)
        .map((step) => `/${step}`)
        .join("")
    : pointer;
}

/** Formats a pointer for messages, after the name of what it points into: `body.groups[2].name`. */
export function memberPath(whole: string, pointer: string): string {
  return splitPointer(pointer).reduce((before, step) => before + formatStep(step), whole);
}

function formatStep(step: string): string {
  if (/^[0-9]+$/.test(step)) return `[${step}]`;
  return /^[A-Za-z_][\w-]*$/.test(step) ? `.${step}` : `[${JSON.stringify(step.slice(0, 80))}]`;
}

/** Returns the value at a JSON Pointer through objects only; undefined if there is none, or if it is in a list. */
export function memberAt(value: JsonValue | undefined, pointer: string): JsonValue | undefined {
  return splitPointer(pointer).reduce<JsonValue | undefined>(
    (inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined),
    value,
  );
}

/** Returns the value at the end of steps through objects and lists; undefined if there is none. */
export function valueAt(
  value: JsonValue | undefined,
  steps: readonly string[],
): JsonValue | undefined {
  return steps.reduce<JsonValue | undefined>((inner, step) => {
    if (Array.isArray(inner)) return isIndex(step) ? inner[Number(step)] : undefined;
    return isObject(inner) && Object.hasOwn(inner, step) ? inner[step] : undefined;
  }, value);
}

/** Returns whether a step is an index of a list: `length` and `01` are not. */
function isIndex(step: string): boolean {
  return /^(?:0|[1-9][0-9]*)$/u.test(step);
}
