// Ephemeral resources: a secret that the service mints for the length of one run. The object is made when the run asks for
// it and deleted when the run is done with it, so that its secret is in no state and no plan.
import { randomBytes } from "node:crypto";
import { Failure } from "../../core/errors.ts";
import { keyOf } from "../../core/identity.ts";
import { isObject } from "../../core/json.ts";
import type { Kind, ObservedObject } from "../../core/kind.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { fullyKnownFields, Unknown, type Value } from "../bridge/unknown-values.ts";
import type { AttributeValues } from "./attribute-values.ts";
import type { Diagnostic } from "./diagnostics.ts";
import { desiredInputs } from "./plan.ts";
import { type Resource, validate } from "./resources.ts";
import type { Attribute } from "./schema.ts";
import { stateAfterApply } from "./state.ts";

/** An object that is open. */
export interface OpenedEphemeral {
  /** With the secret. */
  readonly result: AttributeValues;
  /** What is needed to delete it again; without the secret. */
  readonly handle: Uint8Array;
}

/** What is wrong with a configuration. */
export function validateEphemeral(
  resource: Resource,
  config: AttributeValues,
): readonly Diagnostic[] {
  return validate(resource, withUniqueName(resource.kind, config, resource.attributes), true);
}

/** Makes the object under a name of its own. Fails where it has no secret to show, and leaves no such object behind. */
export async function open(
  resource: Resource,
  config: AttributeValues,
  bridge: Bridge,
): Promise<OpenedEphemeral> {
  const { kind, attributes } = resource;
  const own = withUniqueName(kind, config, attributes);
  const {
    observed: sight,
    failure,
    generatedSecret: minted,
  } = await bridge.create(kind, fullyKnownFields(desiredInputs({ ...resource, config: own })));
  if (failure !== undefined || minted === undefined) {
    await bridge.discard(kind, sight);
    throw (
      failure ??
      new Failure("unexpected_answer", `The server showed no ${kind.generatedSecret?.name}.`)
    );
  }
  const source = { ...resource, observed: sight, generatedSecret: minted.reveal() };
  const { id, spec, status } = sight;
  return {
    result: stateAfterApply(source, plannedResult(attributes, config)),
    handle: Buffer.from(JSON.stringify({ id, spec, status })),
  };
}

/** Deletes what was opened, also after the run was told to stop; what is gone already counts as deleted. */
export async function close(kind: Kind, handle: Uint8Array, bridge: Bridge): Promise<void> {
  const sight = decodeHandle(handle);
  try {
    await bridge.discard(kind, sight);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const { code, message } = error;
    const remedy = `Delete it by hand: ${kind.name} ${keyOf(kind, sight.spec)}.`;
    throw new Failure(code, message, { cause: error, remedy });
  }
}

function decodeHandle(handle: Uint8Array): ObservedObject {
  const held: unknown = JSON.parse(Buffer.from(handle).toString("utf8"));
  const { id, spec, status } = isObject(held) ? held : {};
  return {
    id: typeof id === "string" ? id : undefined,
    spec: isObject(spec) ? spec : {},
    status: isObject(status) ? status : {},
  };
}

const suffixBytes = 4;

/** Two runs at a time, and one that was killed, must not get in each other's way, so every opening has another name. */
function withUniqueName(
  kind: Kind,
  config: AttributeValues,
  attributes: readonly Attribute[],
): AttributeValues {
  const part = kind.key.findLast((field) => !kind.scope.includes(field));
  const attribute = attributes.find((one) => one.part === "spec" && one.field === part);
  const given = attribute && config[attribute.name];
  if (attribute === undefined || typeof given !== "string") return config;
  return { ...config, [attribute.name]: `${given}-${randomBytes(suffixBytes).toString("hex")}` };
}

/** The configuration as it is, with everything else to be told by the server. */
function plannedResult(attributes: readonly Attribute[], config: AttributeValues): AttributeValues {
  const entries = attributes.map(({ name, mode, default: fallback }): [string, Value] => {
    const told = mode === "computed" || mode === "optionalComputed" ? new Unknown() : null;
    return [name, config[name] ?? fallback ?? told];
  });
  return Object.fromEntries(entries);
}
