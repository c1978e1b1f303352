// Planning one resource: what differs, by the shared comparison, and what the planned state says; unknown is what only applying tells.
import type { FieldChange, Known } from "../../core/diff.ts";
import type { Fingerprints } from "../../core/fingerprints.ts";
import { keyOf, nameOf } from "../../core/identity.ts";
import { canonical, type JsonObject } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";
import { normalize } from "../../core/normalize.ts";
import { joinPointer } from "../../core/pointer.ts";
import { keptOf } from "../../core/record.ts";
import { delta, type Difference } from "../bridge/delta.ts";
import {
  clearing,
  type Inputs,
  isMembers,
  knownPart,
  Unknown,
  type Value,
} from "../bridge/values.ts";
import { type Members, toInputs } from "./convert.ts";
import type { Memory } from "./memory.ts";
import type { Attribute } from "./schema.ts";

/** A resource to plan. */
export interface Planning {
  readonly kind: Kind;
  readonly attributes: readonly Attribute[];
  readonly config: Members;
  /** The state before; undefined where it is to be created. */
  readonly prior: Members | undefined;
  readonly memory: Memory;
  readonly fingerprints: Fingerprints;
}

/** What is planned. */
export interface Planned {
  readonly state: Members;
  readonly changes: readonly Difference[];
}

/** The wish that a configuration makes. */
export function wishOf({
  kind,
  attributes,
  config,
}: Pick<Planning, "kind" | "attributes" | "config">): Inputs {
  return clearing(kind, toInputs(attributes, config).inputs);
}

/** The spec that a state stands for: what was applied last, where the API does not show it. */
export function specIn(kind: Kind, attributes: readonly Attribute[], state: Members): JsonObject {
  return knownPart(clearing(kind, toInputs(attributes, state).inputs));
}

/** What applying would change on the live object. */
export function changesOf(planning: Planning): readonly Difference[] {
  const { kind, attributes, prior, memory, fingerprints } = planning;
  if (prior === undefined) return [];
  const spec = specIn(kind, attributes, prior);
  const secrets = attributes.filter(({ writeOnly }) => writeOnly);
  const hidden = keptOf(kind, onlyHidden(attributes, spec), fingerprints.of).fingerprints;
  const known: Known = {
    fingerprints: {
      ...fingerprints.comparable({ ...memory.marks, ...memory.seen }),
      ...hidden,
    },
    fingerprint: fingerprints.of,
  };
  const changes = delta(kind, wishOf(planning), spec, known);
  return secrets
    .reduce((found, secret) => withSecret(planning, secret, found), changes)
    .map((one) => (memory.followed.includes(one.field) ? { ...one, replaces: false } : one));
}

function onlyHidden(attributes: readonly Attribute[], spec: JsonObject): JsonObject {
  const fields = attributes.filter(({ hidden, part }) => hidden && part === "spec");
  return Object.fromEntries(fields.map(({ field }) => [field, spec[field]]));
}

/** Where the user counts, the count decides whether a secret is written; else a difference does, if one can be seen. */
function withSecret(
  { attributes, config, prior, memory }: Planning,
  { name, field }: Attribute,
  changes: readonly Difference[],
): readonly Difference[] {
  if ((config[name] ?? null) === null) return changes.filter((one) => one.field !== field);
  const counter =
    attributes.find((one) => one.part === "version" && one.field === field)?.name ?? "";
  const [counted = null, before = null] = [config[counter], prior?.[counter]];
  const own = changes.filter((one) => one.field === field);
  const others = changes.filter((one) => one.field !== field);
  if (counted !== null) {
    if (counted === before) return others;
    return own.length > 0 ? changes : [...others, recount(field)];
  }
  const isOfOtherKey = memory.marks[field] !== undefined;
  return own.every(({ reason }) => reason === "unverified") && isOfOtherKey ? others : changes;
}

/** The secrets that are given and were written once, but under a key that is not this one: whether they differ cannot be told. */
export function uncompared(planning: Planning): readonly Attribute[] {
  const { attributes, config, prior, memory, fingerprints } = planning;
  if (prior === undefined) return [];
  const comparable = fingerprints.comparable({ ...memory.marks, ...memory.seen });
  return attributes.filter(({ name, field, writeOnly }) => {
    const counter = attributes.find((one) => one.part === "version" && one.field === field)?.name;
    const isCounted = (config[counter ?? ""] ?? null) !== null;
    const isKept = memory.marks[field] !== undefined && comparable[field] === undefined;
    return writeOnly && isKept && !isCounted && (config[name] ?? null) !== null;
  });
}

function recount(field: string): Difference {
  const change: FieldChange = {
    path: joinPointer([field]),
    field,
    before: undefined,
    after: undefined,
    reason: "unverified",
    replaces: false,
    sensitive: true,
  };
  return { ...change, unknown: false };
}

