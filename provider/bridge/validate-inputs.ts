// What is wrong with inputs, as far as they are known: every mistake at once, each at its exact place.
import type { TSchema } from "typebox";
import type { DiagnosticCode } from "../../core/diagnostics.ts";
import { canClear, type FieldInfo, membersOf } from "../../core/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { closestMatch } from "../../core/naming.ts";
import { joinPointer } from "../../core/pointer.ts";
import { variantFor } from "../../core/schema.ts";
import { validator, type SchemaValidationError } from "../../core/validate.ts";
import { unknownAsNull, type Inputs, unknownPointers } from "./unknown-values.ts";

/** One mistake; it never holds the value itself. */
export interface Finding {
  readonly code: DiagnosticCode;
  readonly severity: "error" | "warning";
  /** JSON Pointer to the field, also to one that is missing or unknown. */
  readonly path: string;
  /** Continues a sentence whose subject is the field: `must be at most 5`. */
  readonly message: string;
  readonly remedy?: string;
}

/** Everything that is wrong with the inputs of an object of this kind; what is not known yet may still turn out wrong. */
export function validateInputs(kind: Kind, inputs: Inputs): readonly Finding[] {
  const blank = unknownAsNull(inputs);
  const given = isObject(blank) ? blank : {};
  const unknown = unknownPointers(inputs);
  const fields = membersOf(kind.spec);
  const checked = omitClearedFields(fields, given, { unknown, at: [] });
  return [
    ...unknownFields(fields, given),
    ...validator(kind.spec)(checked)
      .filter((violation) => isCertain(violation, unknown))
      .map((violation) => toFinding(violation)),
    ...deprecationWarnings(fields, given),
  ];
}

/** Said of a value as a whole; these hold whatever its unknown parts turn out to be. */
const wholeValueKeywords = new Set([
  "required",
  "additionalProperties",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
]);

function isCertain({ path, keyword }: SchemaValidationError, unknown: readonly string[]): boolean {
  return !unknown.some(
    (place) =>
      path === place ||
      path.startsWith(`${place}/`) ||
      (place.startsWith(`${path}/`) && !wholeValueKeywords.has(keyword)),
  );
}

function toFinding({ path, keyword, message, params }: SchemaValidationError): Finding {
  const said = { severity: "error", path, message } as const;
  const named = (name: JsonValue | undefined): string =>
    path + joinPointer([typeof name === "string" ? name : ""]);
  switch (keyword) {
    case "required":
      return {
        ...said,
        code: "missing-field",
        path: named(params["missingProperty"]),
        message: "is required",
      };
    case "additionalProperties":
      return {
        ...said,
        code: "unknown-field",
        path: named(params["additionalProperty"]),
        message: "is not a field that there is",
      };
    case "type":
    case "anyOf":
    case "oneOf":
      return { ...said, code: "wrong-type" };
    default:
      return { ...said, code: "out-of-bounds" };
  }
}

/** The spec of a kind leaves open what else it holds; a wish does not. */
function unknownFields(fields: readonly FieldInfo[], given: JsonObject): readonly Finding[] {
  const names = fields.map(({ name }) => name);
  return Object.keys(given)
    .filter((name) => !names.includes(name))
    .map((name) => {
      const meant = closestMatch(name, names);
      return {
        code: "unknown-field",
        severity: "error",
        path: joinPointer([name]),
        message: "is not a field that there is",
        remedy: meant === undefined ? `There are ${names.join(", ")}.` : `Did you mean ${meant}?`,
      };
    });
}

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

/** Without the members that are `null` to be cleared, where they can be. */
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
    const isGap = value === null && !unknown.includes(joinPointer(steps));
    if (isGap && canClear(field)) return [];
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
