// Values that the server updates. Exports and imports omit them, because a declared value would be pinned.
import type { TSchema } from "typebox";
import { membersOf } from "../kind/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Kind, ObservedObject } from "../kind/kind.ts";
import { variants } from "../schema/schema.ts";
import { traitsOf } from "../schema/traits.ts";

/** A spec without server-managed values, and their paths as names joined by dots. */
export interface WithoutServerManaged {
  readonly spec: JsonObject;
  readonly serverManagedPaths: readonly string[];
}

/** Removes the server-managed values, which depend on sibling fields, from a normalized spec. */
export function withoutServerManaged(kind: Kind, spec: JsonObject): WithoutServerManaged {
  const moving: string[] = [];
  const kept = removeServerManaged({ schema: kind.spec, value: spec, segments: [] }, (steps) =>
    moving.push(steps.join(".")),
  );
  return { spec: isObject(kept) ? kept : {}, serverManagedPaths: moving };
}

/** Returns the observed object without server-managed values, as a manifest that adopts it should declare it. */
export function withoutServerManagedFields(kind: Kind, observed: ObservedObject): ObservedObject {
  return { ...observed, spec: withoutServerManaged(kind, observed.spec).spec };
}

interface SchemaNode {
  readonly schema: TSchema;
  readonly value: JsonValue;
  readonly segments: readonly string[];
}

function removeServerManaged(
  part: SchemaNode,
  moves: (steps: readonly string[]) => void,
): JsonValue {
  const { schema, value } = part;
  if (!isObject(value)) return value;
  const members = new Map(
    variants(schema).flatMap((one) => membersOf(one).map((member) => [member.name, member.schema])),
  );
  const entries = Object.entries(value).flatMap(([name, inner = null]): [string, JsonValue][] => {
    const of = members.get(name);
    if (of === undefined) return [[name, inner]];
    const steps = [...part.segments, name];
    if (!isServerManaged(of, value))
      return [[name, removeServerManaged({ schema: of, value: inner, segments: steps }, moves)]];
    moves(steps);
    return [];
  });
  return Object.fromEntries(entries);
}

function isServerManaged(schema: TSchema, beside: JsonObject): boolean {
  const { serverManagedWhile: rule } = traitsOf(schema);
  if (rule === undefined) return false;
  const controlling = beside[rule.field];
  return controlling !== undefined && controlling !== null && beside[rule.unless] !== true;
}
