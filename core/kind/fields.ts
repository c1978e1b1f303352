// The fields of a spec: their traits, whether they can be cleared or read, and the schema of a spec in a manifest.
import { Type, type TObject, type TSchema } from "typebox";
import type { JsonObject } from "../json.ts";
import type { Kind } from "./kind.ts";
import { withArticle } from "../text/naming.ts";
import { memberRulesKeyword, rulesOf } from "../schema/member-rules.ts";
import { admitsNull, mapValues, memoizePerSchema, variants, view } from "../schema/schema.ts";
import { traitsOf, type Traits } from "../schema/traits.ts";

/** A field of a spec, or a member of an object in it. */
export interface FieldInfo {
  readonly name: string;
  readonly schema: TSchema;
  readonly traits: Traits;
  readonly required: boolean;
}

/** Returns the fields of a kind's spec, in declaration order. */
export function fieldsOf(kind: Kind): readonly FieldInfo[] {
  return membersOf(kind.spec);
}

/** Returns the named members of an object schema, in declaration order; none for maps and other schemas. */
export const membersOf = memoizePerSchema((schema): readonly FieldInfo[] => {
  const { properties, required } = view(schema);
  return Object.entries(properties ?? {}).map(([name, property]) => ({
    name,
    schema: property,
    traits: traitsOf(property),
    required: required?.includes(name) ?? false,
  }));
});

/** Returns whether a spec may set the field to `null`: it is optional, updatable, has no default, and the API can clear it. */
export function canClear(field: FieldInfo): boolean {
  const { neverCleared, onChange } = field.traits;
  return (
    !field.required &&
    neverCleared !== true &&
    onChange === undefined &&
    view(field.schema).default === undefined
  );
}

/** Returns whether values must not be shown: the field is a secret, or can be one depending on another field. */
export function isSensitive({ sensitive, maskedWhen }: Traits): boolean {
  return sensitive === true || maskedWhen !== undefined;
}

/** Returns whether the API masks the field in an object with this spec. */
export function isMasked({ maskedWhen }: Traits, spec: JsonObject): boolean {
  const decisive = maskedWhen === undefined ? undefined : spec[maskedWhen.field];
  if (maskedWhen === undefined || typeof decisive !== "string") return false;
  const text = decisive.toUpperCase();
  return maskedWhen.contains.some((word) => text.includes(word.toUpperCase()));
}

/** Returns whether the schema is a map of files, whose texts the API lists by hash. */
export function isFileMap(schema: TSchema): boolean {
  const values = mapValues(schema);
  return values !== undefined && traitsOf(values).listedByHash !== undefined;
}

/** Returns whether the schema contains a sensitive field. */
export const containsSecret = memoizePerSchema((schema): boolean => {
  return isSensitive(traitsOf(schema)) || parts(schema).some(containsSecret);
});

/** Returns whether the API returns a value: always, never, or depending on another field. */
export const readability = memoizePerSchema((schema): "shown" | "hidden" | "maskable" => {
  const { writeOnly, maskedWhen } = traitsOf(schema);
  if (writeOnly === true) return "hidden";
  if (maskedWhen !== undefined) return "maskable";
  const hidesItems = variants(schema).some((one) => {
    const { items } = view(one);
    return items !== undefined && !isShown(items);
  });
  // Lists are compared as a whole, so one hidden part hides the list.
  return hidesItems ? "hidden" : "shown";
});

/**
 * Returns whether omitting the field clears a value that the API never returns. Only the record shows that there is
 * one, so a value that svc did not write is not changed.
 */
export function isClearedFromRecord(schema: TSchema): boolean {
  return traitsOf(schema).whenOmitted === "clear" && readability(schema) === "hidden";
}

/** Returns whether the API always returns the value and everything in it. */
export function isShown(schema: TSchema): boolean {
  return readability(schema) === "shown" && parts(schema).every(isShown);
}

function parts(schema: TSchema): readonly TSchema[] {
  const { properties, items } = view(schema);
  const values = mapValues(schema);
  return [
    ...Object.values(properties ?? {}),
    ...(items === undefined ? [] : [items]),
    ...(values === undefined ? [] : [values]),
    ...variants(schema).filter((one) => one !== schema),
  ];
}

/**
 * Returns the schema of a spec in a manifest: without additional members, with `null` for fields that can be cleared, and
 * with each reference as the name of a document or `{ external: key }`. The schema is built once per kind.
 */
export function desiredSpecSchema(kind: Kind): TObject {
  return desiredSpecSchemaOf(kind.spec);
}

const desiredSpecSchemaOf = memoizePerSchema((schema): TObject => desiredObjectSchema(schema));

function desiredObjectSchema(schema: TSchema): TObject {
  const properties = membersOf(schema).map((field): [string, TSchema] => {
    const desired = desiredValueSchema(field.schema, field.traits.refersTo);
    const cleared =
      canClear(field) && !admitsNull(field.schema) ? nullableSchema(desired) : desired;
    return [field.name, field.required ? cleared : Type.Optional(cleared)];
  });
  const { description } = view(schema);
  return Type.Object(Object.fromEntries(properties), {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
    ...(rulesOf(schema).length > 0 && { [memberRulesKeyword]: rulesOf(schema) }),
  });
}

function desiredValueSchema(schema: TSchema, refersTo: string | undefined): TSchema {
  const target = refersTo ?? traitsOf(schema).refersTo;
  const { type, items, anyOf, oneOf } = view(schema);
  if (anyOf !== undefined)
    return { ...schema, anyOf: anyOf.map((one) => desiredValueSchema(one, target)) };
  if (oneOf !== undefined)
    return { ...schema, oneOf: oneOf.map((one) => desiredValueSchema(one, target)) };
  if (items !== undefined) return { ...schema, items: desiredValueSchema(items, target) };
  if (membersOf(schema).length > 0) return { ...schema, ...desiredObjectSchema(schema) };
  const values = mapValues(schema);
  if (values !== undefined) return desiredMapSchema(schema, desiredValueSchema(values, target));
  return type === "string" && target !== undefined ? referenceSchema(schema, target) : schema;
}

function desiredMapSchema(schema: TSchema, values: TSchema): TSchema {
  const { patternProperties } = view(schema);
  const [pattern] = Object.keys(patternProperties ?? {});
  return pattern === undefined
    ? { ...schema, additionalProperties: values }
    : { ...schema, patternProperties: { [pattern]: values } };
}

/** Returns the schema of a reference, with annotations on the outer schema, where editors read them. */
function referenceSchema(schema: TSchema, kind: string): TSchema {
  return {
    ...annotations(schema),
    anyOf: [
      Type.String({ minLength: 1, title: `the name of ${withArticle(kind)} document` }),
      Type.Object(
        { external: Type.String({ minLength: 1 }) },
        { additionalProperties: false, title: "the key of an object outside the stack" },
      ),
    ],
  };
}

function nullableSchema(schema: TSchema): TSchema {
  const { anyOf } = view(schema);
  if (anyOf !== undefined) return { ...schema, anyOf: [...anyOf, Type.Null()] };
  const outside = annotations(schema);
  const inside = Object.fromEntries(
    Object.entries(schema).filter(([keyword]) => !Object.hasOwn(outside, keyword)),
  );
  return { ...outside, anyOf: [inside, Type.Null()] };
}

function annotations(schema: TSchema): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([keyword]) => keyword === "description" || keyword.startsWith("x-"),
    ),
  );
}
