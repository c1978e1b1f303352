// Applies the operations of a patch (RFC 7644, section 3.5.2) to a resource, in the forms that identity providers send.
import { patchOperationsMax } from "../../api/scim-schemas.ts";
import { equal, isObject, type JsonObject, type JsonValue } from "../../core/json.ts";
import type { Attribute, FoundAttribute, ResourceType } from "./attributes.ts";
import { type Filter, filterTest } from "./filter.ts";
import {
  attributesOf,
  elementsMax,
  membersOf,
  normalizeElement,
  normalizeValue,
  requireAttributes,
  withAttribute,
} from "./normalize.ts";
import {
  elementPaths,
  isUnknownAttribute,
  parsePatchPath,
  type PatchPath,
  listOf,
} from "./paths.ts";
import { scimError } from "./scim-error.ts";

/** One operation of a patch. */
export interface PatchOperation {
  readonly op: "add" | "replace" | "remove";
  readonly path: string | undefined;
  readonly value: JsonValue | undefined;
}

/** Returns the operations of a patch or a bulk request, unchecked. Throws `invalidSyntax` if there are none. */
export function operationList(body: JsonObject): readonly JsonValue[] {
  const given = memberNamed(body, "operations");
  if (Array.isArray(given) && given.length > 0) return given as readonly JsonValue[];
  throw scimError("invalidSyntax", "Operations must be a list with at least one operation");
}

/** Returns the operations of a request. Names and operators are compared without regard to case. Throws `invalidSyntax`. */
export function patchOperations(body: JsonObject): readonly PatchOperation[] {
  const given = operationList(body);
  if (given.length > patchOperationsMax) {
    throw scimError("invalidSyntax", `a patch has at most ${patchOperationsMax} operations`);
  }
  return given.map(operationOf);
}

function operationOf(given: JsonValue, index: number): PatchOperation {
  const where = `Operations[${index}]`;
  if (!isObject(given)) throw scimError("invalidSyntax", `${where} must be an object`);
  const op = memberNamed(given, "op");
  const name = typeof op === "string" ? op.toLowerCase() : "";
  if (name !== "add" && name !== "replace" && name !== "remove") {
    throw scimError("invalidSyntax", `${where}.op must be add, replace or remove`);
  }
  const path = memberNamed(given, "path") ?? undefined;
  if (path !== undefined && typeof path !== "string") {
    throw scimError("invalidPath", `${where}.path must be a text`);
  }
  const value = memberNamed(given, "value");
  if (name === "remove") {
    if (path === undefined)
      throw scimError("noTarget", `${where} needs a path: it says what to remove`);
  } else if (value === undefined || (path === undefined && !isObject(value))) {
    throw scimError(
      "invalidValue",
      `${where}.value ${value === undefined ? "is missing" : "must be an object"}`,
    );
  }
  return { op: name, path, value };
}

/** Returns the member of a request with a name in lower case: SCIM compares names without regard to case. */
export function memberNamed(holder: JsonObject, name: string): JsonValue | undefined {
  const entry = Object.entries(holder).find(([key]) => key.toLowerCase() === name);
  return entry?.[1];
}

/** A change of one attribute: an operation with its target. */
export interface AttributeChange {
  readonly op: "add" | "replace" | "remove";
  readonly target: PatchPath & { readonly attribute: Attribute };
  /** The value in the request; undefined if the operation has none. */
  readonly value: JsonValue | undefined;
}

/**
 * Returns the changes of single attributes that operations make, in order: an operation without a path sets each member
 * of its value, but ignores members that clients cannot set. Throws `mutability` for a path that clients cannot set.
 */
export function attributeChanges(
  type: ResourceType,
  operations: readonly PatchOperation[],
): readonly AttributeChange[] {
  return operations.flatMap(({ op, path, value }) => {
    if (path === undefined) return isObject(value) ? memberChanges(type, op, value) : [];
    // Ignores unknown attributes, as in a whole resource, because Okta patches `password`.
    if (isUnknownAttribute(type, path)) return [];
    const target = parsePatchPath(type, path);
    const { attribute } = target;
    if (attribute === undefined)
      return extensionChanges(type, { op, value, urn: target.extension ?? "" });
    if (attribute.mutability === "readOnly" || target.sub?.mutability === "readOnly") {
      throw scimError("mutability", `${path} cannot be changed`);
    }
    return [{ op, target: { ...target, attribute }, value }];
  });
}

