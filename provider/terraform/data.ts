// Data sources: one object by its natural key, or every object of a collection, always read afresh.
import { Failure } from "../../core/errors.ts";
import { scopeOf } from "../../core/identity.ts";
import type { JsonObject } from "../../core/json.ts";
import { normalize } from "../../core/normalize.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { needParents } from "../bridge/parents.ts";
import { askFor } from "../bridge/sightings.ts";
import { knownPart, type Value } from "../bridge/values.ts";
import { type Members, toInputs } from "./convert.ts";
import type { Resource } from "./resources.ts";
import { listName } from "./schema.ts";
import { imported } from "./state.ts";

/** What the data source shows of what its configuration asks for. Fails with `not_found` where an object is not there. */
export async function readData(
  resource: Resource,
  config: Members,
  { bridge }: { readonly bridge: Bridge },
): Promise<Members> {
  const { kind, attributes } = resource;
  const given = knownPart(toInputs(attributes, config).inputs);
  const items = attributes.find(({ name }) => name === listName)?.form;
  if (items?.is === "nested") {
    const sights = await bridge.list(kind, scopeOf(kind, given));
    if (sights.length === 0) await needParents(resource, given, bridge);
    const shown = sights.map((sight): Value =>
      imported({ kind, attributes: items.attributes, sight }),
    );
    return { ...config, [listName]: shown };
  }
  const spec: JsonObject = normalize(kind, given);
  const everything = new Set(Object.keys(kind.spec.properties));
  const ask = askFor(kind, spec, { interest: everything });
  const sight = await bridge.readFresh(ask);
  if (sight !== undefined) return imported({ ...resource, sight });
  throw new Failure("not_found", `There is no ${kind.name} ${ask.key}.`);
}
