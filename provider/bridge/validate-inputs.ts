// Validates the known part of inputs. Reports all errors in one run, each with its exact location.
import type { TSchema } from "typebox";
import type { DiagnosticCode } from "../../core/diagnostics.ts";
import { canClear, type FieldInfo, membersOf } from "../../core/kind/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { exactNumberRemedy, inexactPointer } from "../../core/text/exact-numbers.ts";
import { joinPointer } from "../../core/pointer.ts";
import { memoizePerSchema, variantFor } from "../../core/schema/schema.ts";
import { validator } from "../../core/schema/validate.ts";
import type { SchemaValidationError } from "../../core/schema/validation-messages.ts";
import { unknownAsNull, type Inputs, unknownPointers } from "./unknown-values.ts";

/** One error or warning. It never contains the value. */
export interface Finding {
  readonly code: DiagnosticCode;
  readonly severity: "error" | "warning";
  /** JSON Pointer to the field, including a missing or unknown one. */
  readonly path: string;
  /** A predicate whose subject is the field: `must be at most 5`. */
  readonly message: string;
  readonly remedy?: string;
}

/** Returns all errors in the inputs of an object of this kind. Unknown values are not checked. */
export function validateInputs(kind: Kind, inputs: Inputs): readonly Finding[] {
  const withoutUnknowns = unknownAsNull(inputs);
  const given = isObject(withoutUnknowns) ? withoutUnknowns : {};
  const unknown = unknownPointers(inputs);
  const fields = membersOf(kind.spec);
  const checked = omitClearedFields(fields, given, { unknown, at: [] });
  return [
    ...validator(inputSchema(kind.spec))(checked)
      .filter((violation) => isCertain(violation, unknown))
      .map((violation) => toFinding(violation)),
    ...inexactNumbers(given),
    ...(kind.offlineErrors?.(given) ?? [])
      .filter(({ path }) => isKnown(path, unknown))
      .map(({ path, message, remedy }): Finding => ({
        code: "out-of-bounds",
        severity: "error",
        path,
        message,
        ...(remedy !== undefined && { remedy }),
      })),
    ...deprecationWarnings(fields, given),
  ];
}

/** Engines pass numbers as doubles, which have lost the digits that they cannot hold. */
function inexactNumbers(given: JsonObject): readonly Finding[] {
  const path = inexactPointer(given);
  if (path === undefined) return [];
  const message = "has a number that is too large to be exact";
  return [{ code: "out-of-bounds", severity: "error", path, message, remedy: exactNumberRemedy }];
}

/** Returns the schema of inputs: the schema of a kind allows additional properties, inputs do not. */
export const inputSchema = memoizePerSchema((schema): TSchema => ({
  ...schema,
  additionalProperties: false,
}));

/** Keywords whose result does not depend on unknown values inside the value. */
const wholeValueKeywords = new Set(["minItems", "maxItems", "minProperties", "maxProperties"]);

function isCertain(
  { code, path, keyword }: SchemaValidationError,
  unknown: readonly string[],
): boolean {
  if (unknown.some((pointer) => path.startsWith(`${pointer}/`))) return false;
  if (code === "unknown-field" || code === "missing-field") return true;
  return !unknown.some(
    (pointer) =>
      path === pointer || (pointer.startsWith(`${path}/`) && !wholeValueKeywords.has(keyword)),
  );
}

/** Returns whether a value has no unknown part. */
function isKnown(path: string, unknown: readonly string[]): boolean {
  return !unknown.some(
    (pointer) =>
      pointer === path || pointer.startsWith(`${path}/`) || path.startsWith(`${pointer}/`),
  );
}

function toFinding({ code, path, message, remedy }: SchemaValidationError): Finding {
  return { code, severity: "error", path, message, ...(remedy !== undefined && { remedy }) };
}

/** Finds unknown top-level fields. The schema of a kind allows additional properties; inputs do not. */
function deprecationWarnings(fields: readonly FieldInfo[], given: JsonObject): readonly Finding[] {
  return fields.flatMap(({ name, traits: { deprecated } }) =>
    deprecated === undefined || given[name] === undefined
      ? []
      : [
          {
            code: "deprecated" as const,
            severity: "warning" as const,
            path: joinPointer([name]),
            message: `is deprecated: ${deprecated}`,
          },
        ],
  );
}

/** Removes the members that are `null` and can be cleared. */
function omitClearedFields(
  fields: readonly FieldInfo[],
  given: JsonObject,
  { unknown, at }: { unknown: readonly string[]; at: readonly string[] },
): JsonObject {
  const byName = new Map(fields.map((field) => [field.name, field]));
  const members = Object.entries(given).flatMap(([name, value]): [string, JsonValue][] => {
    const [field, steps] = [byName.get(name), [...at, name]];
    if (value === undefined) return [];
    if (field === undefined) return [[name, value]];
    const isCleared = value === null && !unknown.includes(joinPointer(steps));
    if (isCleared && canClear(field)) return [];
    if (!isObject(value)) return [[name, value]];
    const inner = innerFields(field.schema, value);
    return [
      [name, inner.length === 0 ? value : omitClearedFields(inner, value, { unknown, at: steps })],
    ];
  });
  return Object.fromEntries(members);
}

function innerFields(schema: TSchema, value: JsonValue): readonly FieldInfo[] {
  const variant = variantFor(schema, value);
  return variant === undefined ? [] : membersOf(variant);
}
