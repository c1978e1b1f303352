// Arbitrary values of a schema for property tests, and the number of their runs.
import fc from "fast-check";
import type { TSchema } from "typebox";
import { isFileMap, type FieldInfo, membersOf } from "../../core/kind/fields.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { mapValues, type SchemaView, typesOf, variants, view } from "../../core/schema/schema.ts";
import { brokenRules, exclusiveMembers, isGiven, rulesOf } from "../../core/schema/member-rules.ts";
import { traitsOf } from "../../core/schema/traits.ts";
import { validator } from "../../core/schema/validate.ts";
import { inexactPointer } from "../../core/text/exact-numbers.ts";
import { runsMoreCases } from "./sampling.ts";

/** Options of a property's runs. */
export interface PropertyRuns {
  readonly numRuns: number;
  readonly seed?: number;
  readonly interruptAfterTimeLimit: number;
  readonly markInterruptAsFailure: true;
  readonly endOnFailure: boolean;
}

/**
 * Ends before the longest deadline of a test, with time to shrink a counterexample. Too few runs count as a failure.
 */
const within = { interruptAfterTimeLimit: 480_000, markInterruptAsFailure: true } as const;

/**
 * Returns the runs of a property: 120 in continuous integration, half of them in an ordinary run, or
 * SVC_PROPERTY_RUNS; a slow property takes a fraction of them. Values are random, or follow SVC_PROPERTY_SEED. Under CI
 * the seed is fixed, so that a failure comes from the change under test, and failures are not shrunk. A failure prints
 * its seed.
 */
export function propertyRuns(share = 1): PropertyRuns {
  const numRuns = Math.max(
    1,
    Math.round((integerFromEnv("SVC_PROPERTY_RUNS") ?? ordinaryRuns) * share),
  );
  const seed =
    integerFromEnv("SVC_PROPERTY_SEED") ?? (process.env["CI"] === undefined ? undefined : 20261121);
  const endOnFailure = process.env["CI"] !== undefined;
  return { numRuns, ...within, endOnFailure, ...(seed === undefined ? {} : { seed }) };
}

const ordinaryRuns = runsMoreCases ? 120 : 60;

/** Returns an environment variable if it is a positive integer. */
function integerFromEnv(name: string): number | undefined {
  const count = Number(process.env[name]);
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

/** Any JSON value. */
export const anyJson: fc.Arbitrary<JsonValue> = fc
  .jsonValue({ stringUnit: "binary" })
  .filter((value) => inexactPointer(value) === undefined);

/** Values of existing objects, by the name of the member or list that contains them. */
export type KnownValues = Readonly<Record<string, readonly JsonValue[]>>;

/** A place in a schema: its member, and values of existing objects. */
interface SchemaPosition {
  readonly member: string;
  readonly known: KnownValues;
}

const rootPosition: SchemaPosition = { member: "", known: {} };

/**
 * Returns values that the schema allows, by every keyword of {@link SchemaView}. Where the schema allows values that are `known`
 * for a member, it mostly takes those.
 */
export function arbitraryOf(
  schema: TSchema,
  at: SchemaPosition = rootPosition,
): fc.Arbitrary<JsonValue> {
  const all = variants(schema);
  if (all.length > 1 || all[0] !== schema) {
    return fc.oneof(...all.map((one) => arbitraryOf(one, at)));
  }
  const fitting = (Object.hasOwn(at.known, at.member) ? (at.known[at.member] ?? []) : []).filter(
    (value) => validator(schema)(value).length === 0,
  );
  const any = unknownOf(schema, at);
  if (fitting.length === 0) return any;
  return fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...fitting) },
    { weight: 1, arbitrary: any },
  );
}

function unknownOf(schema: TSchema, at: SchemaPosition): fc.Arbitrary<JsonValue> {
  const keywords = view(schema);
  if (keywords.const !== undefined) return fc.constant(keywords.const);
  if (keywords.enum !== undefined) return fc.constantFrom(...keywords.enum);
  const types = typesOf(schema);
  if (types.length === 0) return anyJson;
  return fc.oneof(...types.map((type) => ofType(type, schema, at)));
}

