// The closed vocabulary of field traits: what a field means beyond its JSON type, written through one typed builder.
import { Type, type TSchema } from "typebox";
import { memoizePerSchema } from "./schema.ts";

/** What omitting a field means: leave the live value alone, clear it, or set the default. */
export type WhenOmitted = "keep" | "clear" | "default";

/** Patterns by the value that another field has, each with the words that continue "must be". */
export type ValuePatterns = Readonly<
  Record<string, { readonly pattern: string; readonly expectation: string }>
>;

/** The traits a field may carry. Adding one needs a decision record, and none may name a front end. */
export interface Traits {
  /** One sentence for people: shown by editors, `svc explain` and the reference. */
  doc: string;
  /** What omission means; `keep` where nothing is said. `default` goes with the schema's own `default`. */
  whenOmitted?: WhenOmitted;
  /** The service chooses a value when the user does not; not compared when unset. */
  serverChosen?: true;
  /** The API ignores clearing it, so asking for that is a diagnostic. */
  neverCleared?: true;
  /** It cannot change on a live object: a change means delete and create. */
  onChange?: "replace";
  /** Never shown; a change is shown without its values. */
  sensitive?: true;
  /** It cannot be read back: compared by fingerprint, told as not verifiable. */
  writeOnly?: true;
  /** The API masks it when the text of another field holds one of these words, in any case. */
  maskedWhen?: { readonly field: string; readonly contains: readonly string[] };
  /** It names an object of this kind: an address in the stack, or `{ external: key }`. */
  refersTo?: string;
  /** With {@link Traits.refersTo}: fields of the other kind that must equal fields of this one. */
  within?: Readonly<Record<string, string>>;
  /** With {@link Traits.refersTo}: whoever deletes the object that it names deletes this one along. */
  cascadeDelete?: true;
  /** Lists only: order matters (`list`), or does not and duplicates are one (`set`). */
  order?: "list" | "set";
  /** Texts only: a pattern whose first group is the normal spelling of the texts that it matches. */
  canonicalPattern?: string;
  /** Texts only: the form goes by the value of a field beside it, a pattern for each; without one there, any text will do. */
  patternBy?: { readonly field: string; readonly patterns: ValuePatterns };
  /** It moves by itself while the field beside it is set, unless the other one is true: an export does not pin it. */
  serverManagedWhile?: { readonly field: string; readonly unless: string };
  /** Objects only: what the type of such objects is called wherever they stand; without one, each place has a type of its own. */
  typeName?: string;
  /** It is on its way out; says what to use instead. */
  deprecated?: string;
}

/** The one trait that the schema compiler enforces. */
export const patternByKeyword = "x-pattern-by";

const traitKeyword = {
  whenOmitted: "x-when-omitted",
  serverChosen: "x-server-chosen",
  neverCleared: "x-never-cleared",
  onChange: "x-on-change",
  sensitive: "x-sensitive",
  writeOnly: "x-write-only",
  maskedWhen: "x-masked-when",
  refersTo: "x-refers-to",
  within: "x-within",
  cascadeDelete: "x-cascade-delete",
  order: "x-order",
  canonicalPattern: "x-canonical-pattern",
  patternBy: patternByKeyword,
  serverManagedWhile: "x-server-managed-while",
  typeName: "x-type-name",
  deprecated: "x-deprecated",
} as const satisfies Record<Exclude<keyof Traits, "doc">, string>;

const optionalForClientKeyword = "x-optional-for-client";

/** The JSON Schema keywords that carry traits, for validators that must know them. */
export const traitKeywords: readonly string[] = [
  ...Object.values(traitKeyword),
  optionalForClientKeyword,
];

/** The schema with its traits. Wrap it in `Type.Optional` outside, so that optionality stays TypeBox's own. */
export function field<S extends TSchema>(schema: S, traits: Traits): S {
  const carried: Record<string, unknown> = { description: traits.doc };
  for (const [trait, name] of Object.entries(traitKeyword)) {
    const value = traits[trait as keyof typeof traitKeyword];
    if (value !== undefined) carried[name] = value;
  }
  return { ...schema, ...carried };
}

/** A member of an answer that our service always gives and that a client gets along without: other servers may leave it out. */
export function optionalForClient<S extends TSchema>(schema: S): S {
  return { ...schema, [optionalForClientKeyword]: true };
}

/** Whether a member of an answer is {@link optionalForClient}. */
export function isOptionalForClient(schema: TSchema): boolean {
  return optionalForClientKeyword in schema;
}

/** A string out of a closed list. */
export function oneOf<const Values extends readonly string[]>(
  values: Values,
): ReturnType<typeof Type.Unsafe<Values[number]>> {
  return Type.Unsafe<Values[number]>({ type: "string", enum: [...values] });
}

/** The traits that a field's schema carries; `doc` is empty where none was given. */
export const traitsOf = memoizePerSchema((schema): Traits => {
  const source = schema as unknown as Record<string, unknown>;
  const traits: Record<string, unknown> = { doc: source["description"] ?? "" };
  for (const [trait, name] of Object.entries(traitKeyword)) {
    if (source[name] !== undefined) traits[trait] = source[name];
  }
  return traits as unknown as Traits;
});
