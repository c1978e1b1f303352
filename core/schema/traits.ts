// Field traits: the meaning of a field beyond its JSON type. They are stored in the schema as `x-` keywords.
import { Type, type TSchema } from "typebox";
import { isObject, type JsonObject, type JsonValue } from "../json.ts";
import { memberRulesKeyword } from "./member-rules.ts";
import { memoizePerSchema } from "./schema.ts";

/** Meaning of an omitted field: keep the live value, clear it, or set the default. */
export type WhenOmitted = "keep" | "clear" | "default";

/** Patterns by the value of another field, each with an expectation that completes "must be". */
export type ValuePatterns = Readonly<
  Record<string, { readonly pattern: string; readonly expectation: string }>
>;

/** The traits of a field. A new trait requires a decision record and must not be specific to one front end. */
export interface Traits {
  /** Description in one sentence, shown by editors, `svc explain` and the reference. */
  doc: string;
  /** Meaning of an omitted field. The default is `keep`. `default` requires a `default` in the schema. */
  whenOmitted?: WhenOmitted;
  /**
   * Meaning of a field that grants or limits rights and is no longer declared: the value that takes the rights away, or
   * `refuse` because rights would grow. By default, the field follows {@link Traits.whenOmitted}.
   */
  whenRemoved?: { readonly becomes: JsonValue } | "refuse";
  /** Whether the service chooses a value for an omitted field. An omitted field is not compared. */
  serverChosen?: true;
  /** Fields whose change makes the service choose the value again. A declared value is then written with them. */
  resetBy?: readonly string[];
  /** Whether the API cannot clear the field. Clearing it is reported as an error. */
  neverCleared?: true;
  /** `replace` if a change forces replacement, `ignore` if the field matters only when the object is created. */
  onChange?: "replace" | "ignore";
  /** Whether values are secret. Changes are shown without their values. */
  sensitive?: true;
  /** Whether the API does not return the value. It is compared by fingerprint and reported as not verifiable. */
  writeOnly?: true;
  /** Set if the API masks the value when another field contains one of these words, in any case. */
  maskedWhen?: { readonly field: string; readonly contains: readonly string[] };
  /** Kind of the object that the field refers to, by document name or `{ external: key }`. */
  refersTo?: string;
  /** With {@link Traits.refersTo}: fields of the referenced kind that must equal siblings of this field, or fields of an enclosing object. */
  within?: Readonly<Record<string, string>>;
  /** With {@link Traits.refersTo}: whether deleting the referenced object deletes this one. */
  cascadeDelete?: true;
  /** With {@link Traits.refersTo}: the sibling field whose value has the type that `type` of the referenced object names. */
  typesValue?: string;
  /** For lists: whether order matters (`list`) or not (`set`, without duplicates). */
  order?: "list" | "set";
  /** For strings: the hash by which the API lists the text. Inventories record a fingerprint in place of the text. */
  listedByHash?: "sha1";
  /** For strings: a pattern whose first group is the canonical form of a matching string. */
  canonicalPattern?: string;
  /** For strings: patterns selected by the value of a sibling field. Without a matching value, any string is valid. */
  patternBy?: { readonly field: string; readonly patterns: ValuePatterns };
  /** Set if the server updates the value while `field` is set, unless the field `unless` is true. Exports omit such values. */
  serverManagedWhile?: { readonly field: string; readonly unless: string };
  /** Whether the API refuses to change the value while `managedBy` of the status names a manager of the object. */
  readOnlyWhileManaged?: true;
  /** For status values: whether the service changes the value without a change of the object. Terraform and Pulumi omit it from resources. */
  volatile?: true;
  /** For status values: whether the value is an address of the object for readers. A replacement has another one. */
  publicAddress?: true;
  /** For objects: the name of the generated type. Without it, each field gets its own type. */
  typeName?: string;
  /** Set if the field is deprecated: the alternative. */
  deprecated?: string;
}

/** The keyword of the only trait that schema validation enforces. */
export const patternByKeyword = "x-pattern-by";

const traitKeyword = {
  whenOmitted: "x-when-omitted",
  whenRemoved: "x-when-removed",
  serverChosen: "x-server-chosen",
  resetBy: "x-reset-by",
  neverCleared: "x-never-cleared",
  onChange: "x-on-change",
  sensitive: "x-sensitive",
  writeOnly: "x-write-only",
  maskedWhen: "x-masked-when",
  refersTo: "x-refers-to",
  within: "x-within",
  cascadeDelete: "x-cascade-delete",
  typesValue: "x-types-value",
  order: "x-order",
  listedByHash: "x-listed-by-hash",
  canonicalPattern: "x-canonical-pattern",
  patternBy: patternByKeyword,
  serverManagedWhile: "x-server-managed-while",
  readOnlyWhileManaged: "x-read-only-while-managed",
  volatile: "x-volatile",
  publicAddress: "x-public-address",
  typeName: "x-type-name",
  deprecated: "x-deprecated",
} as const satisfies Record<Exclude<keyof Traits, "doc">, string>;

