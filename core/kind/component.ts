// A component declares objects of several kinds as one resource. References between its parts are derived from the kinds.
import { invariant } from "../errors.ts";
import { fieldsOf } from "./fields.ts";
import type { JsonObject } from "../json.ts";
import type { Kind } from "./kind.ts";
import { referredKinds } from "./references.ts";

/** Number of objects of a part: exactly one, at most one, or one for each entry of a map. */
export type Cardinality = "one" | "optional" | "each";

/** A part as a component declares it. */
export interface DeclaredPart {
  /** Name of the part's input and output. */
  readonly name: string;
  /** Purpose of its objects, in one sentence. */
  readonly doc: string;
  readonly kind: Kind;
  readonly cardinality: Cardinality;
  /** For a map of a kind with several key fields: the one that the keys of the map set. */
  readonly mapKey?: string;
}

/** Source of a field's value: the name of a part's object, or one of that object's fields. */
export interface ValueSource {
  readonly part: string;
  readonly field: string | undefined;
}

/** One part of a component: objects of one kind. */
export interface ComponentPart extends DeclaredPart {
  /** Fields whose values come from other parts, so they are not inputs. */
  readonly derivedFields: ReadonlyMap<string, ValueSource>;
  /** The field that the keys of the map set; undefined for parts that are not maps. */
  readonly keyedBy: string | undefined;
  /** Names of the parts that must be created first. */
  readonly needs: readonly string[];
}

/** An example of a component: shown in docs and run as a test. */
export interface ComponentExample {
  readonly title: string;
  readonly name: string;
  /** Inputs by part. References to objects outside the component use their names. */
  readonly inputs: JsonObject;
}

/** Objects of several kinds that are declared as one resource. */
export interface Component {
  /** Name in PascalCase, different from all kinds. */
  readonly name: string;
  readonly doc: string;
  /** Parts, in creation order. */
  readonly parts: readonly ComponentPart[];
  readonly examples: readonly ComponentExample[];
}

/** All resource types and components. */
export interface Catalogue {
  readonly kinds: readonly Kind[];
  readonly components: readonly Component[];
}

/** Declares a component. A field that refers to the kind of an earlier single part gets its value from that part. */
export function defineComponent(
  declared: Omit<Component, "parts"> & { readonly parts: readonly DeclaredPart[] },
): Component {
  const parts = declared.parts.map((part, index): ComponentPart => {
    const before = declared.parts.slice(0, index);
    const duplicate = before.find((one) => one.kind === part.kind || one.name === part.name);
    invariant(
      duplicate === undefined,
      `component ${declared.name} has duplicate part ${part.name}`,
    );
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

/** Returns the declared key field of a map part, or the one that no other part sets. */
function keyField(
  { kind, name, cardinality, mapKey }: DeclaredPart,
  supplied: ReadonlyMap<string, ValueSource>,
): string | undefined {
  if (cardinality !== "each") return undefined;
  if (mapKey !== undefined) return mapKey;
  const [only, ...others] = kind.key.filter((field) => !supplied.has(field));
  invariant(only !== undefined && others.length === 0, `part ${name} needs exactly one key field`);
  return only;
}