/** Returns objects that the schema allows. */
export function objectOf(schema: TSchema, known: KnownValues = {}): fc.Arbitrary<JsonObject> {
  return ofType("object", schema, { member: "", known }) as fc.Arbitrary<JsonObject>;
}

function ofType(type: string, schema: TSchema, at: SchemaPosition): fc.Arbitrary<JsonValue> {
  const keywords = view(schema);
  switch (type) {
    case "string":
      return strings(keywords);
    case "integer":
      return fc.integer({
        min: Math.ceil(keywords.minimum ?? -1_000_000),
        max: Math.floor(keywords.maximum ?? 1_000_000),
      });
    case "number":
      return fc.double({
        min: keywords.minimum ?? -1e9,
        max: keywords.maximum ?? 1e9,
        noNaN: true,
      });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return lists(schema, at);
    default:
      return objects(schema, at);
  }
}

const formats: Readonly<Record<string, fc.Arbitrary<string>>> = {
  email: fc.emailAddress(),
  cron: fc.constantFrom("0 9 * * 1", "*/15 * * * *", "30 7 1 1-6 *"),
  "time-zone": fc.constantFrom("UTC", "Europe/Berlin", "Asia/Kathmandu"),
  uri: fc.webUrl(),
  iri: fc.webUrl().map((url) => url.replace(/^(https?:\/\/)/, "$1ä.")),
  date: anyTime().map((at) => at.slice(0, 10)),
  "date-time": anyTime(),
};

function anyTime(): fc.Arbitrary<string> {
  return fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") })
    .map((at) => at.toISOString());
}

function strings({ format, pattern, minLength = 0, maxLength }: SchemaView): fc.Arbitrary<string> {
  const formatted =
    (format === undefined ? undefined : formats[format]) ?? stringMatching(pattern, minLength);
  // A format or a pattern may need more than a short text.
  const most = maxLength ?? (formatted === undefined ? minLength + 20 : Number.POSITIVE_INFINITY);
  const base = formatted ?? fc.string({ unit: "binary", minLength, maxLength: most });
  const rule = pattern === undefined ? undefined : new RegExp(pattern, "u");
  let rejected = 0;
  return base.filter((text) => {
    const length = Array.from(text).length;
    const isValid = length >= minLength && length <= most && (rule?.test(text) ?? true);
    rejected = isValid ? 0 : rejected + 1;
    // A filter draws values until one passes, possibly forever.
    if (rejected > 10_000) throw new Error(`no text drawn matches ${pattern ?? "the lengths"}`);
    return isValid;
  });
}

/** Returns texts that match a pattern without its lookarounds; the caller filters by the lookarounds. */
function stringMatching(
  pattern: string | undefined,
  minLength: number,
): fc.Arbitrary<string> | undefined {
  if (pattern === undefined) return undefined;
  // A repeated character is drawn as often as the shortest text needs.
  const [, character] = /^\^(\[[^\]]*\])\*\$$/u.exec(pattern) ?? [];
  if (character !== undefined) return textsOf(`^${character}{${minLength},${minLength + 20}}$`);
  return textsOf(withoutLookarounds(pattern));
}

const textsByPattern = new Map<string, fc.Arbitrary<string>>();

/** Returns texts that match a pattern. Caches them, because schemas have few patterns and parsing one takes long. */
function textsOf(pattern: string): fc.Arbitrary<string> {
  const texts = textsByPattern.get(pattern) ?? fc.stringMatching(new RegExp(pattern, "u"));
  textsByPattern.set(pattern, texts);
  return texts;
}

