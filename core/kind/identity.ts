// Converts addresses (`Kind/name`) and natural keys of objects to text and back.
import type { TSchema } from "typebox";
import { invariant } from "../errors.ts";
import { membersOf } from "./fields.ts";
import { canonical, type JsonObject, type JsonValue } from "../json.ts";
import type { Kind, ScopeKey } from "./kind.ts";
import { member, nonNull, typesOf, view } from "../schema/schema.ts";
import { namePattern } from "../text/text-patterns.ts";

/** Returns whether a text is a valid name. */
export function isName(text: string): boolean {
  return nameRegExp.test(text);
}

const nameRegExp = new RegExp(namePattern, "u");

/** Returns the address of a document in its stack. */
export function address(kind: string, name: string): string {
  return `${kind}/${name}`;
}

/** Parses an address; undefined if the text is not one. */
export function parseAddress(text: string): { kind: string; name: string } | undefined {
  const match = /^([A-Z][A-Za-z0-9]*)\/(.+)$/su.exec(text);
  const [, kind, name] = match ?? [];
  return kind === undefined || name === undefined ? undefined : { kind, name };
}

const namedObjects = 5;

/** Returns `2 EmbedGroup (acme/east, acme/west), 1 EmbedUser (acme/jane)`. Names the first five of each kind. */
export function objectsText(
  objects: readonly { readonly kind: string; readonly key: string }[],
): string {
  return [...Map.groupBy(objects, ({ kind }) => kind)]
    .map(([kind, all]) => {
      const keys = all.map(({ key }) => key).toSorted();
      const more = keys.length > namedObjects ? ", …" : "";
      return `${keys.length} ${kind} (${keys.slice(0, namedObjects).join(", ")}${more})`;
    })
    .join(", ");
}

/** The natural key of a singleton, which has no key fields. */
const singletonKey = "account";

/**
 * Returns the natural key as text, which is also the import ID: its encoded parts, joined with `/`, or `account` for a
 * singleton. A field that is not set has its default; one without a default must be set. A last part that is empty is left out.
 */
export function keyOf(kind: Kind, spec: JsonObject): string {
  if (kind.key.length === 0) return singletonKey;
  return joined(kind.key.map((name) => encode(keyPart(kind, name, member(spec, name)))));
}

function joined(parts: readonly string[]): string {
  return (parts.at(-1) === "" ? parts.slice(0, -1) : parts).join("/");
}

/** Returns the parts of a text as of {@link keyOf}, with an empty last part if its field may be empty and is left out. */
function partsOf(kind: Kind, fields: readonly string[], text: string): readonly string[] {
  const parts = text.split("/");
  if (parts.length !== fields.length - 1) return parts;
  return defaultOf(kind, fields.at(-1)) === "" ? [...parts, ""] : parts;
}

function defaultOf(kind: Kind, field: string | undefined): JsonValue | undefined {
  const declared = membersOf(kind.spec).find(({ name }) => name === field);
  return declared && view(declared.schema).default;
}

/** A list of an object that contains other objects as entries. */
export interface OwnedList {
  /** Kind and natural key of the object with the list. */
  readonly owner: string;
  readonly field: string;
}

/** Returns the list that contains an object as an entry; undefined for a kind without `entryOf`. All its key fields must be set. */
export function listContaining(kind: Kind, spec: JsonObject): OwnedList | undefined {
  const { entryOf } = kind;
  if (entryOf === undefined) return undefined;
  const key = keyOf({ ...kind, key: entryOf.key }, spec);
  return { owner: address(entryOf.kind, key), field: entryOf.field };
}

/** Returns the key fields outside the scope, which identify an object in its collection, such as `email`. */
export function ownKey({ key, scope }: Kind): readonly string[] {
  return key.filter((name) => !scope.includes(name));
}

/** Returns the form of a natural key, as of {@link keyOf}: the names of its fields, joined with `/`. */
export function keyForm(kind: Kind): string {
  return kind.key.length === 0 ? singletonKey : kind.key.join("/");
}

/**
 * Returns the name that references use: the key fields outside the scope; the value of a single field, otherwise text
 * as of {@link keyOf}.
 */
