// What may be kept of an applied wish: the readable part as it is, fingerprints of what is secret or cannot be read back.
import type { TSchema } from "typebox";
import { holdsSecret, isSensitive, membersOf, readability } from "./fields.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Kind } from "./kind.ts";
import { normalize } from "./normalize.ts";
import { joinPointer } from "./pointer.ts";
import { mapValues, member, variantFor } from "./schema.ts";
import { traitsOf } from "./traits.ts";

/** What an inventory may hold of a wish that was applied. */
export interface Kept {
  /** All that can be read back and is not secret. */
  readonly lastApplied: JsonObject;
  /** Of all the rest, by {@link fingerprintName}. */
  readonly fingerprints: Readonly<Record<string, string>>;
}

/** The name under which the fingerprint of the value at these steps is kept: at the top level, the field's own name. */
export function fingerprintName(steps: readonly string[]): string {
  return joinPointer(steps).slice(1);
}

/** Splits a wish, normalised, into what may be kept in clear and fingerprints of the rest, however deep it lies. */
export function keptOf(
  kind: Kind,
  spec: JsonObject,
  fingerprint: (value: JsonValue) => string,
): Kept {
  const fingerprints: [string, string][] = [];
  const hide = (value: JsonValue, steps: readonly string[]): undefined => {
    fingerprints.push([fingerprintName(steps), fingerprint(value)]);
  };
  const kept = keep({ schema: kind.spec, value: normalize(kind, spec), steps: [] }, hide);
  return {
    lastApplied: isObject(kept) ? kept : {},
    fingerprints: Object.fromEntries(fingerprints),
  };
}

/** The part of a spec, in normal form, that may be kept in clear. */
export function readablePart(kind: Kind, normal: JsonObject): JsonObject {
  const kept = keep({ schema: kind.spec, value: normal, steps: [] }, () => undefined);
  return isObject(kept) ? kept : {};
}

interface Part {
  readonly schema: TSchema;
  readonly value: JsonValue;
  readonly steps: readonly string[];
}

type Hide = (value: JsonValue, steps: readonly string[]) => undefined;

function keep({ schema, value, steps }: Part, hide: Hide): JsonValue | undefined {
  if (readability(schema) !== "shown" || isSensitive(traitsOf(schema))) return hide(value, steps);
  const schemas = memberSchemas(schema, value);
  // What its schema does not take apart is kept or hidden as a whole.
  if (schemas === undefined) return holdsSecret(schema) ? hide(value, steps) : value;
  const entries = Object.entries(isObject(value) ? value : {}).flatMap(
    ([name, inner]): [string, JsonValue][] => {
      if (inner === undefined) return [];
      const part = { schema: schemas(name), value: inner, steps: [...steps, name] };
      const kept = keep(part, hide);
      return kept === undefined ? [] : [[name, kept]];
    },
  );
  return Object.fromEntries(entries);
}

/** The schema of each member of an object; undefined for what is no object or whose members are not described. */
function memberSchemas(schema: TSchema, value: JsonValue): ((name: string) => TSchema) | undefined {
  const variant = variantFor(schema, value);
  if (variant === undefined || !isObject(value)) return undefined;
  const values = mapValues(variant);
  if (values !== undefined) return () => values;
  const fields = membersOf(variant);
  if (fields.length === 0) return undefined;
  const schemas = Object.fromEntries(fields.map((field) => [field.name, field.schema]));
  return (name) => member(schemas, name) ?? {};
}