function withoutLookarounds(pattern: string): string {
  const start = /\(\?(?:<?[=!])/u.exec(pattern)?.index;
  if (start === undefined) return pattern;
  let depth = 0;
  let at = start;
  do {
    if (pattern[at] === "\\") at++;
    else if (pattern[at] === "(") depth++;
    else if (pattern[at] === ")") depth--;
    at++;
  } while (depth > 0);
  return withoutLookarounds(pattern.slice(0, start) + pattern.slice(at));
}

function lists(schema: TSchema, at: SchemaPosition): fc.Arbitrary<JsonValue> {
  const { items, minItems = 0, maxItems, uniqueItems } = view(schema);
  const item = items === undefined ? anyJson : arbitraryOf(items, at);
  const bounds = { minLength: minItems, maxLength: Math.min(maxItems ?? 6, minItems + 6) };
  const isSet = uniqueItems === true || (traitsOf(schema).order === "set" && minItems > 0);
  return isSet
    ? fc.uniqueArray(item, { ...bounds, selector: (one) => JSON.stringify(one) })
    : fc.array(item, bounds);
}

function objects(schema: TSchema, { known }: SchemaPosition): fc.Arbitrary<JsonValue> {
  const fields = membersOf(schema);
  const values = mapValues(schema);
  const { additionalProperties, minProperties: minKeys = 0 } = view(schema);
  if (fields.length === 0 && values === undefined) {
    const isClosed = additionalProperties === false;
    return isClosed ? fc.constant({}) : fc.dictionary(fc.string(), anyJson, { minKeys });
  }
  if (isFileMap(schema)) return textFiles;
  if (values !== undefined)
    return fc.dictionary(mapKeys(schema), arbitraryOf(values, { member: "", known }), {
      minKeys,
      maxKeys: 5,
    });
  const model = Object.fromEntries(
    fields.map(
      (field) => [field.name, arbitraryOf(field.schema, { member: field.name, known })] as const,
    ),
  );
  const requiredKeys = fields.filter((field) => field.required).map((field) => field.name);
  const names = exclusiveMembers(schema);
  const records = (names.length === 0 ? [undefined] : names).map((chosen) => {
    const kept = fields.filter(({ name }) => name === chosen || !names.includes(name));
    const members = Object.fromEntries(kept.map(({ name }) => [name, model[name] ?? anyJson]));
    const required = chosen === undefined ? requiredKeys : [...requiredKeys, chosen];
    return fc
      .record(members, { requiredKeys: required, noNullPrototype: true })
      .filter((value) => chosen === undefined || isGiven(value, chosen));
  });
  return fc
    .oneof(...records)
    .map((value) => withoutMalformed(value as JsonObject, fields))
    .map((value) => keepingRules(schema, value))
    .filter((value) => brokenRules(rulesOf(schema), value).length === 0);
}

/** Removes members until an object breaks no rule of its schema that absent members keep. */
export function keepingRules(schema: TSchema, value: JsonObject): JsonObject {
  for (const broken of brokenRules(rulesOf(schema), value)) {
    const excess =
      "requires" in broken
        ? broken.requires[0]
        : "notTogether" in broken
          ? broken.notTogether.at(-1)
          : undefined;
    if (excess === undefined) continue;
    const rest = Object.entries(value).filter(([name]) => name !== excess);
    return keepingRules(schema, Object.fromEntries(rest));
  }
  return value;
}

/** Removes texts that do not match the pattern that another field selects. */
function withoutMalformed(value: JsonObject, fields: readonly FieldInfo[]): JsonObject {
  const misformed = fields.filter(({ name, traits: { patternBy: formBy } }) => {
    const [text, decisive] = [value[name], value[formBy?.field ?? ""]];
    if (typeof text !== "string" || typeof decisive !== "string") return false;
    const form = formBy?.patterns[decisive];
    return form !== undefined && !new RegExp(form.pattern, "u").test(text);
  });
  const names = new Set(misformed.map(({ name }) => name));
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

/** Files outside the model, so that any text is valid. */
const textFiles = fc.dictionary(
  fc.stringMatching(/^docs\/[a-z]{1,8}\.txt$/u),
  fc.string({ unit: "binary" }),
  { minKeys: 1, maxKeys: 5 },
);

function mapKeys(schema: TSchema): fc.Arbitrary<string> {
  const [pattern] = Object.keys(view(schema).patternProperties ?? {});
  return pattern === undefined || pattern === "^.*$"
    ? fc.oneof(
        fc.string({ unit: "binary", maxLength: 8 }),
        fc.constantFrom("__proto__", "toString"),
      )
    : fc.stringMatching(new RegExp(pattern, "u"));
}
