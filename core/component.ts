// A component: objects of several kinds that are wished for as one. What one part can take from another is derived from the kinds.
import { invariant } from "./errors.ts";
import { fieldsOf } from "./fields.ts";
import type { JsonObject } from "./json.ts";
import type { Kind } from "./kind.ts";
import { referredKinds } from "./references.ts";

/** Exactly one object, one where it is asked for, or one for each entry of a map. */
export type Cardinality = "one" | "optional" | "each";

/** What a component says of one of its parts. */
export interface DeclaredPart {
  /** What its input and its output are called. */
  readonly name: string;
  /** What its objects are for, in a sentence. */
  readonly doc: string;
  readonly kind: Kind;
  readonly cardinality: Cardinality;
}

/** Where the value of a field comes from: what the object of a part is called, or one of that object's own fields. */
export interface ValueSource {
  readonly part: string;
  readonly field: string | undefined;
}

/** One part: objects of one kind. */
export interface ComponentPart extends DeclaredPart {
  /** Fields that nobody says, for another part does. */
  readonly derivedFields: ReadonlyMap<string, ValueSource>;
  /** The field that holds the key of each entry of the map; undefined unless there is one for each. */
  readonly keyedBy: string | undefined;
  /** Names of the parts whose objects have to be there first. */
  readonly needs: readonly string[];
}

/** An example of a component: shown in docs and run as a test. */
export interface ComponentExample {
  readonly title: string;
  readonly name: string;
  /** By parts; what lies outside of the component goes by what it is called. */
  readonly inputs: JsonObject;
}

/** Objects of several kinds that are wished for as one. */
export interface Component {
  /** PascalCase; no kind is called so. */
  readonly name: string;
  readonly doc: string;
  /** In an order in which they can be made. */
  readonly parts: readonly ComponentPart[];
  readonly examples: readonly ComponentExample[];
}

/** Everything that can be wished for. */
export interface Catalogue {
  readonly kinds: readonly Kind[];
  readonly components: readonly Component[];
}

/** Declares a component: a field that refers to the kind of a single part before it is supplied by that. */
export function defineComponent(
  declared: Omit<Component, "parts"> & { readonly parts: readonly DeclaredPart[] },
): Component {
  const parts = declared.parts.map((part, index): ComponentPart => {
    const before = declared.parts.slice(0, index);
    const twin = before.find((one) => one.kind === part.kind || one.name === part.name);
    invariant(twin === undefined, `${declared.name} has two parts like ${part.name}`);
    const supplied = derivedFieldsOf(before, part.kind);
    const referred = referredKinds(part.kind);
    const needs = before.filter(({ kind }) => referred.has(kind.name)).map(({ name }) => name);
    return { ...part, derivedFields: supplied, keyedBy: keyField(part, supplied), needs };
  });
  return Object.freeze({ ...declared, parts });
}

function derivedFieldsOf(
  before: readonly DeclaredPart[],
  kind: Kind,
): ReadonlyMap<string, ValueSource> {
  const found = new Map<string, ValueSource>();
  for (const { name, traits } of fieldsOf(kind)) {
    const part = before.find(
      (one) => one.cardinality !== "each" && one.kind.name === traits.refersTo,
    );
    if (part === undefined) continue;
    found.set(name, { part: part.name, field: undefined });
    for (const [theirs, ours] of Object.entries(traits.within ?? {})) {
      if (!found.has(ours)) found.set(ours, { part: part.name, field: theirs });
    }
  }
  return found;
}

/** What is left of the natural key once other parts have said theirs. */
function keyField(
  { kind, name, cardinality: count }: DeclaredPart,
  supplied: ReadonlyMap<string, ValueSource>,
): string | undefined {
  if (count !== "each") return undefined;
  const [only, ...others] = kind.key.filter((field) => !supplied.has(field));
  invariant(only !== undefined && others.length === 0, `${name} wants one field to be keyed by`);
  return only;
}
