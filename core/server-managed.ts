// Values that move by themselves: whatever said them would pin them, so exports and imports leave them out.
import type { TSchema } from "typebox";
import { membersOf } from "./fields.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Kind, ObservedObject } from "./kind.ts";
import { variants } from "./schema.ts";
import { traitsOf } from "./traits.ts";

/** A spec without what moves by itself, and where that stood, as names joined by dots. */
export interface WithoutServerManaged {
  readonly spec: JsonObject;
  readonly serverManagedPaths: readonly string[];
}

/** Takes what moves by itself, by the word of its neighbours, out of a spec in normal form. */
export function withoutServerManaged(kind: Kind, spec: JsonObject): WithoutServerManaged {
  const moving: string[] = [];
  const kept = removeServerManaged({ schema: kind.spec, value: spec, segments: [] }, (steps) =>
    moving.push(steps.join(".")),
  );
  return { spec: isObject(kept) ? kept : {}, serverManagedPaths: moving };
}

/** The object as who takes it over is to write it down: without what moves by itself. */
export function withoutServerManagedFields(kind: Kind, sight: ObservedObject): ObservedObject {
  return { ...sight, spec: withoutServerManaged(kind, sight.spec).spec };
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
  const { serverManagedWhile: movesWith } = traitsOf(schema);
  if (movesWith === undefined) return false;
  const leader = beside[movesWith.field];
  return leader !== undefined && leader !== null && beside[movesWith.unless] !== true;
}
