// Whether a value fits a schema, and if not, every reason in words that say what is allowed.
import type { TSchema } from "typebox";
import { compile, type Compiled, type SchemaError } from "./ajv.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { nonNull, typeOf, typesOf, variantFor, variants, view } from "./schema.ts";
import { describePattern } from "./text-patterns.ts";
import { patternByKeyword } from "./traits.ts";

/** One way in which a value does not fit its schema. */
export interface SchemaValidationError {
  /** JSON Pointer to the value; for a missing or unknown member, to the object. */
  readonly path: string;
  /** The JSON Schema keyword that is broken. */
  readonly keyword: string;
  /** Continues a sentence whose subject is the value: `must be at most 5`. Never holds the value itself. */
  readonly message: string;
  /** The bounds, as ajv names them: `limit`, `allowedValues`, `missingProperty`, `additionalProperty`. */
  readonly params: JsonObject;
}

/** Tells every violation of a value, none when it is valid. It throws for no JSON value, however odd. */
export type Validator = (value: unknown) => SchemaValidationError[];

const validators = new WeakMap<TSchema, Validator>();

/** The validator of a schema: compiled when it is first used, and kept for as long as the schema object is. */
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

/** Complaints of an alternative are told by its union, once. */
function isWithin(error: SchemaError, union: SchemaError): boolean {
  return (
    error !== union &&
    error.schemaPath.startsWith(`${union.schemaPath}/`) &&
    (error.instancePath === union.instancePath ||
      error.instancePath.startsWith(`${union.instancePath}/`))
  );
}

/** What the one alternative says that the value is meant for; else, what the alternatives are. */
function unionErrors(error: SchemaError, forms: readonly SchemaError[]): SchemaValidationError[] {
  // Only the whole value tells of a form: it goes by a field beside this one.
  const formed = forms.filter((one) => isWithin(one, error));
  if (formed.length > 0) return formed.map(toValidationError);
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
      ? "must fit exactly one of the forms it can have"
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
  required: ({ missingProperty }) => `must have the member ${quoted(missingProperty)}`,
  additionalProperties: ({ additionalProperty }, { parentSchema }) => {
    const names = Object.keys(view(parentSchema).properties ?? {});
    const known = names.length === 0 ? "" : `; its members are ${names.join(", ")}`;
    return `must not have the member ${quoted(additionalProperty)}${known}`;
  },
  unevaluatedProperties: ({ unevaluatedProperty }) =>
    `must not have the member ${quoted(unevaluatedProperty)}`,
  propertyNames: ({ propertyName }) => `must not have a member named ${quoted(propertyName)}`,
  dependentRequired: ({ property, missingProperty }) =>
    `must have the member ${quoted(missingProperty)} beside ${quoted(property)}`,
  minLength: count("at least", "character"),
  maxLength: count("at most", "character"),
  minItems: count("at least", "item"),
  maxItems: count("at most", "item"),
  minProperties: count("at least", "member"),
  maxProperties: count("at most", "member"),
  uniqueItems: ({ i, j }) =>
    `must not repeat an item: items ${displayText(j)} and ${displayText(i)} are equal`,
  minimum: ({ limit }) => `must be at least ${displayText(limit)}`,
  maximum: ({ limit }) => `must be at most ${displayText(limit)}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${displayText(limit)}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${displayText(limit)}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${displayText(multipleOf)}`,
  pattern: ({ pattern }) => describePattern(displayText(pattern)),
  [patternByKeyword]: ({ means }) => `must be ${displayText(means)}`,
  format: ({ format }) =>
    `must be ${formatNames[displayText(format)] ?? `a valid ${displayText(format)}`}`,
  "false schema": () => "must not be there",
  not: () => "must not be that",
};

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  integer: "a whole number",
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
  uri: "an absolute address such as https://example.com/",
  iri: "an absolute address such as https://example.com/",
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
  integer: " of whole numbers",
  number: " of numbers",
  boolean: " of true or false",
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