const optionalForClientKeyword = "x-optional-for-client";
const openForClientKeyword = "x-open-for-client";

const documentedRuleKeyword = "x-documented-rule";
const recordedOnlyKeyword = "x-recorded-only";

/** Marks a setting that the service stores and returns, and does not act on. `reason` completes "Recorded only:". */
export function recordedOnly<S extends TSchema>(schema: S, reason: string): S {
  return { ...schema, [recordedOnlyKeyword]: reason };
}

/** Returns the reason of {@link recordedOnly}, also if the schema accepts `null`; undefined if there is none. */
export function recordedOnlyReason(schema: TSchema): string | undefined {
  const own = schema as Readonly<Record<string, unknown>>;
  const [first] = Array.isArray(own["anyOf"]) ? (own["anyOf"] as readonly unknown[]) : [];
  const reason = own[recordedOnlyKeyword] ?? (isObject(first) ? first[recordedOnlyKeyword] : null);
  return typeof reason === "string" ? reason : undefined;
}

/** Returns a description of a member with its note of {@link recordedOnly}. */
export function withRecordedOnly(description: string, schema: TSchema): string {
  const reason = recordedOnlyReason(schema);
  const note = ` Recorded only: ${reason}.`;
  return reason === undefined || description.endsWith(note) ? description : description + note;
}

/**
 * Adds JSON Schema keywords that only the OpenAPI document has: a rule that the service checks itself, because its message
 * is specified or the check needs more than a schema.
 */
export function documentedRule<S extends TSchema>(
  schema: S,
  rule: Readonly<Record<string, unknown>>,
): S {
  return { ...schema, [documentedRuleKeyword]: rule };
}

/** Returns a schema in plain JSON with its {@link documentedRule} as keywords. */
export function withDocumentedRule(schema: JsonObject): JsonObject {
  const { [documentedRuleKeyword]: rule, ...rest } = schema;
  if (!isObject(rule)) return schema;
  const required = [rest["required"], rule["required"]].flatMap((names) => names ?? []);
  return { ...rest, ...rule, ...(required.length > 0 && { required }) };
}

/** The keywords by trait, in the order in which schemas have them. */
const keywordOfTraits = Object.entries(traitKeyword) as readonly [
  keyof typeof traitKeyword,
  string,
][];

/** The JSON Schema keywords of traits. */
export const traitKeywords: readonly string[] = [
  ...Object.values(traitKeyword),
  optionalForClientKeyword,
  openForClientKeyword,
  memberRulesKeyword,
  documentedRuleKeyword,
  recordedOnlyKeyword,
];

/** Returns the schema with traits. Apply `Type.Optional` to the result, not to the argument. */
export function field<S extends TSchema>(schema: S, traits: Traits): S {
  const keywords: Record<string, unknown> = { description: withRecordedOnly(traits.doc, schema) };
  for (const [trait, name] of keywordOfTraits) {
    const value = traits[trait];
    if (value !== undefined) keywords[name] = value;
  }
  return { ...schema, ...keywords };
}

/** Marks a response member that the service always returns but the client does not require, since other servers may omit it. */
export function optionalForClient<S extends TSchema>(schema: S): S {
  return { ...schema, [optionalForClientKeyword]: true };
}

/** Returns whether a response member is {@link optionalForClient}. */
export function isOptionalForClient(schema: TSchema): boolean {
  return optionalForClientKeyword in schema;
}

/** Marks a response enum to which other servers may add values; the client accepts any text. */
export function openForClient<S extends TSchema>(schema: S): S {
  return { ...schema, [openForClientKeyword]: true };
}

/** Returns whether a response enum is {@link openForClient}. */
export function isOpenForClient(schema: object): boolean {
  return openForClientKeyword in schema;
}

/** Returns the schema of a string enum. */
export function oneOf<const Values extends readonly string[]>(
  values: Values,
): ReturnType<typeof Type.Unsafe<Values[number]>> {
  return Type.Unsafe<Values[number]>({ type: "string", enum: [...values] });
}

/** Returns the traits of a field's schema; `doc` is empty if there is no description. */
export const traitsOf = memoizePerSchema((schema): Traits => {
  const source = schema as unknown as Record<string, unknown>;
  const traits: Record<string, unknown> = { doc: source["description"] ?? "" };
  for (const [trait, name] of keywordOfTraits) {
    if (source[name] !== undefined) traits[trait] = source[name];
  }
  return traits as unknown as Traits;
});
