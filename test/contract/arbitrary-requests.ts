// Generates arbitrary requests for an operation: valid requests from its schemas, and requests with changes at any depth.
import fc from "fast-check";
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Operation } from "../../core/operation/operation.ts";
import { brokenRules, exclusiveMembers, rulesOf } from "../../core/schema/member-rules.ts";
import { keepingRules, type KnownValues, objectOf } from "../support/arbitrary-values.ts";
import type { Sample } from "./sample.ts";

/** Values that are sent in place of a sample's, or in addition to them. */
export interface RequestVariation {
  /** Whether the request conforms to the operation's schemas. */
  readonly valid: boolean;
  /** A step of the path, counted from its end, and its replacement. */
  readonly step?: { readonly back: number; readonly text: string };
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the path of a variation of a sample. */
export function variedPath({ path }: Sample, { step, query }: RequestVariation): string {
  const [plain = "", search = ""] = path.split("?");
  const steps = plain.split("/");
  const index = steps.length - 1 - (step?.back ?? 0);
  const walked = step && index > 2 ? steps.with(index, encode(step.text)) : steps;
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}=${encode(textOf(one))}`),
  );
  const kept = query === undefined && search !== "" ? [search] : [];
  const whole = [...kept, ...pairs].join("&");
  return `${walked.join("/")}${whole === "" ? "" : `?${whole}`}`.slice(0, 9000);
}

/** Returns the text of a value in a query. An object may have its own member `toString`. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).slice(0, 6000).replace(/%.?$/, "");
}

/** Returns requests that the operation's schemas allow; many of them start from the sample's body. */
export function validRequests(
  operation: Operation,
  sample: Sample,
  known: KnownValues,
): fc.Arbitrary<RequestVariation> {
  const body = bodies(operation, sample, known);
  const query = fc.option(objectOf(operation.query, known), { nil: undefined });
  return fc.tuple(query, body).map(([parameters, sent]) => ({
    valid: true,
    ...(parameters === undefined ? {} : { query: parameters }),
    ...(sent === undefined ? {} : { body: sent }),
  }));
}

function bodies(operation: Operation, sample: Sample, known: KnownValues): fc.Arbitrary<unknown> {
  const { body: schema } = operation;
  if (schema === undefined) return fc.constant(undefined);
  const drawnBodies = objectOf(schema, known);
  const names = exclusiveMembers(schema);
  const some = fc.array(fc.nat(), { minLength: 1, maxLength: 2 });
  const over = fc.tuple(drawnBodies, some).map(([body, picks]) => {
    const all = Object.entries(body);
    const picked = picks.flatMap((pick) => all.slice(pick % Math.max(1, all.length)).slice(0, 1));
    const members = Object.fromEntries(picked);
    const isReplaced = names.some((name) => name in members);
    const kept = Object.entries(sample.body ?? {}).filter(
      ([name]) => !isReplaced || !names.includes(name),
    );
    return keepingRules(schema, { ...Object.fromEntries(kept), ...members } as JsonObject);
  });
  const either = fc
    .oneof(drawnBodies, over)
    .filter((body) => brokenRules(rulesOf(schema), body).length === 0);
  return operation.bodyOptional ? fc.option(either, { nil: undefined }) : either;
}

/** Returns requests with a mutation, which may be valid by chance. */
export function mutatedRequests(
  operation: Operation,
  sample: Sample,
  known: KnownValues,
): fc.Arbitrary<RequestVariation> {
  const valid = validRequests(operation, sample, known);
  const edits = fc.array(anyMutation, { minLength: 1, maxLength: 3 });
  const sent = fc.tuple(valid, edits).map(([variation, all]) => ({
    ...variation,
    valid: false,
    body: all.reduce(mutate, variation.body),
  }));
  const replaced = fc
    .tuple(valid, anything)
    .map(([variation, body]) => ({ ...variation, valid: false, body }));
  const moved = fc.tuple(valid, fc.nat({ max: 4 }), text).map(([variation, back, segment]) => ({
    ...variation,
    valid: false,
    step: { back, text: segment },
  }));
  const names = [...Object.keys(operation.query.properties), "first", "after", "offset", "x"];
  const query = fc.dictionary(fc.constantFrom(...names), text, { maxKeys: 3 });
  const wrongQuery = fc
    .tuple(valid, query)
    .map(([variation, all]) => ({ ...variation, valid: false, query: all }));
  const headed = fc
    .tuple(valid, headers)
    .map(([variation, all]) => ({ ...variation, valid: false, headers: all }));
  const weight = operation.body === undefined ? 1 : 8;
  return fc.oneof(
    { weight, arbitrary: sent },
    { weight: 1, arbitrary: replaced },
    { weight: 2, arbitrary: moved },
    { weight: 2, arbitrary: wrongQuery },
    { weight: 1, arbitrary: headed },
  );
}

const long = fc.integer({ min: 1, max: 20_000 }).map((length) => "x".repeat(length));
const unusualTexts = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202e",
  "__proto__",
  "constructor",
  "system:x",
  "İ",
];
const injectionTexts = [
  "' or 1=1 --",
  "%",
  "_",
  "\\",
  "acme-inc",
  "visitor",
  "everyone",
  "1e3",
  "null",
];

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.constantFrom(...unusualTexts, ...injectionTexts),
  long,
);
const number = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, 1, 2, 2 ** 31, 2 ** 53, Number.MAX_VALUE, 1.5),
);
const leaf = fc.oneof(text, number, fc.boolean(), fc.constant(null));

/** Any value, including deeply nested ones. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 1, arbitrary: fc.array(leaf, { maxLength: 6 }) },
  { weight: 1, arbitrary: fc.dictionary(text, leaf, { maxKeys: 6 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 500 }).map(nested) },
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const headers = fc.record(
  {
    "content-type": fc.constantFrom("text/plain", "application/json; charset=utf-16", "a/b", ""),
    "x-request-id": fc.constantFrom("ok-1", "", "a b", "x".repeat(500)),
    accept: fc.constantFrom("*/*", "text/html", "x"),
    "accept-encoding": fc.constant("gzip"),
  },
  { requiredKeys: [] },
);

/** A change in a value: the index of the place, counted through all depths, and the new value. */
interface Mutation {
  readonly place: number;
  readonly how: "replace" | "remove" | "wrap" | "repeat" | "add";
  readonly value: unknown;
}

const anyMutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat({ max: 10_000 }),
  how: fc.constantFrom("replace", "replace", "replace", "remove", "wrap", "repeat", "add"),
  value: anything,
});

function mutate(value: unknown, { place, ...change }: Mutation): unknown {
  const places = countPlaces(value);
  return mutateAt(value as JsonValue, place % places, change)[0];
}

function countPlaces(value: unknown): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce((sum: number, one) => sum + countPlaces(one), 0);
}

/** Returns the value with the place changed, and the number of places that remain before it. */
function mutateAt(
  value: JsonValue | undefined,
  place: number,
  change: Omit<Mutation, "place">,
): readonly [unknown, number] {
  if (place === 0) return [applyMutation(value, change), -1];
  let left = place - 1;
  if (typeof value !== "object" || value === null) return [value, left];
  const entries = Object.entries(value as object).flatMap(([name, one]): [string, unknown][] => {
    if (left < 0) return [[name, one]];
    const isHere = left === 0;
    const [mutated, rest] = mutateAt(one as JsonValue, left, change);
    left = rest;
    return isHere && change.how === "remove" ? [] : [[name, mutated]];
  });
  return [Array.isArray(value) ? entries.map(([, one]) => one) : Object.fromEntries(entries), left];
}

function applyMutation(
  value: JsonValue | undefined,
  { how, value: other }: Omit<Mutation, "place">,
): unknown {
  switch (how) {
    case "wrap":
      return [value];
    case "repeat":
      return Array.isArray(value)
        ? [...(value as JsonValue[]), ...(value as JsonValue[])]
        : [value, value];
    case "add":
      return value !== undefined && isObject(value) ? { ...value, nonsense: other } : other;
    case "remove":
      return undefined;
    default:
      return other;
  }
}
