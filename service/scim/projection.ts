// Selects the attributes of a response (RFC 7644, section 3.9).
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import { type ResourceType, resolveAttribute } from "./attributes.ts";
import { scimError } from "./scim-error.ts";

/** The attributes that a request asks for; comma-separated lists. */
export interface Selection {
  readonly attributes?: string | undefined;
  readonly excludedAttributes?: string | undefined;
}

/** Selected attributes: sub-attributes by attribute; an empty set stands for the whole attribute. */
type Selected = ReadonlyMap<string, ReadonlySet<string>>;

/** A selection for a type of resource. */
export interface Projection {
  /** Returns whether the response contains an attribute, or a part of it. */
  readonly includes: (name: string) => boolean;
  readonly apply: (resource: JsonObject) => JsonObject;
}

const always = new Set(["schemas", "id"]);

/**
 * Returns the projection of a request. Empty lists count as absent. Throws `invalidValue` if the request has both
 * lists. Unknown names are ignored.
 */
export function projectionOf(
  type: ResourceType,
  { attributes = "", excludedAttributes = "" }: Selection,
): Projection {
  if (attributes === "" && excludedAttributes === "") {
    return { includes: () => true, apply: (resource) => withoutRequested(type, resource) };
  }
  if (attributes !== "" && excludedAttributes !== "") {
    throw scimError(
      "invalidValue",
      "attributes and excludedAttributes exclude each other; send one of them",
    );
  }
  const isKept = attributes !== "";
  const selected = selectedOf(type, isKept ? attributes : excludedAttributes);
  const includes = (name: string) => {
    const subs = selected.get(name);
    return always.has(name) || (isKept ? subs !== undefined : subs === undefined || subs.size > 0);
  };
  const apply = (resource: JsonObject): JsonObject => {
    const shown = isKept ? resource : withoutRequested(type, resource);
    const entries = Object.entries(shown).flatMap(([name, value]): [string, JsonValue][] => {
      const subs = selected.get(name) ?? new Set();
      if (value === undefined || !includes(name)) return [];
      if (always.has(name) || subs.size === 0) return [[name, value]];
      const rest = reduced(value, (sub) => subs.has(sub) === isKept);
      return rest === undefined ? [] : [[name, rest]];
    });
    return Object.fromEntries(entries);
  };
  return { includes, apply };
}

/** Removes the sub-attributes that are only returned if the request names them or their attribute. */
function withoutRequested({ schema }: ResourceType, resource: JsonObject): JsonObject {
  const requested = schema.attributes.flatMap(({ name, subAttributes = [] }) => {
    const subs = subAttributes.filter(({ returned }) => returned === "request");
    const value = resource[name];
    return subs.length === 0 || value === undefined ? [] : [{ name, value, subs }];
  });
  if (requested.length === 0) return resource;
  const rest = requested.map(({ name, value, subs }) => [
    name,
    reduced(value, (sub) => subs.every((one) => one.name !== sub)),
  ]);
  return { ...resource, ...(Object.fromEntries(rest) as JsonObject) };
}

function selectedOf(type: ResourceType, names: string): Selected {
  const selected = new Map<string, Set<string>>();
  for (const name of names.split(",")) {
    const resolved = resolveAttribute(type, name.trim());
    if (resolved === undefined) continue;
    const { found, rest } = resolved;
    // An attribute of an extension is a part of the member that holds the extension.
    const inExtension = "attribute" in found && found.extension !== undefined;
    const path =
      "attribute" in found ? [found.attribute.name, rest.slice(1)] : [found.extension, ""];
    const [member = "", sub = ""] = inExtension
      ? [found.extension ?? "", found.attribute.name]
      : path;
    const known = selected.get(member);
    if (sub === "" || known?.size === 0) selected.set(member, new Set());
    else selected.set(member, (known ?? new Set()).add(subName(type, member, sub)));
  }
  return selected;
}

/** Returns the defined spelling of a sub-attribute. */
function subName(type: ResourceType, member: string, sub: string): string {
  const resolved = resolveAttribute(type, member);
  const found = resolved?.found;
  const subs =
    found !== undefined && "attribute" in found ? (found.attribute.subAttributes ?? []) : [];
  return subs.find(({ name }) => name.toLowerCase() === sub.toLowerCase())?.name ?? sub;
}

function reduced(value: JsonValue, keeps: (sub: string) => boolean): JsonValue | undefined {
  if (Array.isArray(value)) {
    const elements = (value as readonly JsonValue[]).flatMap((one) => reduced(one, keeps) ?? []);
    return elements.length === 0 ? undefined : elements;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => keeps(name));
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
