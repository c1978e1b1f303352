// Handles the protocol requests for list resources, which `terraform query` reads to find objects to import.
import { nameText } from "../../core/kind/identity.ts";
import { fullyKnownFields } from "../bridge/unknown-values.ts";
import { toInputs } from "./attribute-values.ts";
import { listObjects, validateArguments } from "./data-source.ts";
import { fromError } from "./diagnostics.ts";
import { identityFor } from "./identity.ts";
import type { ListRequest, WithConfig, WithTypeName } from "./request-types.ts";
import { decodeAttributes, type Session, withDiagnostics } from "./session.ts";
import { importedState } from "./state.ts";
import { toWire } from "./wire/cty.ts";

/** Validates the configuration of a list resource. */
export function validateList(
  session: Session,
  { typeName, config }: WithTypeName & WithConfig,
): Promise<object> {
  return withDiagnostics(`Cannot validate the list of ${typeName}`, {}, async () => {
    const collection = await session.list(typeName);
    return { diagnostics: validateArguments(collection, decodeAttributes(collection, config)) };
  });
}

/** Lists the objects of a collection, one event for each. An error is an event with a diagnostic. */
export async function* list(session: Session, request: ListRequest): AsyncGenerator<object> {
  const { typeName, config, includeResourceObject = false, limit = 0 } = request;
  try {
    const collection = await session.list(typeName);
    const { kind, attributes } = collection;
    const resource = await session.resource(typeName);
    const { bridge } = session.requireConfigured();
    const inputs = fullyKnownFields(
      toInputs(attributes, decodeAttributes(collection, config)).inputs,
    );
    const objects = await listObjects(collection, inputs, bridge);
    const returned = limit > 0 ? objects.slice(0, limit) : objects;
    for (const observed of returned) {
      const state = importedState({ ...resource, observed });
      yield {
        identity: identityFor(resource, undefined, state),
        displayName: nameText(kind, observed.spec),
        ...(includeResourceObject && { resourceObject: toWire(resource.type, state) }),
        diagnostic: [],
      };
    }
  } catch (error) {
    yield { diagnostic: [fromError(`Cannot list ${typeName}`, error)] };
  }
}
