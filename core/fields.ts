// What a kind's spec is made of: its fields with their traits, which of them can be cleared, and what a user may write.
import { Type, type TObject, type TSchema } from "typebox";
import type { JsonObject } from "./json.ts";
import type { Kind } from "./kind.ts";
import { admitsNull, mapValues, memoizePerSchema, variants, view } from "./schema.ts";
import { traitsOf, type Traits } from "./traits.ts";

/** One member of a spec, or of an object nested in it. */
export interface FieldInfo {
  readonly name: string;
  readonly schema: TSchema;
  readonly traits: Traits;
  readonly required: boolean;
}

/** The fields of a kind's spec, in the order they are declared. */
export function fieldsOf(kind: Kind): readonly FieldInfo[] {
  return membersOf(kind.spec);
}

/** The named members of an object schema, in the order they are declared; none for maps and other schemas. */
export const membersOf = memoizePerSchema((schema): readonly FieldInfo[] => {
  const { properties, required } = view(schema);
  return Object.entries(properties ?? {}).map(([name, property]) => ({
    name,
    schema: property,
    traits: traitsOf(property),
    required: required?.includes(name) ?? false,
  }));
});

/** True when `null` may be wished for: it is optional, can change in place, has no default, and the API heeds clearing it. */
export function canClear(field: FieldInfo): boolean {
  const { neverCleared, onChange } = field.traits;
  return (
    !field.required &&
    neverCleared !== true &&
    onChange !== "replace" &&
    view(field.schema).default === undefined
  );
}

/** True when its values must not be shown: it is a secret, or may be one by what another field says. */
export function isSensitive({ sensitive, maskedWhen }: Traits): boolean {
  return sensitive === true || maskedWhen !== undefined;
}

/** True when the API is known to mask the field in an object of these fields. */
export function isMasked({ maskedWhen }: Traits, spec: JsonObject): boolean {
  const decisive = maskedWhen === undefined ? undefined : spec[maskedWhen.field];
  if (maskedWhen === undefined || typeof decisive !== "string") return false;
  const text = decisive.toUpperCase();
  return maskedWhen.contains.some((word) => text.includes(word.toUpperCase()));
}

/** True when the schema or anything in it is sensitive. */
export const containsSecret = memoizePerSchema((schema): boolean => {
  return isSensitive(traitsOf(schema)) || parts(schema).some(containsSecret);
});

/** Whether the API shows a value: always, never, or not when another field makes it mask this one. */
export const readability = memoizePerSchema((schema): "shown" | "hidden" | "maskable" => {
  const { writeOnly, maskedWhen } = traitsOf(schema);
  if (writeOnly === true) return "hidden";
  if (maskedWhen !== undefined) return "maskable";
  const hidesItems = variants(schema).some((one) => {
    const { items } = view(one);
    return items !== undefined && !isShown(items);
  });
  // A list is compared as a whole, so one hidden part hides it all.
  return hidesItems ? "hidden" : "shown";
});

/** True when the API always shows the value and everything in it. */
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
 * What a user may write as the spec of a document: the spec, closed, with `null` where a field can be cleared, and with each
 * reference as the name of a document of the stack or as `{ external: key }`. The schema is made once for each kind.
 */
export function desiredSpecSchema(kind: Kind): TObject {
  return desiredSpecSchemaOf(kind.spec);
}

const desiredSpecSchemaOf = memoizePerSchema((schema): TObject => desiredObjectSchema(schema));

function desiredObjectSchema(schema: TSchema): TObject {
  const properties = membersOf(schema).map((field): [string, TSchema] => {
    const wished = desiredValueSchema(field.schema, field.traits.refersTo);
    const cleared = canClear(field) && !admitsNull(field.schema) ? nullableSchema(wished) : wished;
    return [field.name, field.required ? cleared : Type.Optional(cleared)];
  });
  const { description } = view(schema);
  return Type.Object(Object.fromEntries(properties), {
    additionalProperties: false,
    ...(description === undefined ? {} : { description }),
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

/** Annotations stay outside, where an editor looks for them. */
function referenceSchema(schema: TSchema, kind: string): TSchema {
  return {
    ...annotations(schema),
    anyOf: [
      Type.String({ minLength: 1, title: `the name of a document of kind ${kind}` }),
      Type.Object(
        { external: Type.String({ minLength: 1 }) },
        { additionalProperties: false, title: `the key of one that exists outside the stack` },
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
