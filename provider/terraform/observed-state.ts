// Reads the object that a state describes, and builds the state of an imported one.
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import type { ObservedObject } from "../../core/kind/kind.ts";
import { rightsIn } from "../../core/spec/removed-rights.ts";
import { withoutServerManagedFields } from "../../core/spec/server-managed.ts";
import type { Bridge } from "../bridge/bridge.ts";
import type { ReadTarget } from "../bridge/read-target.ts";
import { fullyKnownFields } from "../bridge/unknown-values.ts";
import { type AttributeValues, toInputs } from "./attribute-values.ts";
import { type PlanInputs, specFromState } from "./plan.ts";
import type { PrivateState } from "./private-state.ts";
import { importedState } from "./state.ts";

/** A kind with its attributes. */
type Described = Pick<PlanInputs, "kind" | "attributes">;

/** The state and private state of an imported object. */
export interface ImportedResource {
  readonly state: AttributeValues;
  readonly privateState: PrivateState;
}

/** Returns the object of a state. A tainted resource has no private state, so its id comes from its status. */
export function observedFromState(
  { kind, attributes }: Described,
  state: AttributeValues,
  privateState: PrivateState,
): ObservedObject {
  const status = statusFromState({ attributes }, state);
  const { id: adopted } = status;
  const isId = typeof adopted === "number" || typeof adopted === "string";
  const id = privateState.id ?? (isId ? String(adopted) : undefined);
  return { id, spec: specFromState(kind, attributes, state), status };
}

function statusFromState(
  { attributes }: Pick<PlanInputs, "attributes">,
  state: AttributeValues,
): JsonObject {
  return fullyKnownFields(toInputs(attributes, state, "status").inputs);
}

/** Returns the state of an existing object. Fails with `not_found` if it does not exist. */
export async function importState(
  resource: Described,
  { target, privateState }: { readonly target: ReadTarget; readonly privateState: PrivateState },
  { bridge }: { readonly bridge: Pick<Bridge, "read"> },
): Promise<ImportedResource> {
  const observed = await bridge.read(target);
  if (observed !== undefined) {
    const state = importedState({
      ...resource,
      observed: withoutServerManagedFields(resource.kind, observed),
    });
    return {
      state,
      privateState: {
        ...privateState,
        id: observed.id,
        configuredFields: rightsIn(resource.kind, observed.spec),
        isImport: true,
      },
    };
  }
  const label = target.key ?? `with the id ${target.id}`;
  throw new Failure("not_found", `${resource.kind.name} ${label} does not exist.`, {
    remedy: "Check the import id, or create the object with a resource.",
  });
}
