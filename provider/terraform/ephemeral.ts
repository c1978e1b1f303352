// Ephemeral resources: an object with a generated secret that exists for one run. The provider creates it when the run opens
// it and deletes it when the run closes it. The secret is in no state and no plan.
import { randomBytes } from "node:crypto";
import { Failure } from "../../core/errors.ts";
import { keyOf } from "../../core/kind/identity.ts";
import { isObject } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind/kind.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { fullyKnownFields, Unknown, type Value } from "../bridge/unknown-values.ts";
import type { AttributeValues } from "./attribute-values.ts";
import type { Diagnostic } from "./diagnostics.ts";
import { desiredInputs } from "./plan.ts";
import { type Resource, validate } from "./resources.ts";
import type { Attribute } from "./schema.ts";
import { stateAfterApply } from "./state.ts";

/** An open ephemeral resource. */
export interface OpenedEphemeral {
  /** The attributes, including the secret. */
  readonly result: AttributeValues;
  /** The data to delete the object later, without the secret. */
  readonly handle: Uint8Array;
}

/** Returns the errors of a configuration. */
export function validateEphemeral(
  resource: Resource,
  config: AttributeValues,
): readonly Diagnostic[] {
  return validate(resource, withUniqueName(resource.kind, config, resource.attributes), true);
}

/** Creates the object under a unique name. If the server returns no secret, deletes the object and fails. */
export async function open(
  resource: Resource,
  config: AttributeValues,
  bridge: Bridge,
): Promise<OpenedEphemeral> {
  const { kind, attributes } = resource;
  const uniqueConfig = withUniqueName(kind, config, attributes);
  const { observed, failure, generatedSecret } = await bridge.create(
    kind,
    fullyKnownFields(desiredInputs({ ...resource, config: uniqueConfig })),
  );
  if (failure !== undefined || generatedSecret === undefined) {
    await bridge.discard(kind, observed);
    throw (
      failure ??
      new Failure("unexpected_answer", `the server returned no ${kind.generatedSecret?.name}`)
    );
  }
  const source = { ...resource, observed, generatedSecret: generatedSecret.reveal() };
  const { id, spec, status } = observed;
  return {
    result: stateAfterApply(source, plannedResult(attributes, config)),
    handle: Buffer.from(JSON.stringify({ id, spec, status })),
  };
}

/** Deletes the object, even after the run was stopped. An object that no longer exists counts as deleted. */
export async function close(kind: Kind, handle: Uint8Array, bridge: Bridge): Promise<void> {
  const observed = decodeHandle(handle);
  try {
    await bridge.discard(kind, observed);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message } = error;
    const remedy = `Delete ${kind.name} ${keyOf(kind, observed.spec)} manually.`;
    throw new Failure(code, message, { cause: error, remedy });
  }
}

function decodeHandle(handle: Uint8Array): ObservedObject {
  const decoded: unknown = JSON.parse(Buffer.from(handle).toString("utf8"));
  const { id, spec, status } = isObject(decoded) ? decoded : {};
  return {
    id: typeof id === "string" ? id : undefined,
    spec: isObject(spec) ? spec : {},
    status: isObject(status) ? status : {},
  };
}

const suffixBytes = 4;

/** Adds a random suffix to the name, so that concurrent and killed runs do not conflict. */
function withUniqueName(
  kind: Kind,
  config: AttributeValues,
  attributes: readonly Attribute[],
): AttributeValues {
  const part = kind.key.findLast((field) => !kind.scope.includes(field));
  const attribute = attributes.find((one) => one.part === "spec" && one.field === part);
  const name = attribute && config[attribute.name];
  if (attribute === undefined || typeof name !== "string") return config;
  return { ...config, [attribute.name]: `${name}-${randomBytes(suffixBytes).toString("hex")}` };
}

/** Returns the configuration with unknown values for the attributes that the server computes. */
function plannedResult(attributes: readonly Attribute[], config: AttributeValues): AttributeValues {
  const entries = attributes.map(({ name, mode, default: fallback }): [string, Value] => {
    const computed = mode === "computed" || mode === "optionalComputed" ? new Unknown() : null;
    return [name, config[name] ?? fallback ?? computed];
  });
  return Object.fromEntries(entries);
}
