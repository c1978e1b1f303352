// Phrases the errors of schema validation, for manifests, providers, files and requests alike. The caller adds the place.
import type { ErrorObject } from "ajv/dist/2020.js";
import type { TSchema } from "typebox";
import type { JsonObject, JsonValue } from "../json.ts";
import { closestMatch, orList, suggestionRemedy } from "../text/naming.ts";
import { joinPointer } from "../pointer.ts";
import { nonNull, typeOf, typesOf, variantFor, variants, view } from "./schema.ts";
import { describePattern } from "../text/text-patterns.ts";
import { timeZoneRemedy } from "../text/time-zones.ts";
import { patternByKeyword, traitsOf } from "./traits.ts";

/** A validation error of ajv, with the schema and the value that it is about. */
export type SchemaError = ErrorObject;

/** Returns all errors of a value; an empty list if it is valid. */
export type Compiled = (value: unknown) => readonly SchemaError[];

/** One violation of a schema. */
export interface SchemaValidationError {
  readonly code: "unknown-field" | "missing-field" | "wrong-type" | "out-of-bounds";
  /** JSON Pointer to the value; also to a missing or unknown member. */
  readonly path: string;
  /** The violated JSON Schema keyword. */
  readonly keyword: string;
  /** Predicate of a sentence whose subject is the value: `must be at most 5`, `is required`. Never contains the value. */
  readonly message: string;
  /** How to fix it: `Did you mean "name"?`. Absent if the message says it. */
  readonly remedy?: string;
  /** Parameters, with ajv's names: `limit`, `allowedValues`, `missingProperty`, `additionalProperty`. */
  readonly params: JsonObject;
}

/** The codes of keywords that are not about bounds. */
const codes = {
  additionalProperties: "unknown-field",
  unevaluatedProperties: "unknown-field",
  required: "missing-field",
  type: "wrong-type",
  anyOf: "wrong-type",
  oneOf: "wrong-type",
} as const;

/**
 * Returns the violations behind ajv's errors, each once. A value that matches no alternative of a union has the errors of
 * the alternative of its type; `compile` validates it against that.
 */
export function schemaErrors(
  errors: readonly SchemaError[],
  compile: (schema: TSchema) => Compiled,
): readonly SchemaValidationError[] {
  if (errors.length === 0) return [];
  const forms = errors.filter(({ keyword }) => keyword === patternByKeyword);
  const unions = Map.groupBy(errors.filter(isUnion), ({ instancePath }) => instancePath);
  const isInUnion = (error: SchemaError): boolean =>
    enclosingPaths(error.instancePath).some((path) =>
      unions.get(path)?.some((union) => isWithin(error, union)),
    );
  // A text that matches neither its pattern nor its format has one error: of its format if that has a remedy.
  const patterns = pathsOf(errors.filter(({ keyword }) => keyword === "pattern"));
  const remedied = pathsOf(
    errors.filter((one) => one.keyword === "format" && toValidationError(one).remedy !== undefined),
  );
  const tooShort = pathsOf(errors.filter(({ keyword }) => keyword === "minLength"));
  const isRepeated = ({ keyword, instancePath: path, data }: SchemaError): boolean =>
    (keyword === "pattern" && data === "" && tooShort.has(path)) ||
    (remedied.has(path) ? keyword === "pattern" : keyword === "format" && patterns.has(path));
  const found = errors
    .filter((error) => error.keyword !== "if" && !isInUnion(error) && !isRepeated(error))
    .flatMap((error) =>
      isUnion(error) ? unionErrors(error, { forms, compile }) : [toValidationError(error)],
    );
  return [...new Map(found.map((one) => [`${one.path} ${one.message}`, one])).values()];
}

function pathsOf(errors: readonly SchemaError[]): ReadonlySet<string> {
  return new Set(errors.map(({ instancePath }) => instancePath));
}

/** Returns the pointers to a value and to all values that contain it. */
function enclosingPaths(pointer: string): readonly string[] {
  const steps = pointer.split("/");
  return steps.map((_, at) => steps.slice(0, at + 1).join("/"));
}

function isUnion({ keyword }: SchemaError): boolean {
  return keyword === "anyOf" || keyword === "oneOf";
}

/** Returns whether an error is inside a union, which reports it once. */
function isWithin(error: SchemaError, union: SchemaError): boolean {
  return (
    error !== union &&
    error.schemaPath.startsWith(`${union.schemaPath}/`) &&
    (error.instancePath === union.instancePath ||
      error.instancePath.startsWith(`${union.instancePath}/`))
  );
}