interface Run extends Planning {
  readonly changes: readonly Difference[];
  /** The object is made anew, so everything that the service says of it is. */
  readonly fresh: boolean;
}

/** The planned state with the changes that lead to it. */
export function plan(planning: Planning): Planned {
  const changes = changesOf(planning);
  const fresh = planning.prior === undefined || changes.some(({ replaces }) => replaces);
  const run: Run = { ...planning, changes, fresh };
  const spec = planning.attributes
    .filter(({ part }) => part === "spec")
    .map((one): [string, Value] => [one.name, specValue(run, one)]);
  const state: Members = Object.fromEntries(spec);
  const made = planning.attributes
    .filter(({ part }) => part !== "spec")
    .map((one): [string, Value] => [one.name, madeValue(run, one, state)]);
  return { state: { ...state, ...Object.fromEntries(made) }, changes };
}

function specValue(run: Run, attribute: Attribute): Value {
  const { config, prior, changes, fresh } = run;
  const own = changes.filter(({ field }) => field === attribute.field).map(({ path }) => path);
  return planned(attribute, {
    given: config[attribute.name] ?? null,
    before: prior?.[attribute.name] ?? null,
    pointer: joinPointer([attribute.field]),
    changed: own,
    fresh,
    nested: false,
  });
}

interface Spot {
  readonly given: Value;
  readonly before: Value;
  readonly pointer: string;
  /** Pointers of the changes of the field that it lies in. */
  readonly changed: readonly string[];
  readonly fresh: boolean;
  readonly nested: boolean;
}

function planned(attribute: Attribute, spot: Spot): Value {
  const { given, before, pointer, changed, fresh } = spot;
  if (attribute.writeOnly) return null;
  if (given instanceof Unknown) return given;
  if (given === null) return omitted(attribute, spot);
  const isAsBefore = before !== null && !changed.some((path) => touches(path, pointer));
  if (isAsBefore && !fresh) return before;
  const { form } = attribute;
  if (form.is !== "nested" || form.nesting !== "single" || !isMembers(given)) return given;
  const held = isMembers(before) ? before : undefined;
  const members = form.attributes.map((one): [string, Value] => [
    one.name,
    planned(one, {
      given: given[one.name] ?? null,
      before: held?.[one.name] ?? null,
      pointer: `${pointer}${joinPointer([one.field])}`,
      changed,
      fresh: fresh || held === undefined,
      nested: true,
    }),
  ]);
  return Object.fromEntries(members);
}

function touches(path: string, pointer: string): boolean {
  return path === pointer || path.startsWith(`${pointer}/`) || pointer.startsWith(`${path}/`);
}

/** What is left out keeps its value; beside what changes in one object, the service may move it too. */
function omitted(attribute: Attribute, { before, fresh, nested, changed }: Spot): Value {
  if (attribute.default !== undefined) return attribute.default;
  if (attribute.mode !== "optionalComputed") return null;
  const mayMove = fresh || (nested && changed.length > 0);
  if (!mayMove) return before;
  return attribute.hidden ? null : new Unknown();
}

/** These stay what they are for as long as the object lives, once they are there. */
const lasting = /^id$|Id$|At$/;

function madeValue(run: Run, attribute: Attribute, state: Members): Value {
  const { prior, changes, fresh, kind, attributes } = run;
  const before = prior?.[attribute.name] ?? null;
  switch (attribute.part) {
    case "version":
      return versionAfter(run, attribute, before);
    case "importId":
    case "reference": {
      if (!fresh && changes.length === 0) return before;
      const inputs = toInputs(attributes, state).inputs;
      return named(kind, inputs, attribute.part) ?? new Unknown();
    }
    case "minted":
      return fresh ? new Unknown() : before;
    default:
      if (fresh) return new Unknown();
      if (changes.length === 0) return before;
      return before !== null && lasting.test(attribute.field) ? before : new Unknown();
  }
}

function versionAfter(run: Run, { name, field }: Attribute, before: Value): Value {
  const secret = run.attributes.find((one) => one.writeOnly && one.field === field)?.name ?? "";
  const given = run.config[name] ?? null;
  if (given !== null) return given;
  if ((run.config[secret] ?? null) === null) return before;
  if (run.prior === undefined) return 1;
  if (!run.changes.some((one) => one.field === field)) return before;
  return Number(before ?? 0) + 1;
}

/** What an object of these inputs is called; undefined while that is not known. */
export function named(
  kind: Kind,
  inputs: Inputs,
  as: "importId" | "reference",
): string | undefined {
  const known = normalize(kind, knownPart(inputs));
  if (kind.key.some((name) => (known[name] ?? null) === null)) return undefined;
  if (as === "importId") return keyOf(kind, known);
  const name = nameOf(kind, known);
  return typeof name === "string" ? name : canonical(name);
}