function memberChanges(
  type: ResourceType,
  op: PatchOperation["op"],
  value: JsonObject,
): readonly AttributeChange[] {
  return Object.entries(value).flatMap(([key, inner]) =>
    // Entra ID sends paths with filters as members, such as `emails[type eq "work"].value`.
    key.includes("[")
      ? attributeChanges(type, [{ op, path: key, value: inner }])
      : plainChanges(type, op, { [key]: inner }),
  );
}

function plainChanges(
  type: ResourceType,
  op: PatchOperation["op"],
  value: JsonObject,
): readonly AttributeChange[] {
  return membersOf(type, value).flatMap((member) => {
    const { attribute, extension } = member.found;
    if (attribute.mutability === "readOnly" || member.sub?.mutability === "readOnly") return [];
    const target = { extension, attribute, filter: undefined, sub: member.sub };
    return [{ op, target, value: member.value ?? null }];
  });
}

/**
 * Returns the changes for a path that is the URN of an extension: the value contains its attributes, and `remove`
 * removes all of them.
 */
function extensionChanges(
  type: ResourceType,
  {
    op,
    value,
    urn,
  }: {
    readonly op: PatchOperation["op"];
    readonly value: JsonValue | undefined;
    readonly urn: string;
  },
): readonly AttributeChange[] {
  if (op !== "remove") return isObject(value) ? memberChanges(type, op, { [urn]: value }) : [];
  const schema = type.extensions.find(({ id }) => id === urn);
  return (schema?.attributes ?? []).map((attribute) => ({
    op,
    target: { extension: urn, attribute, filter: undefined, sub: undefined },
    value: undefined,
  }));
}

/** Returns a resource after changes. Throws `noTarget`, `mutability` or `invalidValue`, and then changes nothing. */
export function applyChanges(
  type: ResourceType,
  resource: JsonObject,
  changes: readonly AttributeChange[],
): JsonObject {
  let result = resource;
  for (const change of changes) {
    const { attribute, extension } = change.target;
    const found: FoundAttribute = { attribute, extension };
    const before = attributesOf(result, extension)[attribute.name];
    result = withAttribute(result, found, settled(attribute, before, changed(before, change)));
  }
  requireAttributes(type, result);
  return result;
}

/**
 * Returns a list without empty elements and with at most one primary element. Throws `invalidValue` for too many
 * elements.
 */
function settled(
  attribute: Attribute,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): JsonValue | undefined {
  if (!attribute.multiValued) return after;
  const elements = listOf(after).filter((one) => !isObject(one) || Object.keys(one).length > 0);
  if (elements.length > elementsMax) {
    throw scimError("invalidValue", `${attribute.name} has more than ${elementsMax} values`);
  }
  return elements.length === 0 ? undefined : settlePrimary(listOf(before), elements);
}

function changed(before: JsonValue | undefined, change: AttributeChange): JsonValue | undefined {
  const { op, target, value } = change;
  if (target.filter !== undefined) return changedElements(before, target.filter, change);
  if (op === "remove") return removed(before, change);
  const { attribute, sub } = target;
  if (sub !== undefined && attribute.multiValued) {
    const elements = listOf(before);
    return (elements.length === 0 ? [{}] : elements).map((one) => withSub(one, sub, change) ?? {});
  }
  if (sub !== undefined) return withSub(before, sub, change);
  const given = normalizeValue(attribute, value ?? null, attribute.name);
  if (attribute.multiValued) return op === "add" ? added(before, listOf(given)) : given;
  // The omitted sub-attributes of a complex value stay.
  return isObject(given) && isObject(before) ? { ...before, ...given } : given;
}

