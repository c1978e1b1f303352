// Determines which spec field a request member comes from: rebuilds the request with one value removed at a time.
// If the member changes, it comes from that value. No mapping has to be declared.
import { type ValidationError, Failure } from "../core/errors.ts";
import { equal, isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { ObjectWrite, Binding } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { joinPointer, splitPointer, valueAt } from "../core/pointer.ts";

/** A call for one object. */
export interface CallRecord {
  readonly binding: Pick<Binding, "input">;
  readonly write: ObjectWrite;
  readonly prerequisiteValue: unknown;
}

/** Maps the validation errors of a failed call from request members to spec fields, or to the whole spec if no field is found. */
export function withFieldOrigins(failure: Failure, call: CallRecord): Failure {
  const validationErrors = reportedErrors(failure).map(({ path, message }): ValidationError => {
    const place = splitPointer(path);
    const field = fieldOriginOf(call, place);
    if (field !== undefined) return { path: field, message };
    return { path: "", message: `${place.join(".")}: ${message}` };
  });
  if (validationErrors.every(({ path }) => path === "")) return failure;
  const { code, message, cause, details, retryAfter, remedy } = failure;
  return new Failure(code, message, {
    cause,
    validationErrors,
    ...(details !== undefined && { details }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(remedy !== undefined && { remedy }),
  });
}

/** Returns the validation errors that the client read. */
function reportedErrors({ details }: Failure): readonly ValidationError[] {
  const errors = details?.["errors"];
  return Array.isArray(errors) ? (errors as readonly ValidationError[]) : [];
}

type Segments = readonly string[];

/** Returns a JSON Pointer to the field; undefined if it is not found. */
function fieldOriginOf(call: CallRecord, place: Segments): string | undefined {
  const steps = traceOrigin(call, place) ?? sameNamedField(call.write.spec, place);
  return steps === undefined || steps.length === 0 ? undefined : joinPointer(steps);
}

/** Returns the spec field of the same name, for a member that the request does not contain. */
function sameNamedField(spec: JsonObject, place: Segments): Segments | undefined {
  const last = place.at(-1);
  return last === undefined || !Object.hasOwn(spec, last) ? undefined : [last];
}

function traceOrigin(
  { binding, write, prerequisiteValue }: CallRecord,
  place: Segments,
): Segments | undefined {
  let left = limits.fieldOriginProbes;
  const sent = (spec: JsonObject): JsonValue | undefined =>
    valueAt(requestParts(binding.input([{ ...write, spec }], prerequisiteValue)), place);
  const before = sent(write.spec);
  if (before === undefined) return undefined;
  const dependsOn = (steps: Segments): boolean => {
    try {
      if (left-- <= 0) return false;
      const without = sent(withoutValue(write.spec, steps));
      // A member that is no longer sent differs from one that was sent as null.
      return without === undefined || !equal(without, before);
    } catch {
      // A codec may fail for a spec without required fields; their origin is then unknown.
      return false;
    }
  };
  const search = (steps: Segments): Segments => {
    const inner = namesIn(valueAt(write.spec, steps)).map((name) => [...steps, name]);
    const found = inner.filter(dependsOn).map(search);
    return bestMatch(found, { spec: write.spec, before, place }) ?? steps;
  };
  const found = search([]);
  return found.length === 0 ? undefined : found;
}

/** Returns the best of several fields: one with the same value, or the same name. Undefined if several match equally. */
function bestMatch(
  found: readonly Segments[],
  { spec, before, place }: { spec: JsonObject; before: JsonValue; place: Segments },
): Segments | undefined {
  const same = found.filter((steps) => equal(valueAt(spec, steps), before));
  const alike = (same.length > 0 ? same : found).filter((one) => one.at(-1) === place.at(-1));
  for (const group of [alike, same, found]) {
    const [only, another] = group;
    if (only !== undefined && another === undefined) return only;
  }
  return undefined;
}

/** Returns the input by the names of request parts that services use. */
function requestParts({ params, query, body }: ReturnType<Binding["input"]>): JsonObject {
  return { path: params, params, query, body } as JsonObject;
}

function namesIn(value: JsonValue | undefined): readonly string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

/** Returns the spec without one value. A list item becomes `null`, so that the indexes of other items do not change. */
function withoutValue(spec: JsonObject, steps: Segments): JsonObject {
  const removed = (
    value: JsonValue | undefined,
    [step, ...rest]: Segments,
  ): JsonValue | undefined => {
    if (step === undefined) return undefined;
    if (Array.isArray(value)) {
      return value.map((item: JsonValue, at) =>
        String(at) === step ? (removed(item, rest) ?? null) : item,
      );
    }
    return isObject(value) ? { ...value, [step]: removed(value[step], rest) } : value;
  };
  return removed(spec, steps) as JsonObject;
}
