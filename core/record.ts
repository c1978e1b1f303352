// What may be kept of an applied wish: the readable part as it is, fingerprints of what is secret or cannot be read back.
import type { TSchema } from "typebox";
import { containsSecret, isMasked, isSensitive, membersOf, readability } from "./fields.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Kind } from "./kind.ts";
import { normalize } from "./normalize.ts";
import { joinPointer } from "./pointer.ts";
import { mapValues, member, variantFor } from "./schema.ts";
import { traitsOf } from "./traits.ts";

/** A keyed hash of a value; `secret` tells that somebody who can read it must not be able to guess the value. */
export type Fingerprint = (value: JsonValue, secret: boolean) => string;

/** What an inventory may hold of a wish that was applied. */
export interface RecordedSpec {
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
export function recordedSpecOf(
  kind: Kind,
  spec: JsonObject,
  fingerprint: Fingerprint,
): RecordedSpec {
  const { kept, fingerprints } = splitHidden(kind, normalize(kind, spec), {
    hides: isHiddenInRecord,
    fingerprint,
  });
  return { lastApplied: kept, fingerprints };
}

/** A spec without its secrets, and their fingerprints by {@link fingerprintName}. */
export interface MaskedSpec {
  readonly visible: JsonObject;
  readonly secretFingerprints: Readonly<Record<string, string>>;
}

/** Takes the secrets out of a spec in normal form; what merely cannot be read back stays. */
export function maskSecrets(kind: Kind, normal: JsonObject, fingerprint: Fingerprint): MaskedSpec {
  if (!containsSecret(kind.spec)) return { visible: normal, secretFingerprints: {} };
  const { kept, fingerprints } = splitHidden(kind, normal, { hides: mayBeSecret, fingerprint });
  return { visible: kept, secretFingerprints: fingerprints };
}

/** Where the secrets of a spec lie, as JSON Pointers; what is secret by its neighbour's word only where that word is there. */
export function secretPointers(kind: Kind, spec: JsonObject): readonly string[] {
  if (!containsSecret(kind.spec)) return [];
  const places: string[] = [];
  const isSecret = (schema: TSchema): boolean => {
    const traits = traitsOf(schema);
    return traits.sensitive === true || isMasked(traits, spec);
  };
  keepVisible(
    { schema: kind.spec, value: spec, segments: [] },
    isSecret,
    ({ schema, segments: steps }) => {
      if (isSecret(schema) || !isSensitive(traitsOf(schema))) places.push(joinPointer(steps));
    },
  );
  return places;
}

/** Where anything lies in a spec that may be a secret, as JSON Pointers: also what is one by a neighbour's word that is not there. */
export function sensitivePointers(kind: Kind, spec: JsonObject): readonly string[] {
  if (!containsSecret(kind.spec)) return [];
  const places: string[] = [];
  keepVisible(
    { schema: kind.spec, value: spec, segments: [] },
    mayBeSecret,
    ({ segments: steps }) => {
      places.push(joinPointer(steps));
    },
  );
  return places;
}

type HidePredicate = (schema: TSchema) => boolean;

const mayBeSecret: HidePredicate = (schema) => isSensitive(traitsOf(schema));

const isHiddenInRecord: HidePredicate = (schema) =>
  readability(schema) !== "shown" || isSensitive(traitsOf(schema));

function splitHidden(
  kind: Kind,
  normal: JsonObject,
  how: { readonly hides: HidePredicate; readonly fingerprint: Fingerprint },
): { kept: JsonObject; fingerprints: Readonly<Record<string, string>> } {
  const fingerprints: [string, string][] = [];
  const hide: HiddenHandler = ({ schema, value, segments: steps }) => {
    fingerprints.push([fingerprintName(steps), how.fingerprint(value, containsSecret(schema))]);
  };
  const kept = keepVisible({ schema: kind.spec, value: normal, segments: [] }, how.hides, hide);
  return { kept: isObject(kept) ? kept : {}, fingerprints: Object.fromEntries(fingerprints) };
}

/** The part of a spec, in normal form, that may be kept in clear. */
export function readablePart(kind: Kind, normal: JsonObject): JsonObject {
  const kept = keepVisible(
    { schema: kind.spec, value: normal, segments: [] },
    isHiddenInRecord,
    () => undefined,
  );
  return isObject(kept) ? kept : {};
}

interface SchemaNode {
  readonly schema: TSchema;
  readonly value: JsonValue;
  readonly segments: readonly string[];
}

type HiddenHandler = (part: SchemaNode) => undefined;

function keepVisible(
  part: SchemaNode,
  hidden: HidePredicate,
  hide: HiddenHandler,
): JsonValue | undefined {
  const { schema, value, segments } = part;
  if (hidden(schema)) return hide(part);
  const schemas = memberSchemas(schema, value);
  // What its schema does not take apart is kept or hidden as a whole.
  if (schemas === undefined) return containsSecret(schema) ? hide(part) : value;
  const entries = Object.entries(isObject(value) ? value : {}).flatMap(
    ([name, inner]): [string, JsonValue][] => {
      if (inner === undefined) return [];
      const inside = { schema: schemas(name), value: inner, segments: [...segments, name] };
      const kept = keepVisible(inside, hidden, hide);
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
