// Converts resources in requests to their canonical form: names of attributes as defined, values of the defined types.
// Attributes that the service does not know are ignored, as RFC 7644 allows and identity providers expect.
import { isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import {
  type Attribute,
  attributeNamed,
  type FoundAttribute,
  type ResourceType,
  resolveAttribute,
} from "./attributes.ts";
import { scimError } from "./scim-error.ts";

/** Elements of one attribute, except the members of a group. */
export const elementsMax = 100;

/** Characters of one value. */
const charactersMax = 4096;

/** A change of one attribute that a member of a request makes. */
export interface MemberChange {
  readonly found: FoundAttribute;
  /** Name of the sub-attribute, if the name of the member has two parts. */
  readonly sub: Attribute | undefined;
  /** Undefined to remove the attribute. */
  readonly value: JsonValue | undefined;
}

/**
 * Returns the changes that the members of a resource in a request make, in order. Names are compared without regard to
 * case, and may have two parts (`name.givenName`) or begin with a URN. Throws `invalidValue` for a value of another
 * type.
 */
export function membersOf(type: ResourceType, input: JsonObject): readonly MemberChange[] {
  return Object.entries(input).flatMap(([key, value]) => {
    const resolved = resolveAttribute(type, key);
    if (resolved === undefined) return [];
    const { found, rest } = resolved;
    if (!("attribute" in found))
      return isObject(value) ? extensionMembers(type, found.extension, value) : [];
    const sub =
      rest === "" ? undefined : attributeNamed(found.attribute.subAttributes ?? [], rest.slice(1));
    if (rest !== "" && sub === undefined) return [];
    return [{ found, sub, value: normalizeValue(sub ?? found.attribute, value ?? null, key) }];
  });
}

function extensionMembers(
  type: ResourceType,
  urn: string,
  value: JsonObject,
): readonly MemberChange[] {
  return Object.entries(value).flatMap(([key, inner]) =>
    membersOf(type, { [`${urn}:${key}`]: inner }),
  );
}

/** Returns a value in the form of its attribute; undefined for an empty one. Throws `invalidValue`. */
export function normalizeValue(
  attribute: Attribute,
  value: JsonValue,
  path: string,
): JsonValue | undefined {
  if (value === null) return undefined;
  if (!attribute.multiValued) return normalizeElement(attribute, value, path);
  const given: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  if (given.length > elementsMax && attribute.name !== "members") {
    throw scimError("invalidValue", `${path} has more than ${elementsMax} values`);
  }
  // Keeps an unknown member, so that it is refused. Dropping it could let a list of members empty a group.
  const unknown: JsonObject | readonly never[] = attribute.name === "members" ? {} : [];
  const elements = given.flatMap((one) => normalizeElement(attribute, one, path) ?? unknown);
  if (elements.filter((one) => isObject(one) && one["primary"] === true).length > 1) {
    throw scimError("invalidValue", `${path} has more than one primary value`);
  }
  return elements.length === 0 ? undefined : elements;
}

/** Returns one element of a multi-valued attribute, or the value of another. See {@link normalizeValue}. */
export function normalizeElement(
  attribute: Attribute,
  value: JsonValue,
  path: string,
): JsonValue | undefined {
  if (value === null || value === "") return undefined;
  if (attribute.type === "complex") return normalizeComplex(attribute, value, path);
  if (attribute.type === "boolean") {
    const text = typeof value === "string" ? value.toLowerCase() : value;
    if (text === true || text === "true") return true;
    if (text === false || text === "false") return false;
    throw scimError("invalidValue", `${path} must be true or false`);
  }
  // Identity providers send numbers, such as employee numbers, instead of texts.
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string") throw scimError("invalidValue", `${path} must be a text`);
  if (text.length > charactersMax) {
    throw scimError("invalidValue", `${path} is longer than ${charactersMax} characters`);
  }
  return text;
}

function normalizeComplex(
  attribute: Attribute,
  value: JsonValue,
  path: string,
): JsonObject | undefined {
  const subAttributes = attribute.subAttributes ?? [];
  // A text stands for an object with this `value`, because some identity providers send a manager in this form.
  const isValue = typeof value === "string" && subAttributes.some(({ name }) => name === "value");
  const given = isValue ? { value } : value;
  if (!isObject(given)) throw scimError("invalidValue", `${path} must be an object`);
  const members = Object.entries(given).flatMap(([name, inner]): [string, JsonValue][] => {
    const sub = attributeNamed(subAttributes, name);
    if (sub === undefined || sub.mutability === "readOnly") return [];
    const normalized = normalizeValue(sub, inner ?? null, `${path}.${sub.name}`);
    return normalized === undefined ? [] : [[sub.name, normalized]];
  });
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Returns the resource that a request describes, without attributes that clients cannot set. Throws `invalidValue`. */
export function normalizeResource(type: ResourceType, input: JsonObject): JsonObject {
  let resource: JsonObject = {};
  for (const { found, sub, value } of membersOf(type, input)) {
    if (found.attribute.mutability === "readOnly" || value === undefined) continue;
    const { name } = found.attribute;
    const before = attributesOf(resource, found.extension)[name];
    const whole =
      sub === undefined ? value : { ...(isObject(before) ? before : {}), [sub.name]: value };
    resource = withAttribute(resource, found, whole);
  }
  requireAttributes(type, resource);
  return resource;
}

/** Throws `invalidValue` if a required attribute is missing. */
export function requireAttributes(type: ResourceType, resource: JsonObject): void {
  const missing = type.schema.attributes.find(
    ({ name, required }) => required && resource[name] === undefined,
  );
  if (missing) throw scimError("invalidValue", `${missing.name} is required`);
}

/** Returns the attributes of a resource, or of one of its extensions. */
export function attributesOf(resource: JsonObject, extension: string | undefined): JsonObject {
  if (extension === undefined) return resource;
  const held = resource[extension];
  return isObject(held) ? held : {};
}

/** Returns a resource with a changed attribute; undefined removes the attribute. */
export function withAttribute(
  resource: JsonObject,
  { attribute, extension }: FoundAttribute,
  value: JsonValue | undefined,
): JsonObject {
  const { [attribute.name]: _, ...others } = attributesOf(resource, extension);
  const changed: JsonObject = value === undefined ? others : { ...others, [attribute.name]: value };
  if (extension === undefined) return changed;
  const { [extension]: __, ...rest } = resource;
  return Object.keys(changed).length === 0 ? rest : { ...rest, [extension]: changed };
}
