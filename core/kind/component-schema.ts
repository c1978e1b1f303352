// The fields of a component and the schema of its spec in a manifest, derived from the resource types of its parts.
import { Type, type TObject, type TSchema } from "typebox";
import type { Component, ComponentPart } from "./component.ts";
import { desiredSpecSchema, type FieldInfo, membersOf } from "./fields.ts";
import type { Kind } from "./kind.ts";
import { memoizePerObject } from "../memoize.ts";
import { field } from "../schema/traits.ts";

/** Returns the parts of a component as fields, with the fields that a user sets in each. */
export const componentFields = memoizePerObject((component: Component): readonly FieldInfo[] =>
  membersOf(specOf(component, ({ spec }) => spec)),
);

/** Returns the schema of a component's spec in a manifest, with references as documents write them. */
export const componentSpecSchema = memoizePerObject((component: Component): TObject =>
  specOf(component, desiredSpecSchema),
);

/** Returns whether the user sets a field in a part's objects: neither another part nor the key of the map does. */
export function isPartInput({ derivedFields, keyedBy }: ComponentPart, name: string): boolean {
  return !derivedFields.has(name) && name !== keyedBy;
}

function specOf({ parts }: Component, specOfKind: (kind: Kind) => TObject): TObject {
  const members = parts.map((part): [string, TSchema] => {
    const object = partSchema(part, specOfKind(part.kind));
    const traits = { doc: part.doc };
    if (part.cardinality === "one") return [part.name, field(object, traits)];
    const given = part.cardinality === "each" ? Type.Unsafe(mapOf(object)) : (object as TSchema);
    return [part.name, Type.Optional(field(given, traits))];
  });
  return Type.Object(Object.fromEntries(members), { additionalProperties: false });
}

function mapOf(additionalProperties: TSchema): TSchema {
  return { type: "object", additionalProperties };
}

function partSchema(part: ComponentPart, spec: TSchema): TObject {
  const inputs = membersOf(spec).filter(({ name }) => isPartInput(part, name));
  const members = inputs.map(({ name, schema, required }): [string, TSchema] => [
    name,
    required ? schema : Type.Optional(schema),
  ]);
  return Type.Object(Object.fromEntries(members), { additionalProperties: false });
}
