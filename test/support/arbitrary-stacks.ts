// Generates arbitrary stacks of all kinds: specs from their schemas, with references to other documents.
import fc from "fast-check";
import type { TSchema } from "typebox";
import { canClear, fieldsOf, membersOf } from "../../core/kind/fields.ts";
import { address, keyOf } from "../../core/kind/identity.ts";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { type Kind, kindsByName } from "../../core/kind/kind.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { view } from "../../core/schema/schema.ts";
import { referencesOf } from "../../core/kind/references.ts";
import { traitsOf } from "../../core/schema/traits.ts";
import { layersOfKinds } from "../../reconciler/model/kind-layers.ts";
import { listedEntryConflicts } from "../../reconciler/manifest/shared-fields.ts";
import { kinds } from "../../resources/index.ts";
import { resolveReferences } from "../../scripts/resolve-references.ts";
import { arbitraryOf } from "./arbitrary-values.ts";
import { runsMoreCases } from "./sampling.ts";
import type { Doc } from "./test-stack.ts";

const layer = layersOfKinds(kinds);

/** Kinds that are left out: a Git connection replaces the files of a DataModel, and the branch and folder of a Deployment. */
const omittedKinds = new Set(["GitConnection"]);
const parentsFirst = kinds
  .filter(({ name }) => !omittedKinds.has(name))
  .toSorted((left, right) => (layer.get(left.name) ?? 0) - (layer.get(right.name) ?? 0));

const byName = kindsByName(kinds);

/** Names of documents; few, so that two stacks share many of them; two in an ordinary run. */
const names = ["a", "b", "c", "d"].slice(0, runsMoreCases ? 4 : 2);

/** Fields whose values depend on the service or have their own grammar, which a schema cannot express. */
const serverDefinedFields = new Set([
  "region",
  "release",
  "user",
  "schedule",
  "timezone",
  "slug",
  "dashboard",
  "repoUrl",
  "projectRoot",
  "manifestPath",
  "outputPath",
  "token",
  "issuer",
  "claims",
  "jwksUri",
  "privateKey",
  "UserAttributeValue.value",
  "Notification.filters",
]);

/** Optional fields that others rely on: a notification needs a published dashboard, and a recipient needs an email. */
const dependedOnFields = new Set(["dashboard", "email", "redirectUris"]);

/**
 * Fields in which two documents could contradict each other: several documents describe one live object, and a data
 * model needs a deploy branch into which it can be merged.
 */
const sharedFields = new Set([
  "email",
  "deployBranchName",
  "deployBranchMergeAllowed",
  // An OAuth client without one must allow devices.
  "redirectUris",
]);

/**
 * Omitted fields: values that only one object of an account can have, and values that decide whether other objects are
 * valid.
 */
const omittedFields = new Set(["customDomain", "personalKeysEnabled"]);

/**
 * Kinds with one document in a stack: an account has one object for each value of a field, regardless of its deployment
 * or name.
 */
const soleKinds = new Set(["OidcTokenConfig", "Report"]);

interface Draft {
  readonly kind: Kind;
  readonly name: string;
  readonly spec: JsonObject;
  /** Decides which documents it refers to. */
  readonly choice: number;
}

/** Stacks whose documents are valid together; they contain most kinds and use few names. */
export const anyStack: fc.Arbitrary<readonly Doc[]> = fc
  .tuple(
    ...parentsFirst.flatMap((kind) =>
      (soleKinds.has(kind.name) ? names.slice(0, 1) : names).map((name) =>
        arbitraryDraft(kind, name),
      ),
    ),
  )
  .map((drafts) =>
    withoutListedEntries(resolveDrafts(drafts.filter((draft) => draft !== undefined))),
  );

function arbitraryDraft(kind: Kind, name: string): fc.Arbitrary<Draft | undefined> {
  const declared = fc.record({ spec: arbitrarySpec(kind), choice: fc.nat(1000) });
  return fc.option(
    declared.map((one) => ({ kind, name, ...one })),
    { nil: undefined, freq: 2 },
  );
}

/**
 * Returns any text where the schema permits it. Values of closed lists and references stay as in the example, because a
 * schema cannot express which other values match them. Values that the operator offers stay as in the example, too.
 */
function arbitrarySpec(kind: Kind): fc.Arbitrary<JsonObject> {
  const [example] = kind.examples;
  if (example === undefined) throw new Error(`${kind.name} has no example`);
  const given = example.spec as JsonObject;
  const varied = example.variations;
  // A field that the example leaves out, and that cannot be null, has no value if it is a reference or has no variation.
  const fields = fieldsOf(kind).filter(
    (field) =>
      !omittedFields.has(field.name) &&
      (given[field.name] !== undefined ||
        canClear(field) ||
        (varied[field.name] != null && !containsReference(field.schema))),
  );
  const model = fields.map((declared): [string, fc.Arbitrary<JsonValue>] => {
    const { name, schema } = declared;
    const omitted = canClear(declared) ? null : (varied[name] ?? null);
    const shown = fc.constant(given[name] ?? omitted);
    const fixed =
      kind.shape === "singleton" ||
      view(schema).enum !== undefined ||
      containsReference(schema) ||
      sharedFields.has(name);
    if (fixed) return [name, shown];
    if (serverDefinedFields.has(name) || serverDefinedFields.has(`${kind.name}.${name}`))
      return [name, fc.oneof(shown, fc.constant(varied[name] ?? null))];
    const free = arbitraryOf(schema).filter(isPlain);
    return [name, fc.oneof(shown, free, ...maskTriggers(kind, name))];
  });
  const requiredKeys = fields
    .filter(
      ({ name, required, traits }) =>
        required ||
        given[name] === undefined ||
        dependedOnFields.has(name) ||
        // A plan refuses a stack that no longer declares it.
        traits.whenRemoved === "refuse",
    )
    .map(({ name }) => name);
  return fc.record(Object.fromEntries(model), { requiredKeys, noNullPrototype: true });
}

