// Which field of a wish a member of a request comes from. Nobody declares it: the codec that made the request is asked again,
// with one value less at a time, and where the member then differs, that value is what it comes from.
import { type ValidationError, Failure } from "../core/errors.ts";
import { equal, isObject, type JsonObject, type JsonValue } from "../core/json.ts";
import type { ObjectWrite, Binding } from "../core/kind.ts";
import { limits } from "../core/limits.ts";
import { joinPointer, splitPointer } from "../core/pointer.ts";

/** A call about one object, as it was made. */
export interface CallRecord {
  readonly binding: Pick<Binding, "input">;
  readonly write: ObjectWrite;
  readonly prerequisiteValue: unknown;
}

/** The refusal of a call, with what it says of members of the request said of fields of the wish; of the whole wish where no field can be told. */
export function withFieldOrigins(failure: Failure, made: CallRecord): Failure {
  const complaints = reportedErrors(failure).map(({ path, message }): ValidationError => {
    const place = splitPointer(path);
    const field = fieldOriginOf(made, place);
    if (field !== undefined) return { path: field, message };
    return { path: "", message: `${place.join(".")}: ${message}` };
  });
  if (complaints.every(({ path }) => path === "")) return failure;
  const { code, message, cause, details, retryAfter, remedy } = failure;
  return new Failure(code, message, {
    cause,
    validationErrors: complaints,
    ...(details !== undefined && { details }),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(remedy !== undefined && { remedy }),
  });
}

/** What the client read of the refusal. */
function reportedErrors({ details }: Failure): readonly ValidationError[] {
  const errors = details?.["errors"];
  return Array.isArray(errors) ? (errors as readonly ValidationError[]) : [];
}

type Segments = readonly string[];

/** JSON Pointer to the field; undefined where it cannot be told. */
function fieldOriginOf(made: CallRecord, place: Segments): string | undefined {
  const steps = traceOrigin(made, place) ?? sameNamedField(made.write.spec, place);
  return steps === undefined || steps.length === 0 ? undefined : joinPointer(steps);
}

/** For a member that the request does not have: the field of the same name, which the wish then lacks or does not send. */
function sameNamedField(spec: JsonObject, place: Segments): Segments | undefined {
  const last = place.at(-1);
  return last === undefined || !Object.hasOwn(spec, last) ? undefined : [last];
}

function traceOrigin(
  { binding: way, write: subject, prerequisiteValue: fact }: CallRecord,
  place: Segments,
): Segments | undefined {
  let left = limits.fieldOriginProbes;
  const sent = (spec: JsonObject): JsonValue | undefined =>
    valueAt(requestParts(way.input([{ ...subject, spec }], fact)), place);
  const before = sent(subject.spec);
  if (before === undefined) return undefined;
  const dependsOn = (steps: Segments): boolean => {
    try {
      return left-- > 0 && !equal(sent(withoutValue(subject.spec, steps)), before);
    } catch {
      // A codec need not take a wish without what is required; what it cannot do without is then not told.
      return false;
    }
  };
  const search = (steps: Segments): Segments => {
    const inner = namesIn(valueAt(subject.spec, steps)).map((name) => [...steps, name]);
    const found = inner.filter(dependsOn).map(search);
    return bestMatch(found, { spec: subject.spec, before, place }) ?? steps;
  };
  const found = search([]);
  return found.length === 0 ? undefined : found;
}

/** The one that is meant among several: that which holds the very value, or is called so. Undefined where nothing tells. */
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

/** The input by the names that services call its parts. */
function requestParts({ params, query, body }: ReturnType<Binding["input"]>): JsonObject {
  return { path: params, params, query, body } as JsonObject;
}

function valueAt(value: JsonValue | undefined, steps: Segments): JsonValue | undefined {
  let held = value;
  for (const step of steps) {
    if (Array.isArray(held)) held = (held as readonly JsonValue[])[Number(step)];
    else if (isObject(held) && Object.hasOwn(held, step)) held = held[step];
    else return undefined;
  }
  return held;
}

function namesIn(value: JsonValue | undefined): readonly string[] {
  return typeof value === "object" && value !== null ? Object.keys(value) : [];
}

/** The wish without one of its values; an item of a list becomes `null`, so that the others stay where they are. */
function withoutValue(spec: JsonObject, steps: Segments): JsonObject {
  const taken = (
    value: JsonValue | undefined,
    [step, ...rest]: Segments,
  ): JsonValue | undefined => {
    if (step === undefined) return undefined;
    if (Array.isArray(value)) {
      return value.map((item: JsonValue, at) =>
        String(at) === step ? (taken(item, rest) ?? null) : item,
      );
    }
    return isObject(value) ? { ...value, [step]: taken(value[step], rest) } : value;
  };
  return taken(spec, steps) as JsonObject;
}
