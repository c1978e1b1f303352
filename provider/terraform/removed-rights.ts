// Decides about attributes that a configuration no longer has. Private state lists those that it had.
import { isObject, type JsonObject } from "../../core/json.ts";
import { type FieldInfo, fieldsOf, membersOf } from "../../core/kind/fields.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { joinPointer, splitPointer, valueAt } from "../../core/pointer.ts";
import { member } from "../../core/schema/schema.ts";
import { removalRefused, removedFields } from "../../core/spec/removed-rights.ts";
import { fullyKnownFields } from "../bridge/unknown-values.ts";
import { type PlanInputs, specFromState } from "./plan.ts";
import { type AttributeValues, fromField, locationOf, toInputs } from "./attribute-values.ts";
import { type Diagnostic, errorAt, warningAt } from "./diagnostics.ts";

type Configured = Pick<PlanInputs, "kind" | "attributes" | "config" | "privateState">;

/** Returns the values that take the rights away, by attribute name. They count as configured. */
export function takenRights(configured: Configured): AttributeValues {
  const taken = fullyKnownFields(removedFrom(configured).taken);
  const entries = specAttributes(configured).flatMap(({ name, field, form }) =>
    Object.hasOwn(taken, field) ? [[name, fromField(form, taken[field])] as const] : [],
  );
  return Object.fromEntries(entries);
}

/**
 * Returns an error for each attribute that must stay, because rights could grow without it, and a warning about those whose
 * values the server keeps.
 */
export function removedFieldDiagnostics(
  configured: Configured,
  prior: AttributeValues,
): readonly Diagnostic[] {
  const { kind, attributes } = configured;
  const { refused, kept } = removedFrom(configured);
  const label = (pointer: string): string => locationOf(attributes, pointer).label;
  const errors = refused.map(label).map((name) => {
    const detail = `${name} ${removalRefused}. Keep it, or declare another resource without it.`;
    return errorAt("Rights could grow", detail, name.split(".")[0]);
  });
  const live = specFromState(kind, attributes, prior);
  const names = kept
    .filter((pointer) => (valueAt(live, splitPointer(pointer)) ?? null) !== null)
    .map(label);
  if (names.length === 0) return errors;
  const detail = `The server keeps the value of ${names.join(", ")}. Set another value to change it.`;
  return [
    ...errors,
    warningAt("An argument is no longer configured", detail, names[0]?.split(".")[0]),
  ];
}

/** Returns the JSON Pointers of the members of the schema that a spec sets. */
export function configuredIn(kind: Kind, spec: JsonObject): readonly string[] {
  const search = (fields: readonly FieldInfo[], values: JsonObject, parent: string): string[] =>
    fields.flatMap(({ name, schema }) => {
      const value = member(values, name) ?? null;
      if (value === null) return [];
      const pointer = `${parent}${joinPointer([name])}`;
      return [pointer, ...(isObject(value) ? search(membersOf(schema), value, pointer) : [])];
    });
  return search(fieldsOf(kind), spec, "");
}

/** Returns the members at JSON Pointers, as an object in which each has some value. */
function membersAt(
  fields: readonly FieldInfo[],
  pointers: ReadonlySet<string>,
  parent = "",
): Readonly<Record<string, unknown>> {
  const found = fields.flatMap(({ name, schema }) => {
    const pointer = `${parent}${joinPointer([name])}`;
    if (!pointers.has(pointer)) return [];
    const inner = membersAt(membersOf(schema), pointers, pointer);
    return [[name, Object.keys(inner).length > 0 ? inner : true] as const];
  });
  return Object.fromEntries(found);
}

function removedFrom({ kind, attributes, config, privateState }: Configured) {
  const before = membersAt(fieldsOf(kind), new Set(privateState.configuredFields));
  return removedFields(kind, before, toInputs(attributes, config).inputs);
}

function specAttributes({ attributes }: Configured) {
  return attributes.filter(({ part }) => part === "spec");
}
