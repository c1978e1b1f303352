// What may be kept of an applied wish: the readable part as it is, of the rest only fingerprints, of secrets no more than that.
import type { TSchema } from "typebox";
import { holdsSecret, membersOf, readability } from "./fields.ts";
import { isObject, type JsonObject, type JsonValue } from "./json.ts";
import type { Kind } from "./kind.ts";
import { normalize } from "./normalize.ts";
import { joinPointer } from "./pointer.ts";
import { mapValues, member, variantFor } from "./schema.ts";

/** The name under which the fingerprint of the value at these steps is kept: at the top level, the field's own name. */
export function fingerprintName(steps: readonly string[]): string {
  return joinPointer(steps).slice(1);
}

/**
 * Fingerprints of every value of a wish that cannot be read back, or not always, by {@link fingerprintName}. The wish is
 * normalised first; a `null` that was wished for has a fingerprint too.
 */
export function fingerprintsOf(
  kind: Kind,
  spec: JsonObject,
  fingerprint: (value: JsonValue) => string,
): Readonly<Record<string, string>> {
  const found: [string, string][] = [];
  visit({ schema: kind.spec, value: normalize(kind, spec), steps: [] }, (part) => {
    if (readability(part.schema) === "shown") return "enter";
    found.push([fingerprintName(part.steps), fingerprint(part.value)]);
    return "pass";
  });
  return Object.fromEntries(found);
}

/** The part of a wish, normalised, that can be read back and is not secret: what an inventory keeps as last applied. */
export function readablePart(kind: Kind, spec: JsonObject): JsonObject {
  const kept = keep(kind.spec, normalize(kind, spec));
  return isObject(kept) ? kept : {};
}

interface Part {
  readonly schema: TSchema;
  readonly value: JsonValue;
  readonly steps: readonly string[];
}

function visit(part: Part, see: (part: Part) => "enter" | "pass"): void {
  if (see(part) === "pass") return;
  for (const { schema, value, name } of membersIn(part.schema, part.value)) {
    visit({ schema, value, steps: [...part.steps, name] }, see);
  }
}

/** Undefined where the value itself must not be kept. */
function keep(schema: TSchema, value: JsonValue): JsonValue | undefined {
  if (readability(schema) !== "shown") return undefined;
  const inner = membersIn(schema, value);
  // What has no members by its schema is kept or left out as a whole.
  if (inner.length === 0) return holdsSecret(schema) && value !== null ? undefined : value;
  const known = new Map(inner.map((part) => [part.name, part]));
  const entries = Object.entries(isObject(value) ? value : {}).flatMap(
    ([name, whole]): [string, JsonValue][] => {
      const part = known.get(name);
      const kept = part === undefined ? whole : keep(part.schema, part.value);
      return kept === undefined ? [] : [[name, kept]];
    },
  );
  return Object.fromEntries(entries);
}

interface Member {
  readonly name: string;
  readonly schema: TSchema;
  readonly value: JsonValue;
}

/** The members of an object that its schema describes, by name or as values of a map. */
function membersIn(schema: TSchema, value: JsonValue): readonly Member[] {
  const variant = variantFor(schema, value);
  if (variant === undefined || !isObject(value)) return [];
  const named = membersOf(variant).map(({ name, schema: inner }) => ({ name, schema: inner }));
  const values = mapValues(variant);
  const listed =
    values === undefined ? named : Object.keys(value).map((name) => ({ name, schema: values }));
  return listed.flatMap(({ name, schema: inner }) => {
    const held = member(value, name);
    return held === undefined ? [] : [{ name, schema: inner, value: held }];
  });
}
