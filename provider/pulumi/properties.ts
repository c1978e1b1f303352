// Maps a resource type to Pulumi: its token and its properties. A field whose name Pulumi reserves gets another name.
import { camelCase } from "../../core/text/naming.ts";
import { invariant } from "../../core/errors.ts";
import { type FieldInfo, fieldsOf, membersOf } from "../../core/kind/fields.ts";
import { nameOf } from "../../core/kind/identity.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { memoizePerObject } from "../../core/memoize.ts";
import { isSingleton } from "../../core/kind/shape.ts";

/** Name of the package in tokens, plugins and configuration. */
export const packageName = "svc";

/** Module of all tokens. */
export const moduleName = "index";

/** Returns the type token of a resource: `svc:index:Name`. */
export function tokenOf(name: string): string {
  return `${packageName}:${moduleName}:${name}`;
}

/** Property names that Pulumi reserves on every resource. */
const reservedNames: ReadonlySet<string> = new Set(["id", "urn", "pulumi", "version", "key"]);

/** A field and its property name. */
export interface Property extends FieldInfo {
  /** Name in Pulumi; {@link FieldInfo.name} is the name in the spec or status. */
  readonly property: string;
}

/** The properties of a resource type. */
export interface Properties {
  /** The fields of the spec. */
  readonly inputs: readonly Property[];
  /** The fields of the status, which the server reports. */
  readonly status: readonly Property[];
  /** True if there is a property `key`, because no single property identifies the object to others. */
  readonly hasKey: boolean;
  /** The property with the generated secret; undefined if creating the object returns none. */
  readonly generatedSecret: string | undefined;
}

/** Returns the properties of a resource type. Computed once. */
export const propertiesOf = memoizePerObject((kind: Kind): Properties => {
  const used = new Set<string>();
  const place = (field: FieldInfo): Property => {
    const property =
      reservedNames.has(field.name) || used.has(field.name)
        ? `${camelCase(kind.name)}${pascalCase(field.name)}`
        : field.name;
    invariant(!used.has(property), `${kind.name} has two properties named ${property}`);
    used.add(property);
    return { ...field, property };
  };
  const own = kind.key.filter((name) => !kind.scope.includes(name));
  const inputs = fieldsOf(kind).map(place);
  const status = membersOf(kind.status).map(place);
  const generatedSecret = kind.generatedSecret?.name;
  invariant(
    generatedSecret === undefined ||
      (!reservedNames.has(generatedSecret) && !used.has(generatedSecret)),
    `${kind.name} has two properties named ${generatedSecret}`,
  );
  const hasKey = own.length !== 1 && !isSingleton(kind);
  return { inputs, status, hasKey, generatedSecret };
});

/** Returns whether a property of the status changes only when the object does. Resources have no other ones. */
export function isStable({ traits }: Property): boolean {
  return traits.volatile !== true;
}

/** Returns the value of the property `key` for this spec; undefined if the resource type has no such property. */
export function keyPropertyValue(kind: Kind, spec: JsonObject): JsonValue | undefined {
  return propertiesOf(kind).hasKey ? nameOf(kind, spec) : undefined;
}

/** Returns the property that other resources refer to an object by. */
export function referencePropertyName(kind: Kind): string {
  const { inputs, hasKey } = propertiesOf(kind);
  const own = kind.key.find((name) => !kind.scope.includes(name));
  return hasKey ? "key" : (inputs.find(({ name }) => name === own)?.property ?? "");
}

/** Documentation of the property `key`. */
export const keyDoc = "Value for properties of other resources that refer to this one.";

/** Converts `embed-tenants` or `embedTenants` to `EmbedTenants`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|-)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** Returns the tokens of the function that finds one object and of the one that lists a collection. A singleton has no list. */
export function functionTokens(kind: Kind): {
  readonly one: string;
  readonly list: string | undefined;
} {
  const [one, list] = [`get${kind.name}`, `get${pascalCase(kind.plural)}`];
  if (isSingleton(kind)) return { one: tokenOf(one), list: undefined };
  invariant(one !== list, `the plural of ${kind.name} differs from its singular`);
  return { one: tokenOf(one), list: tokenOf(list) };
}
