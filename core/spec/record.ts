// The stored form of an applied spec: readable parts in clear text, fingerprints of secrets and unreadable parts.
import type { TSchema } from "typebox";
import { containsSecret, isMasked, isSensitive, membersOf, readability } from "../kind/fields.ts";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Kind } from "../kind/kind.ts";
import { normalize } from "./normalize.ts";
import { joinPointer } from "../pointer.ts";
import { mapValues, memoizePerSchema, variantFor } from "../schema/schema.ts";
import { traitsOf } from "../schema/traits.ts";

/** Returns a keyed hash of a value. For a `secret`, readers of the hash must not be able to guess the value. */
export type Fingerprint = (value: JsonValue, secret: boolean) => string;

/** An applied spec as an inventory stores it. */
export interface RecordedSpec {
  /** The parts that are readable and not secret. */
  readonly lastApplied: JsonObject;
  /** Fingerprints of the other parts, by {@link fingerprintName}. */
  readonly fingerprints: Readonly<Record<string, string>>;
}

/** Returns the name of the fingerprint of a value: for a top-level field, the field's name. */
export function fingerprintName(steps: readonly string[]): string {
  return joinPointer(steps).slice(1);
}

/** Normalizes a spec and splits it into parts to store in clear text and fingerprints of all other parts. */
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
export interface SplitSpec {
  readonly visible: JsonObject;
  readonly secretFingerprints: Readonly<Record<string, string>>;
}

/** Removes the secrets from a normalized spec and keeps values that are only unreadable. */
export function splitSecrets(kind: Kind, normal: JsonObject, fingerprint: Fingerprint): SplitSpec {
  if (!containsSecret(kind.spec)) return { visible: normal, secretFingerprints: noFingerprints };
  const { kept, fingerprints } = splitHidden(kind, normal, { hides: mayBeSecret, fingerprint });
  return { visible: kept, secretFingerprints: fingerprints };
}

/** Returns JSON Pointers to the secrets of a spec. Conditional secrets are included only if the condition field makes them secret. */
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

/** Returns JSON Pointers to all values of a spec that can be secret, including all conditional secrets. */
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

/** Shared by all objects without fingerprints, because a large stack has many. */
const noFingerprints: RecordedSpec["fingerprints"] = Object.freeze({});

type HidePredicate = (schema: TSchema) => boolean;

const mayBeSecret: HidePredicate = (schema) => isSensitive(traitsOf(schema));

const isHidden: HidePredicate = (schema) =>
  readability(schema) !== "shown" || isSensitive(traitsOf(schema));

const isHiddenInRecord: HidePredicate = (schema) =>
  isHidden(schema) || traitsOf(schema).listedByHash !== undefined;

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
  return {
    kept: isObject(kept) ? kept : {},
    fingerprints: fingerprints.length === 0 ? noFingerprints : Object.fromEntries(fingerprints),
  };
}

/** Returns the part of a normalized spec that an inventory stores in clear text. */
export function readablePart(kind: Kind, normal: JsonObject): JsonObject {
  return partWithout(isHiddenInRecord, kind, normal);
}

/** Returns the part of a normalized spec that the API returns and that is not secret. */
export function visiblePart(kind: Kind, normal: JsonObject): JsonObject {
  return partWithout(isHidden, kind, normal);
}

function partWithout(hidden: HidePredicate, kind: Kind, normal: JsonObject): JsonObject {
  const part = { schema: kind.spec, value: normal, segments: [] };
  const kept = keepVisible(part, hidden, () => undefined);
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
  if (!isObject(value) && !containsSecret(schema)) return value;
  const schemas = memberSchemas(schema, value);
  // A value without member schemas is kept or hidden as a whole.
  if (schemas === undefined) return containsSecret(schema) ? hide(part) : value;
  const entries: [string, JsonValue][] = [];
  for (const [name, inner] of Object.entries(isObject(value) ? value : {})) {
    if (inner === undefined) continue;
    const inside = { schema: schemas(name), value: inner, segments: [...segments, name] };
    const kept = keepVisible(inside, hidden, hide);
    if (kept !== undefined) entries.push([name, kept]);
  }
  return Object.fromEntries(entries);
}

/** Returns a function from member names to schemas; undefined if the value is not an object with described members. */
function memberSchemas(schema: TSchema, value: JsonValue): ((name: string) => TSchema) | undefined {
  const variant = variantFor(schema, value);
  if (variant === undefined || !isObject(value)) return undefined;
  const values = mapValues(variant);
  if (values !== undefined) return () => values;
  const schemas = schemasByMember(variant);
  return schemas.size === 0 ? undefined : (name) => schemas.get(name) ?? {};
}

const schemasByMember = memoizePerSchema(
  (schema): ReadonlyMap<string, TSchema> =>
    new Map(membersOf(schema).map((field) => [field.name, field.schema])),
);