function removed(
  before: JsonValue | undefined,
  { target, value }: AttributeChange,
): JsonValue | undefined {
  const { attribute, sub } = target;
  if (attribute.required || sub?.required === true) {
    throw scimError("mutability", `${attribute.name} is required and cannot be removed`);
  }
  if (sub !== undefined) {
    if (attribute.multiValued) return listOf(before).map((one) => without(one, sub.name) ?? {});
    return without(before, sub.name);
  }
  if (!attribute.multiValued || value === undefined || value === null) return undefined;
  // Some identity providers name the elements to remove in the value.
  const named = listOf(normalizeValue(attribute, value, attribute.name));
  return listOf(before).filter((one) => !named.some((other) => isSameElement(one, other)));
}

function changedElements(
  before: JsonValue | undefined,
  filter: Filter,
  change: AttributeChange,
): JsonValue | undefined {
  const { op, target } = change;
  const { attribute, sub } = target;
  const test = filterTest(filter, elementPaths(attribute));
  const elements = listOf(before);
  if (op === "remove") {
    return sub
      ? elements.map((one) => (test(one) ? (without(one, sub.name) ?? {}) : one))
      : elements.filter((one) => !test(one));
  }
  if (elements.some(test)) {
    return elements.map((one) => (test(one) ? withPart(one, change) : one));
  }
  // Entra ID expects that an element which does not exist yet is created from the filter.
  const described = normalizeElement(attribute, elementOf(filter), attribute.name) ?? {};
  return [...elements, withPart(described, change)];
}

function withPart(element: JsonValue, change: AttributeChange): JsonValue {
  const { attribute, sub } = change.target;
  if (sub !== undefined) return withSub(element, sub, change) ?? {};
  const given = normalizeElement(attribute, change.value ?? null, attribute.name);
  if (!isObject(given))
    throw scimError("invalidValue", `a value of ${attribute.name} must be an object`);
  return { ...(isObject(element) ? element : {}), ...given };
}

/** Returns the element that a filter of `eq` conditions describes. Throws `noTarget` for another filter. */
function elementOf(filter: Filter): JsonObject {
  if (filter.op === "eq" && filter.value !== null) return { [filter.path]: filter.value };
  if (filter.op === "and") return Object.assign({}, ...filter.filters.map(elementOf)) as JsonObject;
  throw scimError("noTarget", "the filter of the path selects nothing");
}

function withSub(
  holder: JsonValue | undefined,
  sub: Attribute,
  { op, value, target }: AttributeChange,
): JsonValue | undefined {
  if (op === "remove") return without(holder, sub.name);
  const given = normalizeValue(sub, value ?? null, `${target.attribute.name}.${sub.name}`);
  if (given === undefined) return without(holder, sub.name);
  return { ...(isObject(holder) ? holder : {}), [sub.name]: given };
}

function without(holder: JsonValue | undefined, name: string): JsonValue | undefined {
  if (!isObject(holder)) return undefined;
  const { [name]: _, ...rest } = holder;
  return Object.keys(rest).length === 0 ? undefined : rest;
}

function added(before: JsonValue | undefined, given: readonly JsonValue[]): JsonValue {
  const elements = [...listOf(before)];
  for (const one of given) {
    if (!elements.some((other) => equal(one, other))) elements.push(one);
  }
  return elements;
}

/** Returns the elements with only one primary element: the one that became primary last. */
function settlePrimary(
  before: readonly JsonValue[],
  after: readonly JsonValue[],
): readonly JsonValue[] {
  const primary = after.filter(isPrimary);
  if (primary.length < 2) return after;
  const latest =
    primary.findLast((one) => !before.some((other) => equal(one, other))) ?? primary.at(-1);
  return after.map((one) =>
    isPrimary(one) && one !== latest && isObject(one) ? { ...one, primary: false } : one,
  );
}

function isPrimary(element: JsonValue): boolean {
  return isObject(element) && element["primary"] === true;
}

function isSameElement(one: JsonValue, other: JsonValue): boolean {
  if (!isObject(one) || !isObject(other) || other["value"] === undefined) return equal(one, other);
  const { type } = other;
  return one["value"] === other["value"] && (type === undefined || one["type"] === type);
}