/** Returns the errors of the alternative that the value is meant for; otherwise an error that lists the alternatives. */
function unionErrors(
  error: SchemaError,
  { forms, compile }: { forms: readonly SchemaError[]; compile: (schema: TSchema) => Compiled },
): readonly SchemaValidationError[] {
  // A pattern selected by a sibling field is only checked on the whole value.
  const byPattern = forms.filter((one) => isWithin(one, error));
  if (byPattern.length > 0) return byPattern.map(toValidationError);
  const schema: TSchema = { anyOf: error.schema };
  const meant = variantFor(schema, error.data);
  if (meant !== undefined && error.keyword === "anyOf") {
    const inner = schemaErrors(compile(meant)(error.data), compile);
    const [first] = inner;
    // Titles name the range of each alternative, which the error of one alternative does not.
    if (first !== undefined && nonNull(schema).every((one) => view(one).title !== undefined)) {
      const message = `must be ${allowed(schema)}`;
      return [{ ...first, code: "out-of-bounds", path: error.instancePath, message }];
    }
    if (inner.length > 0) {
      return inner.map((one) => ({ ...one, path: `${error.instancePath}${one.path}` }));
    }
  }
  const message =
    meant !== undefined && error.keyword === "oneOf"
      ? "must match exactly one of the allowed types"
      : `must be ${allowed(schema)}${otherType(schema, error.data)}`;
  const { instancePath: path, keyword } = error;
  const similar = similarLiteral(schema, error.data);
  const remedy = similar === undefined ? {} : { remedy: suggestionRemedy(similar) };
  return [{ code: codeOf(keyword), path, keyword, message, ...remedy, params: {} }];
}

/** Returns the text among the alternatives that a text probably misspells. */
function similarLiteral(schema: TSchema, data: unknown): string | undefined {
  const texts = nonNull(schema).map((one) => view(one).const);
  return typeof data === "string" ? suggestion(data, texts.filter(isText)) : undefined;
}

/** Says the type of a value that has the type of no alternative. */
function otherType(schema: TSchema, data: unknown): string {
  const types = variants(schema).flatMap(typesOf);
  const actual = typeOf(data);
  const isListed = types.includes(actual) || (actual === "number" && types.includes("integer"));
  return isListed ? "" : `, not ${typeNames[actual] ?? "that"}`;
}

function allowed(schema: TSchema): string {
  const hasNull = variants(schema).length > nonNull(schema).length;
  const names = nonNull(schema).map((one) => {
    const { const: literal, title } = view(one);
    if (literal !== undefined) return JSON.stringify(literal);
    return title ?? typeNamesText(typesOf(one), one);
  });
  return orList([...new Set([...names, ...(hasNull ? ["null"] : [])])]);
}

function toValidationError({
  instancePath,
  keyword,
  params,
  ...rest
}: SchemaError): SchemaValidationError {
  const facts = Object.fromEntries(
    Object.entries(params as JsonObject).filter(([, value]) => value !== undefined),
  );
  const context = rest as ErrorContext;
  const message = messageFormats[keyword]?.(facts, context) ?? rest.message ?? "is not allowed";
  const remedy = remedyOf(keyword, facts, context);
  return {
    code: codeOf(keyword),
    path: instancePath + memberPointer(keyword, facts),
    keyword,
    message,
    ...(remedy !== undefined && { remedy }),
    params: facts,
  };
}

function codeOf(keyword: string): SchemaValidationError["code"] {
  return Object.hasOwn(codes, keyword) ? codes[keyword as keyof typeof codes] : "out-of-bounds";
}

/** Returns the pointer from the object to its missing or unknown member. */
function memberPointer(keyword: string, params: JsonObject): string {
  const code = codeOf(keyword);
  if (code !== "missing-field" && code !== "unknown-field") return "";
  return joinPointer([memberName(params)]);
}

function memberName(params: JsonObject): string {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params;
  return displayText(missingProperty ?? additionalProperty ?? unevaluatedProperty);
}

function remedyOf(
  keyword: string,
  params: JsonObject,
  { parentSchema, data }: ErrorContext,
): string | undefined {
  if (keyword === "enum") {
    const { allowedValues } = params;
    const names = Array.isArray(allowedValues) ? allowedValues.filter(isText) : [];
    const meant = typeof data === "string" ? suggestion(data, names) : undefined;
    return meant === undefined ? undefined : suggestionRemedy(meant);
  }
  if (keyword === "format" && displayText(params["format"]).startsWith("time-zone")) {
    if (typeof data !== "string") return undefined;
    return timeZoneRemedy(data);
  }
  if (keyword === "pattern" && describePattern(displayText(params["pattern"])) === undefined) {
    const { doc } = traitsOf(parentSchema);
    return doc === "" ? undefined : asSentence(doc);
  }
  if (keyword === "minProperties") {
    const fields = fieldNames(parentSchema);
    return fields.length === 0 ? undefined : `Its fields are ${fields.join(", ")}.`;
  }
  if (codeOf(keyword) !== "unknown-field") return undefined;
  const known = fieldNames(parentSchema);
  const meant = suggestion(memberName(params), known);
  if (meant !== undefined) return suggestionRemedy(meant);
  return known.length === 0 ? "Remove it." : `The known fields are ${known.join(", ")}.`;
}

