// Values that move by themselves: whatever said them would pin them, so exports and imports leave them out.
import type { TSchema } from "typebox";
import { membersOf } from "./fields.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Kind, Sight } from "./kind.ts";
import { variants } from "./schema.ts";
import { traitsOf } from "./traits.ts";

/** A spec without what moves by itself, and where that stood, as names joined by dots. */
export interface Still {
  readonly spec: JsonObject;
  readonly moving: readonly string[];
}

/** Takes what moves by itself, by the word of its neighbours, out of a spec in normal form. */
export function withoutMoving(kind: Kind, spec: JsonObject): Still {
  const moving: string[] = [];
  const kept = still({ schema: kind.spec, value: spec, steps: [] }, (steps) =>
    moving.push(steps.join(".")),
  );
  return { spec: isObject(kept) ? kept : {}, moving };
}

/** The object as who takes it over is to write it down: without what moves by itself. */
export function standing(kind: Kind, sight: Sight): Sight {
  return { ...sight, spec: withoutMoving(kind, sight.spec).spec };
}

interface Part {
  readonly schema: TSchema;
  readonly value: JsonValue;
  readonly steps: readonly string[];
}

function still(part: Part, moves: (steps: readonly string[]) => void): JsonValue {
  const { schema, value } = part;
  if (!isObject(value)) return value;
  const members = new Map(
    variants(schema).flatMap((one) => membersOf(one).map((member) => [member.name, member.schema])),
  );
  const entries = Object.entries(value).flatMap(([name, inner = null]): [string, JsonValue][] => {
    const of = members.get(name);
    if (of === undefined) return [[name, inner]];
    const steps = [...part.steps, name];
    if (!isMoving(of, value)) return [[name, still({ schema: of, value: inner, steps }, moves)]];
    moves(steps);
    return [];
  });
  return Object.fromEntries(entries);
}

function isMoving(schema: TSchema, beside: JsonObject): boolean {
  const { movesWith } = traitsOf(schema);
  if (movesWith === undefined) return false;
  const leader = beside[movesWith.field];
  return leader !== undefined && leader !== null && beside[movesWith.unless] !== true;
}
