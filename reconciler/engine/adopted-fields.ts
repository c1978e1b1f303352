// Selects the fields that the inventory records of an adopted object: the live values of declared members only.
import type { TSchema } from "typebox";
import { membersOf } from "../../core/kind/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { splitPointer } from "../../core/pointer.ts";
import { readablePart } from "../../core/spec/record.ts";
import { mapValues, member, variantFor } from "../../core/schema/schema.ts";
import type { Change } from "../model/index.ts";
import { unreadableFields } from "./unreadable-fields.ts";

/**
 * Returns the live values of the declared members at any depth, as far as the API shows them, so that a difference is
 * reported as pending. Secrets among them become fingerprints.
 */
export function observedFields(
  kind: Kind,
  { desired = {}, secrets = {} }: Change,
  live: JsonObject,
): JsonObject {
  const unseen = new Set(unreadableFields(kind, live));
  const desiredSpec = Object.keys(secrets).reduce(
    (spec, path) => withSecretPlaceholder(spec, splitPointer(`/${path}`)),
    readablePart(kind, desired),
  );
  const seen = Object.entries(desiredSpec).filter(([name]) => !unseen.has(name));
  return observedMembers(kind.spec, Object.fromEntries(seen), live);
}

/** Puts a placeholder in the place of a secret, so that it is read too. */
function withSecretPlaceholder(
  spec: JsonObject,
  [name = "", ...rest]: readonly string[],
): JsonObject {
  const value = member(spec, name);
  if (rest.length === 0) return { ...spec, [name]: true };
  return { ...spec, [name]: withSecretPlaceholder(isObject(value) ? value : {}, rest) };
}

function observedMembers(schema: TSchema, desiredValue: JsonObject, live: JsonObject): JsonObject {
  const schemas = new Map(membersOf(schema).map((field) => [field.name, field.schema]));
  return Object.fromEntries(
    Object.entries(desiredValue).flatMap(([name, desiredObject]) => {
      const value = observedValue(
        schemas.get(name) ?? {},
        desiredObject ?? null,
        member(live, name),
      );
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** Null and absent are equal. Records maps, and values without member schemas, as a whole. */
function observedValue(
  schema: TSchema,
  desiredValue: JsonValue,
  live: JsonValue | undefined,
): JsonValue | undefined {
  if (live === undefined) return desiredValue === null ? null : undefined;
  if (!isObject(desiredValue) || !isObject(live)) return live;
  const variant = variantFor(schema, desiredValue);
  if (variant === undefined || mapValues(variant) !== undefined) return live;
  return membersOf(variant).length === 0 ? live : observedMembers(variant, desiredValue, live);
}