function fieldNames(schema: TSchema): readonly string[] {
  return Object.keys(view(schema).properties ?? {});
}

/** Returns a clause as a sentence. */
export function asSentence(text: string): string {
  const sentence = text.replace(/^[a-z]/u, (letter) => letter.toUpperCase());
  return /[.?!]$/u.test(sentence) ? sentence : `${sentence}.`;
}

/** A long name is not a misspelling, and comparing it is slow. */
function suggestion(name: string, candidates: readonly string[]): string | undefined {
  return closestMatch(name.slice(0, 80), candidates);
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === "string";
}

interface ErrorContext {
  readonly schema: JsonValue;
  readonly parentSchema: TSchema;
  readonly data: unknown;
}

type MessageFormat = (params: JsonObject, where: ErrorContext) => string;

const count = (least: "at least" | "at most", unit: string): MessageFormat => {
  return ({ limit }) => `must have ${least} ${counted(limit, unit)}`;
};

const messageFormats: Readonly<Record<string, MessageFormat>> = {
  type: ({ type }, { parentSchema, data }) => {
    const words = typeNamesText(
      Array.isArray(type) ? type.map(displayText) : [displayText(type)],
      parentSchema,
    );
    const isInfinite = typeof data === "number" && !Number.isFinite(data);
    const actual = isInfinite ? "one beyond the supported range" : typeNames[typeOf(data)];
    return `must be ${words}, not ${actual ?? "that"}`;
  },
  enum: ({ allowedValues }) => `must be one of ${listed(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  required: () => "is required",
  additionalProperties: () => "is not a known field",
  unevaluatedProperties: () => "is not a known field",
  propertyNames: ({ propertyName }) => `must not have a field named ${quoted(propertyName)}`,
  dependentRequired: ({ property, missingProperty }) =>
    `must have the field ${quoted(missingProperty)} beside ${quoted(property)}`,
  minLength: ({ limit }) =>
    limit === 1 ? "must not be empty" : `must have at least ${counted(limit, "character")}`,
  maxLength: count("at most", "character"),
  minItems: count("at least", "item"),
  maxItems: count("at most", "item"),
  minProperties: count("at least", "field"),
  maxProperties: count("at most", "field"),
  uniqueItems: ({ i, j }) =>
    `must not repeat an item: items ${displayText(j)} and ${displayText(i)} are equal`,
  minimum: ({ limit }) => `must be at least ${displayText(limit)}`,
  maximum: ({ limit }) => `must be at most ${displayText(limit)}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${displayText(limit)}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${displayText(limit)}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${displayText(multipleOf)}`,
  pattern: ({ pattern }, { parentSchema }) =>
    describePattern(displayText(pattern)) ??
    (traitsOf(parentSchema).doc
      ? "has an invalid format"
      : `must match the pattern ${displayText(pattern)}`),
  [patternByKeyword]: ({ expectation }) => `must be ${displayText(expectation)}`,
  format: ({ format }) =>
    `must be ${formatNames[displayText(format)] ?? `a valid ${displayText(format)}`}`,
  "false schema": () => "is not allowed",
  not: () => "is not allowed",
};

/** The words for the types of values. */
export const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "an integer",
  number: "a number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

const formatNames: Readonly<Record<string, string>> = {
  "date-time": "a date and time such as 2026-01-31T09:30:00Z",
  date: "a date such as 2026-01-31",
  email: "an email address such as jane@example.com",
  uri: "an absolute URL such as https://example.com/",
  iri: "an absolute URL such as https://example.com/",
  "time-zone": "a time zone such as Europe/Berlin",
  "time-zone-in-any-case": "a time zone such as Europe/Berlin",
  cron: "a schedule with a date that exists, such as 0 9 1 * *",
};

function typeNamesText(types: readonly string[], schema: TSchema): string {
  const { items } = view(schema);
  const of = items === undefined ? "" : (plurals[typesOf(items)[0] ?? ""] ?? "");
  const words = types.map((type) => `${typeNames[type] ?? type}${type === "array" ? of : ""}`);
  return words.length === 0 ? "something else" : orList([...new Set(words)]);
}

const plurals: Readonly<Record<string, string>> = {
  string: " of strings",
  integer: " of integers",
  number: " of numbers",
  boolean: " of booleans",
  object: " of objects",
};

function listed(values: JsonValue | undefined): string {
  return Array.isArray(values)
    ? values.map((value) => JSON.stringify(value)).join(", ")
    : displayText(values);
}

function counted(limit: JsonValue | undefined, unit: string): string {
  return `${displayText(limit)} ${unit}${limit === 1 ? "" : "s"}`;
}

function displayText(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? null);
}

function quoted(name: JsonValue | undefined): string {
  return JSON.stringify(name ?? "");
}
