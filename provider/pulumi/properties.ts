// A kind as Pulumi sees it: its token, and its fields as flat properties, with other names where Pulumi keeps a name for itself.
import { invariant } from "../../core/errors.ts";
import { type FieldInfo, fieldsOf, membersOf } from "../../core/fields.ts";
import { nameOf } from "../../core/identity.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind.ts";

/** The package's name in tokens, plugins and configuration. */
export const packageName = "svc";

/** The module that all tokens lie in. */
export const moduleName = "index";

/** The type token of a resource: `svc:index:Name`. */
export function tokenOf(name: string): string {
  return `${packageName}:${moduleName}:${name}`;
}

/** Names that mean something else to Pulumi, on every resource. */
const reservedNames: ReadonlySet<string> = new Set(["id", "urn", "pulumi", "version", "key"]);

/** A field under its name in Pulumi. */
export interface Property extends FieldInfo {
  /** The name in Pulumi; {@link FieldInfo.name} stays the one in the spec or status. */
  readonly property: string;
}

/** The properties of a kind. */
export interface Properties {
  /** What can be wished. */
  readonly inputs: readonly Property[];
  /** What the service reports beside. */
  readonly status: readonly Property[];
  /** There is a property `key`: what others call the object, where no single property is that. */
  readonly hasKey: boolean;
  /** Holds the secret that a create is given; undefined for kinds that mint none. */
  readonly generatedSecret: string | undefined;
}

/** The properties of a kind, made once. */
export function propertiesOf(kind: Kind): Properties {
  const known = propertiesByKind.get(kind);
  if (known !== undefined) return known;
  const used = new Set<string>();
  const place = (field: FieldInfo): Property => {
    const property =
      reservedNames.has(field.name) || used.has(field.name)
        ? `${camelCase(kind.name)}${pascalCase(field.name)}`
        : field.name;
    invariant(!used.has(property), `two properties of ${kind.name} are called ${property}`);
    used.add(property);
    return { ...field, property };
  };
  const own = kind.key.filter((name) => !kind.scope.includes(name));
  const inputs = fieldsOf(kind).map(place);
  const status = membersOf(kind.status).map(place);
  const minted = kind.generatedSecret?.name;
  invariant(
    minted === undefined || (!reservedNames.has(minted) && !used.has(minted)),
    `two properties of ${kind.name} are called ${minted}`,
  );
  const found: Properties = { inputs, status, hasKey: own.length !== 1, generatedSecret: minted };
  propertiesByKind.set(kind, found);
  return found;
}

const propertiesByKind = new WeakMap<Kind, Properties>();

/** What others call an object of this spec, for the property `key`; undefined for kinds that have none. */
export function keyPropertyValue(kind: Kind, spec: JsonObject): JsonValue | undefined {
  return propertiesOf(kind).hasKey ? nameOf(kind, spec) : undefined;
}

/** The property that says what others call an object. */
export function referencePropertyName(kind: Kind): string {
  const { inputs, hasKey } = propertiesOf(kind);
  const own = kind.key.find((name) => !kind.scope.includes(name));
  return hasKey ? "key" : (inputs.find(({ name }) => name === own)?.property ?? "");
}

/** The doc of the property `key`. */
export const keyDoc = "What properties of other resources that refer to this one are given.";

/** `EmbedTenant` -> `embedTenant`. */
export function camelCase(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** `embed-tenants` or `embedTenants` -> `EmbedTenants`. */
export function pascalCase(name: string): string {
  return name.replace(/(?:^|-)([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The function that finds one object of a kind, and the one that lists a collection. */
export function functionTokens(kind: Kind): { readonly one: string; readonly list: string } {
  const [one, list] = [`get${kind.name}`, `get${pascalCase(kind.plural)}`];
  invariant(one !== list, `${kind.name} has no plural of its own`);
  return { one: tokenOf(one), list: tokenOf(list) };
}
