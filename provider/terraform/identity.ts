// Resource identities: the server's id, or the natural key if there is none, and the ids of the parents.
import { Failure } from "../../core/errors.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import { scopeOf } from "../../core/kind/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { snakeCase } from "../../core/text/naming.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { currentParentName } from "../bridge/rename-tracker.ts";
import { type ReadTarget, readTargetFor } from "../bridge/read-target.ts";
import { isKnown, type Value } from "../bridge/unknown-values.ts";
import { type AttributeValues, typeOfForm } from "./attribute-values.ts";
import type { Resource } from "./resources.ts";
import { identityAttributes } from "./session.ts";
import type { Attribute, Block } from "./schema.ts";
import { type Dynamic, fromWire, toWire, type Type } from "./wire/cty.ts";

/** An identity in the protocol's form. */
export interface SentIdentity {
  readonly identityData?: Dynamic;
}

/** The schema version of every identity. */
export const identityVersion = 0;

/** Returns the identity schema of a resource in the protocol's form. */
export function wireIdentity(block: Block): object {
  const attributes = identityAttributes(block).map(({ name, form, description }) => ({
    name,
    type: Buffer.from(JSON.stringify(typeOfForm(form))),
    requiredForImport: true,
    description,
  }));
  return { version: identityVersion, identityAttributes: attributes };
}

/** A resource with the attributes of its identity. */
export interface ResourceWithIdentity {
  readonly attributes: readonly Attribute[];
  readonly identity: { readonly attributes: readonly Attribute[]; readonly type: Type };
}

/**
 * Returns the identity to respond with: the one in the request, because an identity never changes, or else the one in the
 * state if it is known.
 */
export function identityFor(
  { identity }: ResourceWithIdentity,
  requestIdentity: SentIdentity | undefined,
  state: AttributeValues | null | undefined,
): SentIdentity | undefined {
  if (
    requestIdentity?.identityData !== undefined &&
    fromWire(identity.type, requestIdentity.identityData) !== null
  ) {
    return requestIdentity;
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

/** Returns the read target of an identity. Fails with `not_found` if a parent does not exist. */
export async function readTargetByIdentity(
  { kind, kinds }: Resource,
  members: AttributeValues,
  bridge: Bridge,
): Promise<ReadTarget> {
  const requestedFields = new Set(Object.keys(kind.spec.properties));
  const memberByName = new Map(Object.entries(members));
  let spec: JsonObject = {};
  for (const { name, traits } of fieldsOf(kind).filter((one) => kind.key.includes(one.name))) {
    const parent = kinds.get(traits.refersTo ?? "");
    const parentId = memberByName.get(`${snakeCase(name)}_id`);
    const own = memberByName.get(snakeCase(name));
    if (typeof own === "string") spec = { ...spec, [name]: own };
    if (parent === undefined || (typeof parentId !== "number" && typeof parentId !== "string")) {
      continue;
    }
    const id = `${parentId}`;
    const parentName = await currentParentName(bridge, { parent, traits, spec, id });
    if (parentName === undefined)
      throw new Failure("not_found", `${parent.name} ${id} does not exist.`);
    spec = { ...spec, [name]: parentName };
  }
  const id = memberByName.get("id");
  if (typeof id !== "number" && typeof id !== "string")
    return readTargetFor(kind, spec, { requestedFields });
  return {
    kind,
    scope: scopeOf(kind, spec),
    key: undefined,
    id: `${id}`,
    requestedFields,
    isNew: false,
  };
}
