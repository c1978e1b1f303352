// Paths of attributes: in filters, and in the operations of patches (RFC 7644, sections 3.4.2.2 and 3.5.2).
import { isObject, type JsonValue } from "../../core/json.ts";
import {
  type Attribute,
  attributeNamed,
  type ResourceType,
  resolveAttribute,
} from "./attributes.ts";
import { type Filter, parseFilter, type ResolvedPath } from "./filter.ts";
import { scimError, type ScimType } from "./scim-error.ts";

/** Returns a function that resolves the paths of a filter on resources of a type. */
export function filterPaths(type: ResourceType): (path: string) => ResolvedPath {
  return (path) => {
    const resolved = resolveAttribute(type, path);
    if (resolved === undefined || !("attribute" in resolved.found)) {
      throw unknownAttribute(path, type, "invalidFilter");
    }
    const { attribute, extension } = resolved.found;
    const holderOf = (resource: JsonValue) => {
      const holder = extension === undefined ? resource : member(resource, extension);
      return holder ?? null;
    };
    return pathInside({ attribute, rest: resolved.rest.slice(1), path }, holderOf);
  };
}

/** Returns a function that resolves the paths of a filter on the elements of an attribute. */
export function elementPaths(attribute: Attribute): (path: string) => ResolvedPath {
  return (path) => {
    const [first = ""] = path.split(".", 1);
    const sub = attributeNamed(attribute.subAttributes ?? [], first);
    if (sub === undefined) {
      throw scimError(
        "invalidFilter",
        `${attribute.name} has no sub-attribute ${JSON.stringify(path)}`,
      );
    }
    return pathInside(
      { attribute: sub, rest: path.slice(first.length + 1), path },
      (value) => value,
    );
  };
}

interface Inside {
  readonly attribute: Attribute;
  /** Name of the sub-attribute; "" for none. */
  readonly rest: string;
  readonly path: string;
}

function pathInside(
  { attribute, rest, path }: Inside,
  holderOf: (value: JsonValue) => JsonValue,
): ResolvedPath {
  const elementsOf = (value: JsonValue) => listOf(member(holderOf(value), attribute.name));
  const { type, caseExact, subAttributes } = attribute;
  const elements = subAttributes && { of: elementsOf, resolve: elementPaths(attribute) };
  // A multi-valued attribute is compared by its `value`, if it has one.
  const wanted = rest === "" && attribute.multiValued ? "value" : rest;
  const sub = attributeNamed(subAttributes ?? [], wanted);
  if (sub === undefined && rest !== "") {
    throw scimError("invalidFilter", `there is no attribute ${JSON.stringify(path)}`);
  }
  if (sub === undefined) return { valuesOf: elementsOf, type, caseExact, elements };
  return {
    valuesOf: (value) => elementsOf(value).flatMap((one) => listOf(member(one, sub.name))),
    type: sub.type,
    caseExact: sub.caseExact,
    elements: rest === "" ? elements : undefined,
  };
}

function member(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(value) ? value[name] : undefined;
}

/** Returns the values of an attribute: none, one, or the elements of a list. */
export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
}

function unknownAttribute(path: string, type: ResourceType, scimType: ScimType): Error {
  return scimError(scimType, `a ${type.name} has no attribute ${JSON.stringify(path)}`);
}

/** The attribute, or the part of one, that an operation of a patch changes. */
export interface PatchPath {
  /** URN of the extension that holds the attribute; undefined for the resource itself. */
  readonly extension: string | undefined;
  /** Undefined for a whole extension. */
  readonly attribute: Attribute | undefined;
  /** Selects elements of a multi-valued attribute. */
  readonly filter: Filter | undefined;
  readonly sub: Attribute | undefined;
}

const wellFormedPath = /^(?:urn:[\w:.%+-]+:)?[a-z$][\w$-]*(?:\[.*\])?(?:\.[\w$-]+)?$/is;

/** Returns whether a path of a patch is well formed but names an attribute that the service does not have. */
export function isUnknownAttribute(type: ResourceType, path: string): boolean {
  const trimmed = path.trim();
  return wellFormedPath.test(trimmed) && resolveAttribute(type, trimmed) === undefined;
}

/** Returns the target of a path in a patch. Throws `invalidPath` or `invalidFilter`. */
export function parsePatchPath(type: ResourceType, path: string): PatchPath {
  const trimmed = path.trim();
  const resolved = resolveAttribute(type, trimmed);
  if (resolved === undefined) throw unknownAttribute(path, type, "invalidPath");
  const { found, rest } = resolved;
  if (!("attribute" in found)) {
    return { extension: found.extension, attribute: undefined, filter: undefined, sub: undefined };
  }
  const [filterText, subName] = splitRest(rest, path);
  const { attribute } = found;
  const sub = subName === "" ? undefined : attributeNamed(attribute.subAttributes ?? [], subName);
  if (subName !== "" && sub === undefined) throw unknownAttribute(path, type, "invalidPath");
  if (
    filterText !== undefined &&
    (!attribute.multiValued || attribute.subAttributes === undefined)
  ) {
    throw scimError("invalidPath", `${attribute.name} has no elements to select`);
  }
  const filter = filterText === undefined ? undefined : parseFilter(filterText);
  return { extension: found.extension, attribute, filter, sub };
}

/** Splits `[filter].sub` into its parts; `sub` is "" if there is none. */
function splitRest(rest: string, path: string): readonly [string | undefined, string] {
  const match = /^(?:\[(.*)\])?(?:\.([\w$-]+))?$/s.exec(rest);
  if (match === null) throw scimError("invalidPath", `${JSON.stringify(path)} is not a valid path`);
  return [match[1], match[2] ?? ""];
}