/** Returns the texts of a field that make the API mask another field. */
function maskTriggers(kind: Kind, name: string): fc.Arbitrary<string>[] {
  const words = fieldsOf(kind).flatMap(({ traits: { maskedWhen } }) =>
    maskedWhen?.field === name ? maskedWhen.contains : [],
  );
  return words.length === 0 ? [] : [fc.constantFrom(...words)];
}

/**
 * Returns whether a value is valid beyond its schema. The service refuses null characters, inexact integers, and ids
 * with capitals or surrounding white space; `${` begins a variable, and `__proto__` cannot be a key.
 */
function isPlain(value: JsonValue): boolean {
  if (!numbersIn(value).every(isExact)) return false;
  if (/\\u0000|\$\{|"__proto__"/.test(JSON.stringify(value))) return false;
  return typeof value !== "string" || (value === value.trim() && value === value.toLowerCase());
}

function numbersIn(value: JsonValue | undefined): number[] {
  if (typeof value === "number") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(numbersIn) : [];
}

function isExact(value: number): boolean {
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(String(value));
}

function containsReference(schema: TSchema): boolean {
  const { items } = view(schema);
  return (
    traitsOf(schema).refersTo !== undefined ||
    membersOf(schema).some((member) => containsReference(member.schema)) ||
    (items !== undefined && containsReference(items))
  );
}

/** Returns the documents whose references are all among those that `mayStay`. */
export function closedSubset(
  documents: readonly Doc[],
  mayStay: (doc: Doc) => boolean,
): readonly Doc[] {
  const kept = new Set<string>();
  return documents.filter((doc) => {
    const kind = byName.get(doc.kind);
    const needs = kind === undefined ? [] : referencesOf(kind, doc.spec);
    const stays = mayStay(doc) && needs.every((one) => kept.has(address(one.kind, one.value)));
    if (stays) kept.add(address(doc.kind, doc.name));
    return stays;
  });
}

/**
 * Fills references, parents first. Leaves out documents without a possible reference, or with the key of another
 * document.
 */
function resolveDrafts(drafts: readonly Draft[]): readonly Doc[] {
  const docs: Doc[] = [];
  const keys = new Set<string>();
  for (const { kind, name, spec, choice } of drafts) {
    const filled = fillReferences(kind.spec, spec, { docs, choice, own: {} });
    if (!isObject(filled)) continue;
    const identity = address(kind.name, keyOf(kind, normalize(kind, filled)));
    if (keys.has(identity)) continue;
    keys.add(identity);
    docs.push({ kind: kind.name, name, spec: filled });
  }
  return docs;
}

/** Leaves out entries of lists that other documents declare as a whole. */
function withoutListedEntries(docs: readonly Doc[]): readonly Doc[] {
  const objects = resolveReferences(docs).map(({ kind, name, spec }) => ({
    kind,
    address: address(kind.name, name),
    spec: normalize(kind, spec),
  }));
  const listed = new Set(listedEntryConflicts(objects).map(({ object }) => object.address));
  return docs.filter(({ kind, name }) => !listed.has(address(kind, name)));
}

interface FillContext {
  readonly docs: readonly Doc[];
  readonly choice: number;
  /** The fields of the document that are already filled. */
  readonly own: JsonObject;
  readonly target?: { kind: string; within: Readonly<Record<string, string>> };
}

/** Returns the value with names of documents for references; undefined if there is no document to name. */
function fillReferences(
  schema: TSchema,
  value: JsonValue,
  filling: FillContext,
): JsonValue | undefined {
  const { refersTo, within = {} } = traitsOf(schema);
  const inner =
    refersTo === undefined ? filling : { ...filling, target: { kind: refersTo, within } };
  if (Array.isArray(value)) {
    const { items = {}, minItems = 0 } = view(schema);
    const filled = value.map((item: JsonValue) => fillReferences(items, item, inner));
    const named = filled.filter((item) => item !== undefined);
    return named.length < minItems ? undefined : named;
  }
  if (isObject(value)) return fillMembers(schema, value, inner);
  const { target, docs, own, choice } = inner;
  if (target === undefined || typeof value !== "string") return value;
  const candidates = docs.filter(
    ({ kind, spec }) =>
      kind === target.kind &&
      Object.entries(target.within).every(([theirs, ours]) => spec[theirs] === own[ours]),
  );
  return candidates[choice % Math.max(1, candidates.length)]?.name;
}

function fillMembers(schema: TSchema, value: JsonObject, filling: FillContext) {
  // Maps and free-form objects contain no references.
  if (membersOf(schema).length === 0) return value;
  const filled: Record<string, JsonValue> = {};
  for (const { name, schema: inner, required, traits } of membersOf(schema)) {
    const given = value[name];
    if (given === undefined) continue;
    const { target: _, ...free } = filling;
    const own = filling.target === undefined ? filled : filling.own;
    const one = fillReferences(inner, given, { ...free, own });
    if (one !== undefined) filled[name] = one;
    else if (required) return undefined;
    // A plan refuses a stack that no longer declares a limit.
    else if (traits.whenRemoved === "refuse") filled[name] = null;
  }
  return filled;
}
