// What inputs change on the object that state tells of: the reconciler's comparison, with old inputs as what was applied last.
import { randomUUID } from "node:crypto";
import { compare, type Known } from "../../core/diff.ts";
import { fingerprintsWith } from "../../core/fingerprints.ts";
import { keyOf } from "../../core/identity.ts";
import type { JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { normalize } from "../../core/normalize.ts";
import { splitPointer } from "../../core/pointer.ts";
import { keptOf } from "../../core/record.ts";
import { Secret } from "../../core/secret.ts";
import { delta, type Difference } from "../bridge/delta.ts";
import { isKnown, isMembers, knownPart, type Value } from "../bridge/values.ts";
import { covers, pathOfPointer, stepsOf } from "./paths.ts";
import { propertiesOf } from "./properties.ts";
import { sightOf, unwrittenIn, wishOf } from "./state.ts";
import type { PropertyMap } from "./values.ts";

/** Fingerprints compare old inputs with new ones inside this process; none is kept. */
const fingerprints = fingerprintsWith(randomUUID(), new Secret(randomUUID()));

/** An object as the engine holds it. */
export interface Holding {
  readonly state: PropertyMap;
  /** The inputs it was applied with; empty where the engine does not say. */
  readonly inputs: PropertyMap;
}

/** Every difference between the object and new inputs, in the order of the fields. */
export function differencesOf(kind: Kind, old: Holding, news: PropertyMap): readonly Difference[] {
  const { spec } = sightOf(kind, old.state);
  return delta(kind, wishOf(kind, news), spec, knownOf(kind, old));
}

/** What is known of unreadable values: of those that were surely written, what the inputs said. */
function knownOf(kind: Kind, { state, inputs }: Holding): Known {
  const unwritten = unwrittenIn(state);
  const said = Object.entries(wishOf(kind, inputs)).filter(([field]) => !unwritten.has(field));
  const applied = knownPart(Object.fromEntries(said));
  return {
    fingerprints: keptOf(kind, applied, fingerprints.of).fingerprints,
    fingerprint: fingerprints.of,
  };
}

/** Tells whether the inputs that were applied still say what is live, field by field. */
export function holding(kind: Kind, old: Holding): (field: string) => boolean {
  const { spec } = sightOf(kind, old.state);
  const applied = knownPart(wishOf(kind, old.inputs));
  const moved = new Set(compare(kind, applied, spec, knownOf(kind, old)).map(({ field }) => field));
  return (field) => !moved.has(field);
}

/** The property path of a difference, and of a finding in the inputs. */
export function pathOf(kind: Kind, pointer: string, wish: Value): string {
  const [field = "", ...inner] = splitPointer(pointer);
  const found = propertiesOf(kind).inputs.find(({ name }) => name === field);
  const property = found?.property ?? field;
  return pathOfPointer([property, ...inner], (before) => {
    let value: Value | undefined = wish;
    for (const step of [field, ...before.slice(1)]) value = stepInto(value, step);
    return Array.isArray(value);
  });
}

function stepInto(value: Value | undefined, step: string): Value | undefined {
  if (Array.isArray(value)) return value[Number(step)] as Value | undefined;
  return isMembers(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

/** True where the old object has to go before the new one can be: they have, or may have, one natural key. */
export function standsInTheWay(kind: Kind, old: Holding, news: PropertyMap): boolean {
  const wish = wishOf(kind, news);
  const { spec } = sightOf(kind, old.state);
  if (!kind.key.every((name) => isKnown(wish[name]) && hasValue(spec[name]))) return true;
  const wished = normalize(kind, knownPart(wish));
  if (!kind.key.every((name) => hasValue(wished[name]))) return true;
  return keyOf(kind, wished) === keyOf(kind, spec);
}

function hasValue(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null;
}

/** True for a path that one of the ignored paths is or lies above: `release`, `labels["a"]`, `filters[*].member`. */
export function isIgnored(path: string, ignored: readonly string[]): boolean {
  return ignored.some((one) => covers(stepsOf(one), stepsOf(path)));
}
