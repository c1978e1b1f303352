// Reads data sources: one object by its natural key, or every object of a collection, without the cache.
import { Failure } from "../../core/errors.ts";
import { scopeOf } from "../../core/kind/identity.ts";
import type { ObservedObject } from "../../core/kind/kind.ts";
import type { JsonObject } from "../../core/json.ts";
import { normalize } from "../../core/spec/normalize.ts";
import { joinPointer } from "../../core/pointer.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { requireParents } from "../bridge/require-parents.ts";
import { validateInputs } from "../bridge/validate-inputs.ts";
import { readTargetFor } from "../bridge/read-target.ts";
import { fullyKnownFields, type Value } from "../bridge/unknown-values.ts";
import { type AttributeValues, toInputs } from "./attribute-values.ts";
import { type Diagnostic, fromFindings } from "./diagnostics.ts";
import type { Resource } from "./resources.ts";
import { listName } from "./schema.ts";
import { importedState } from "./state.ts";

/** Returns the errors in the arguments of a data source. Arguments are parts of the natural key. */
export function validateArguments(
  { kind, attributes }: Resource,
  config: AttributeValues,
): readonly Diagnostic[] {
  const { inputs, findings } = toInputs(attributes, config);
  const given = Object.keys(inputs).map((field) => joinPointer([field]));
  const invalid = validateInputs(kind, inputs).filter(({ path }) =>
    given.some((pointer) => path === pointer || path.startsWith(`${pointer}/`)),
  );
  return fromFindings(attributes, [...findings, ...invalid]);
}

/** Lists every object of a collection. Fails with `not_found` if its parent does not exist. */
export async function listObjects(
  resource: Resource,
  inputs: JsonObject,
  bridge: Bridge,
): Promise<readonly ObservedObject[]> {
  const { kind } = resource;
  const objects = await bridge.list(kind, scopeOf(kind, inputs));
  if (objects.length === 0)
    await requireParents({ kind, kindNamed: (name) => resource.kinds.get(name) }, inputs, bridge);
  return objects;
}

/** Reads the data of a data source. Fails with `not_found` if the object does not exist. */
export async function readData(
  resource: Resource,
  config: AttributeValues,
  { bridge }: { readonly bridge: Bridge },
): Promise<AttributeValues> {
  const { kind, attributes } = resource;
  const inputs = fullyKnownFields(toInputs(attributes, config).inputs);
  const items = attributes.find(({ name }) => name === listName)?.form;
  if (items?.is === "nested") {
    const objects = await listObjects(resource, inputs, bridge);
    const listed = objects.map((observed): Value =>
      importedState({ kind, attributes: items.attributes, observed }),
    );
    return { ...config, [listName]: listed };
  }
  const spec: JsonObject = normalize(kind, inputs);
  const requestedFields = new Set(Object.keys(kind.spec.properties));
  const target = readTargetFor(kind, spec, { requestedFields });
  const observed = await bridge.readFresh(target);
  if (observed !== undefined) return importedState({ ...resource, observed });
  throw new Failure("not_found", `${kind.name} ${target.key} does not exist.`);
}