export function nameOf(kind: Kind, spec: JsonObject): JsonValue | undefined {
  const own = ownKey(kind);
  const [only, another] = own;
  if (only !== undefined && another === undefined) return member(spec, only);
  return keyOf({ ...kind, key: own.length === 0 ? kind.key : own }, spec);
}

/** Returns {@link nameOf} as text, as used in scopes and references. */
export function nameText(kind: Kind, spec: JsonObject): string {
  const name = nameOf(kind, spec);
  return typeof name === "string" ? name : canonical(name);
}

/**
 * Returns the natural key, as of {@link keyOf}, of the object with a name as of {@link nameText}. `beside` contains the scope's
 * fields. Undefined if one of them is missing, or if the name does not have the parts of the kind.
 */
export function keyOfNamed(kind: Kind, name: string, beside: JsonObject): string | undefined {
  const own = ownKey(kind);
  const parts = own.length === 1 ? [encode(name)] : partsOf(kind, own, name);
  if (parts.length !== own.length) return undefined;
  const all = kind.key.map((field) => {
    const value = member(beside, field);
    if (!kind.scope.includes(field)) return parts[own.indexOf(field)];
    return value === undefined || value === null ? undefined : encode(keyPart(kind, field, value));
  });
  return all.includes(undefined) ? undefined : joined(all as readonly string[]);
}

/** Parses a key of {@link keyOf} into key fields, typed by the spec; undefined if the text is not a key. */
export function parseKey(kind: Kind, text: string): JsonObject | undefined {
  if (kind.key.length === 0) return text === singletonKey ? {} : undefined;
  const parts = partsOf(kind, kind.key, text);
  if (parts.length !== kind.key.length) return undefined;
  const found: [string, JsonValue][] = [];
  for (const [index, name] of kind.key.entries()) {
    const part = decode(parts[index] ?? "");
    const schema = membersOf(kind.spec).find((field) => field.name === name)?.schema;
    const value = part === undefined || schema === undefined ? undefined : typed(schema, part);
    if (value === undefined) return undefined;
    found.push([name, value]);
  }
  return Object.fromEntries(found);
}

/** Returns a key of {@link keyOf} decoded for display. It cannot be compared or parsed. */
export function readableKey(text: string): string {
  const once = decode(text) ?? text;
  return decode(once) ?? once;
}

/** Shared by all objects of the account, because a large stack has many. */
const noScope: ScopeKey = Object.freeze({});

/** Returns the scope of an object: the fields of the collection that lists it, as text. */
export function scopeOf(kind: Kind, spec: JsonObject): ScopeKey {
  if (kind.scope.length === 0) return noScope;
  const entries = kind.scope.map(
    (name) => [name, keyPart(kind, name, member(spec, name))] as const,
  );
  return Object.fromEntries(entries);
}

/** Returns a unique text for a scope: `embedTenant=acme`, fields sorted by name; empty for the account. */
export function scopeText(scope: ScopeKey): string {
  return Object.keys(scope)
    .toSorted()
    .map((name) => `${encode(name, inScope)}=${encode(member(scope, name) ?? "", inScope)}`)
    .join(",");
}

function keyPart(kind: Kind, name: string, value: JsonValue | undefined): string {
  const part = value ?? defaultOf(kind, name);
  invariant(
    part !== undefined && part !== null,
    `${kind.name} has no value for its key field ${name}`,
  );
  return typeof part === "string" ? part : canonical(part);
}

const inKey = /[%/\s\p{Cc}]/gu;
const inScope = /[%=,\s\p{Cc}]/gu;

function encode(text: string, special = inKey): string {
  return text.replace(special, encodeURIComponent);
}

/** Decodes a part of a key; undefined if it contains an invalid `%` sequence. */
function decode(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    return text.replace(/(?:%[0-9A-Fa-f]{2})+|%/gu, decodeURIComponent);
  } catch {
    return undefined;
  }
}

function typed(schema: TSchema, text: string): JsonValue | undefined {
  const types = new Set(nonNull(schema).flatMap(typesOf));
  if (types.has("string") || types.size === 0) return text;
  if (types.has("boolean") && (text === "true" || text === "false")) return text === "true";
  const number = Number(text);
  const wanted = types.has("number") || (types.has("integer") && Number.isSafeInteger(number));
  return wanted && canonical(number) === text ? number : undefined;
}
