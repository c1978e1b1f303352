// Data sources: one object by its natural key, or every object of a collection, always read afresh.
import { Failure } from "../../core/errors.ts";
import { scopeOf } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { normalize } from "../../core/normalize.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { requireParents } from "../bridge/require-parents.ts";
import { readTargetFor } from "../bridge/read-cache.ts";
import { fullyKnownFields, type Value } from "../bridge/unknown-values.ts";
import { type AttributeValues, toInputs } from "./attribute-values.ts";
import type { Resource } from "./resources.ts";
import { listName } from "./schema.ts";
import { importedState } from "./state.ts";

/** What the data source shows of what its configuration asks for. Fails with `not_found` where an object is not there. */
export async function readData(
  resource: Resource,
  config: AttributeValues,
  { bridge }: { readonly bridge: Bridge },
): Promise<AttributeValues> {
  const { kind, attributes } = resource;
  const given = fullyKnownFields(toInputs(attributes, config).inputs);
  const items = attributes.find(({ name }) => name === listName)?.form;
  if (items?.is === "nested") {
    const sights = await bridge.list(kind, scopeOf(kind, given));
    if (sights.length === 0) await requireParents(resource, given, bridge);
    const shown = sights.map((sight): Value =>
      importedState({ kind, attributes: items.attributes, observed: sight }),
    );
    return { ...config, [listName]: shown };
  }
  const spec: JsonObject = normalize(kind, given);
  const everything = new Set(Object.keys(kind.spec.properties));
  const ask = readTargetFor(kind, spec, { requestedFields: everything });
  const sight = await bridge.readFresh(ask);
  if (sight !== undefined) return importedState({ ...resource, observed: sight });
  throw new Failure("not_found", `There is no ${kind.name} ${ask.key}.`);
}
