// Validates values against schemas and describes every error in words.
import type { TSchema } from "typebox";
import { compile, type Compiled, type SchemaError } from "./ajv.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { nonNull, typeOf, typesOf, variantFor, variants, view } from "./schema.ts";
import { describePattern } from "./text-patterns.ts";
import { patternByKeyword } from "./traits.ts";

/** One violation of a schema. */
export interface SchemaValidationError {
  /** JSON Pointer to the value; to the object for a missing or unknown member. */
  readonly path: string;
  /** The violated JSON Schema keyword. */
  readonly keyword: string;
  /** Predicate of a sentence whose subject is the value: `must be at most 5`. Never contains the value. */
  readonly message: string;
  /** Parameters, with ajv's names: `limit`, `allowedValues`, `missingProperty`, `additionalProperty`. */
  readonly params: JsonObject;
}

/** Returns all violations of a value; an empty list if it is valid. Never throws for a JSON value. */
export type Validator = (value: unknown) => SchemaValidationError[];

const validators = new WeakMap<TSchema, Validator>();

/** Returns the validator of a schema. It is compiled on first use and cached with the schema object. */
export function validator(schema: TSchema): Validator {
  const before = validators.get(schema);
  if (before !== undefined) return before;
  let compiled: Compiled | undefined;
  const made: Validator = (value) => {
    compiled ??= compile(schema);
    return schemaValidationErrors(compiled(value));
  };
  validators.set(schema, made);
  return made;
}

function schemaValidationErrors(errors: readonly SchemaError[]): SchemaValidationError[] {
  if (errors.length === 0) return [];
  const forms = errors.filter(({ keyword }) => keyword === patternByKeyword);
  const unions = errors.filter(isUnion);
  const found = errors
    .filter((error) => error.keyword !== "if" && !unions.some((union) => isWithin(error, union)))
    .flatMap((error) => (isUnion(error) ? unionErrors(error, forms) : [toValidationError(error)]));
  return [...new Map(found.map((one) => [`${one.path} ${one.message}`, one])).values()];
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
function unionErrors(error: SchemaError, forms: readonly SchemaError[]): SchemaValidationError[] {
  // A pattern selected by a sibling field is only checked on the whole value.
  const byPattern = forms.filter((one) => isWithin(one, error));
  if (byPattern.length > 0) return byPattern.map(toValidationError);
  const schema: TSchema = { anyOf: error.schema };
  const meant = variantFor(schema, error.data);
  if (meant !== undefined && error.keyword === "anyOf") {
    const inner = validator(meant)(error.data);
    if (inner.length > 0) {
      return inner.map((one) => ({ ...one, path: `${error.instancePath}${one.path}` }));
    }
  }
  const message =
    meant !== undefined && error.keyword === "oneOf"
      ? "must match exactly one of the allowed types"
      : `must be ${allowed(schema)}`;
  return [{ path: error.instancePath, keyword: error.keyword, message, params: {} }];
}

function allowed(schema: TSchema): string {
  const literals = nonNull(schema).map((one) => view(one).const);
  const hasNull = variants(schema).length > nonNull(schema).length;
  const names = literals.every((literal) => literal !== undefined)
    ? literals.map((literal) => JSON.stringify(literal))
    : nonNull(schema).map((one) => view(one).title ?? typeNamesText(typesOf(one), one));
  return orList([...names, ...(hasNull ? ["null"] : [])]);
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
  const wording = messageFormats[keyword];
  const message = wording?.(facts, rest as ErrorContext) ?? rest.message ?? "is not allowed";
  return { path: instancePath, keyword, message, params: facts };
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
    return `must be ${words}, not ${typeNames[typeOf(data)] ?? "that"}`;
  },
  enum: ({ allowedValues }) => `must be one of ${listed(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  required: ({ missingProperty }) => `must have the field ${quoted(missingProperty)}`,
  additionalProperties: ({ additionalProperty }, { parentSchema }) => {
    const names = Object.keys(view(parentSchema).properties ?? {});
    const known = names.length === 0 ? "" : `; allowed fields are ${names.join(", ")}`;
    return `must not have the field ${quoted(additionalProperty)}${known}`;
  },
  unevaluatedProperties: ({ unevaluatedProperty }) =>
    `must not have the field ${quoted(unevaluatedProperty)}`,
  propertyNames: ({ propertyName }) => `must not have a field named ${quoted(propertyName)}`,
  dependentRequired: ({ property, missingProperty }) =>
    `must have the field ${quoted(missingProperty)} beside ${quoted(property)}`,
  minLength: count("at least", "character"),
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
  pattern: ({ pattern }) => describePattern(displayText(pattern)),
  [patternByKeyword]: ({ expectation }) => `must be ${displayText(expectation)}`,
  format: ({ format }) =>
    `must be ${formatNames[displayText(format)] ?? `a valid ${displayText(format)}`}`,
  "false schema": () => "is not allowed",
  not: () => "is not allowed",
};

const typeNames: Readonly<Record<string, string>> = {
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
  email: "an email address",
  uri: "an absolute URL such as https://example.com/",
  iri: "an absolute URL such as https://example.com/",
  "time-zone": "a time zone such as Europe/Berlin",
};

function typeNamesText(types: readonly string[], schema: TSchema): string {
  const { items } = view(schema);
  const of = items === undefined ? "" : (plurals[typesOf(items)[0] ?? ""] ?? "");
  const words = types.map((type) => `${typeNames[type] ?? type}${type === "array" ? of : ""}`);
  return words.length === 0 ? "something else" : orList(words);
}

const plurals: Readonly<Record<string, string>> = {
  string: " of strings",
  integer: " of integers",
  number: " of numbers",
  boolean: " of booleans",
  object: " of objects",
};

function orList(names: readonly string[]): string {
  const distinct = [...new Set(names)];
  const last = distinct.pop() ?? "something else";
  return distinct.length === 0 ? last : `${distinct.join(", ")} or ${last}`;
}

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
