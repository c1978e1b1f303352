// What tells one object from every other for as long as it lives: the server's own id where it gives one, and what it lies under.
import { Failure } from "../../core/errors.ts";
import { fieldsOf } from "../../core/fields.ts";
import { scopeOf } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { snakeCase } from "../../core/naming.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { currentParentName } from "../bridge/rename-tracker.ts";
import { type ReadTarget, readTargetFor } from "../bridge/read-cache.ts";
import { isKnown, type Value } from "../bridge/unknown-values.ts";
import { type AttributeValues, typeOfForm } from "./attribute-values.ts";
import type { Resource } from "./resources.ts";
import { identityAttributes } from "./session.ts";
import type { Attribute, Block } from "./schema.ts";
import { type Dynamic, fromWire, toWire, type Type } from "./wire/cty.ts";

/** An identity as it is sent. */
export interface SentIdentity {
  readonly identityData?: Dynamic;
}

/** The version of every identity's form. */
export const identityVersion = 0;

/** The form of an identity, on the wire. */
export function wireIdentity(block: Block): object {
  const attributes = identityAttributes(block).map(({ name, form, description }) => ({
    name,
    type: Buffer.from(JSON.stringify(typeOfForm(form))),
    requiredForImport: true,
    description,
  }));
  return { version: identityVersion, identityAttributes: attributes };
}

/** A resource with the form of its identity. */
export interface ResourceWithIdentity {
  readonly attributes: readonly Attribute[];
  readonly identity: { readonly attributes: readonly Attribute[]; readonly type: Type };
}

/**
 * The identity to answer: the one that was sent, since an identity never changes, though an object may have been made again
 * under the same name; else that of the state, where all of it is known.
 */
export function identityFor(
  { identity }: ResourceWithIdentity,
  sent: SentIdentity | undefined,
  state: AttributeValues | null | undefined,
): SentIdentity | undefined {
  if (sent?.identityData !== undefined && fromWire(identity.type, sent.identityData) !== null) {
    return sent;
  }
  const values = identity.attributes.map(({ name }): [string, Value] => [
    name,
    state?.[name] ?? null,
  ]);
  if (values.length === 0 || values.some(([, value]) => value === null || !isKnown(value))) {
    return undefined;
  }
  return { identityData: toWire(identity.type, Object.fromEntries(values)) };
}

/** The ask about the object of an identity. Fails with `not_found` where what it lies under is not there. */
export async function readTargetByIdentity(
  { kind, kindNamed }: Resource,
  members: AttributeValues,
  bridge: Bridge,
): Promise<ReadTarget> {
  const interest = new Set(Object.keys(kind.spec.properties));
  const given = new Map(Object.entries(members));
  let spec: JsonObject = {};
  for (const { name, traits } of fieldsOf(kind).filter((one) => kind.key.includes(one.name))) {
    const parent = kindNamed(traits.refersTo ?? "");
    const parentId = given.get(`${snakeCase(name)}_id`);
    const own = given.get(snakeCase(name));
    if (typeof own === "string") spec = { ...spec, [name]: own };
    if (parent === undefined || (typeof parentId !== "number" && typeof parentId !== "string")) {
      continue;
    }
    const id = `${parentId}`;
    const called = await currentParentName(bridge, { parent, traits, spec, id });
    if (called === undefined) throw new Failure("not_found", `There is no ${parent.name} ${id}.`);
    spec = { ...spec, [name]: called };
  }
  const id = given.get("id");
  if (typeof id !== "number" && typeof id !== "string")
    return readTargetFor(kind, spec, { requestedFields: interest });
  return {
    kind,
    scope: scopeOf(kind, spec),
    key: undefined,
    id: `${id}`,
    requestedFields: interest,
  };
}
