// The engine's requests about resources: decoded, carried out, encoded; whatever fails becomes a diagnostic and loses nothing.
import { toWire } from "./wire/cty.ts";
import { errorAt } from "./diagnostics.ts";
import { createRenameTracker } from "../bridge/rename-tracker.ts";
import { readTargetForImport } from "../bridge/read-cache.ts";
import { readTargetByIdentity, identityFor, identityVersion } from "./identity.ts";
import { encodePrivateState, decodePrivateState } from "./private-state.ts";
import type {
  ApplyRequest,
  ImportRequest,
  MoveRequest,
  PlanRequest,
  ReadRequest,
  UpgradeIdentityRequest,
  UpgradeRequest,
  ValidateRequest,
} from "./request-types.ts";
import { importState, planResource, refresh, remove, validate, write } from "./resources.ts";
import { stateVersion } from "./schema.ts";
import { withDiagnostics, decodeAttributes, type Session, decodeState } from "./session.ts";

/** Checks the configuration of a resource. */
export function validateResource(session: Session, request: ValidateRequest): Promise<object> {
  const { typeName, config, clientCapabilities } = request;
  return withDiagnostics(`${typeName} cannot be checked`, {}, async () => {
    const resource = await session.resource(typeName);
    const allowed = clientCapabilities?.writeOnlyAttributesAllowed === true;
    return { diagnostics: validate(resource, decodeAttributes(resource, config), allowed) };
  });
}

/** Hands stored state on as it is: read and written again, a large number would not be the same. */
export async function upgradeState(
  _session: Session,
  { typeName, version = 0, rawState }: UpgradeRequest,
): Promise<object> {
  if (version <= stateVersion) return { upgradedState: { json: rawState?.json } };
  const what = `The state of ${typeName} is of a newer version of the provider`;
  return { diagnostics: [errorAt(what, "Use that version of the provider, or a newer one.")] };
}

/** Hands a stored identity on as it is. */
export async function upgradeIdentity(
  _session: Session,
  { typeName, version = 0, rawIdentity }: UpgradeIdentityRequest,
): Promise<object> {
  if (version <= identityVersion) {
    return { upgradedIdentity: { identityData: { json: rawIdentity?.json } } };
  }
  const what = `The identity of ${typeName} is of a newer version of the provider`;
  return { diagnostics: [errorAt(what, "Use that version of the provider, or a newer one.")] };
}

/** Refreshes a resource; one that is gone has no state any more. */
export function readResource(session: Session, request: ReadRequest): Promise<object> {
  const { typeName, currentState, currentIdentity, private: held } = request;
  const unchanged = { newState: currentState, private: held, newIdentity: currentIdentity };
  return withDiagnostics(`${typeName} cannot be read`, unchanged, async () => {
    const resource = await session.resource(typeName);
    const state = decodeState(resource, currentState);
    if (state === undefined || session.configured === undefined) return unchanged;
    const memory = decodePrivateState(held);
    const kept = await refresh(resource, { state, memory }, session.configured);
    const gone = kept.state === null;
    return {
      newState: toWire(resource.type, kept.state),
      private: encodePrivateState(kept.privateState),
      newIdentity: gone ? undefined : identityFor(resource, currentIdentity, kept.state),
    };
  });
}

/** Plans a change of a resource; what is to be deleted needs no plan. */
export function planChange(session: Session, request: PlanRequest): Promise<object> {
  const { typeName, priorState, proposedNewState, config, priorPrivate, priorIdentity } = request;
  return withDiagnostics(`${typeName} cannot be planned`, {}, async () => {
    const resource = await session.resource(typeName);
    if (decodeState(resource, proposedNewState) === undefined) {
      return { plannedState: proposedNewState, plannedPrivate: priorPrivate };
    }
    const prior = decodeState(resource, priorState);
    const planning = {
      config: decodeAttributes(resource, config),
      prior,
      privateState: decodePrivateState(priorPrivate),
      renames: (session.renames ??= createRenameTracker()),
    };
    const planned = planResource(resource, planning, session.configured);
    return {
      plannedState: toWire(resource.type, planned.state),
      requiresReplace: planned.replaces.map((steps) => ({ steps })),
      plannedPrivate: encodePrivateState(planned.privateState),
      plannedIdentity: planned.replaces.length > 0 ? undefined : priorIdentity,
      diagnostics: planned.diagnostics,
    };
  });
}

/** Creates, updates or deletes. */
export function applyChange(session: Session, request: ApplyRequest): Promise<object> {
  const { typeName, priorState, plannedState, config, plannedPrivate, plannedIdentity } = request;
  const unchanged = {
    newState: priorState,
    private: plannedPrivate,
    newIdentity: plannedIdentity,
  };
  return withDiagnostics(`${typeName} was not changed`, unchanged, async () => {
    const resource = await session.resource(typeName);
    const prior = decodeState(resource, priorState);
    const planned = decodeState(resource, plannedState);
    const privateState = decodePrivateState(plannedPrivate);
    if (planned === undefined) {
      if (prior !== undefined)
        await remove(resource, { prior, memory: privateState }, session.requireConfigured());
      return { newState: toWire(resource.type, null) };
    }
    const applying = { config: decodeAttributes(resource, config), prior, planned, privateState };
    const kept = await write(resource, applying, session.requireConfigured());
    return {
      newState: toWire(resource.type, kept.state),
      private: encodePrivateState(kept.privateState),
      diagnostics: kept.diagnostics,
      newIdentity:
        kept.state === null ? undefined : identityFor(resource, plannedIdentity, kept.state),
    };
  });
}

/** Imports an object by its import id, or by its identity. */
export function importResource(session: Session, request: ImportRequest): Promise<object> {
  const { typeName, id = "", identity: sent } = request;
  return withDiagnostics(`${typeName} cannot be imported`, {}, async () => {
    const resource = await session.resource(typeName);
    const configured = session.requireConfigured();
    const members = decodeAttributes(resource.identity, sent?.identityData);
    const ask =
      id === "" && sent !== undefined
        ? await readTargetByIdentity(resource, members, configured.bridge)
        : readTargetForImport(resource.kind, id);
    const fresh = { ask, memory: decodePrivateState(undefined) };
    const { state, privateState: memory } = await importState(resource, fresh, configured);
    const imported = {
      typeName,
      state: toWire(resource.type, state),
      private: encodePrivateState(memory),
      identity: identityFor(resource, sent, state),
    };
    return { importedResources: [imported] };
  });
}

/** Moves state of the same type here from another address of this provider, as of a mirror; other types hold other things. */
export async function moveState(_session: Session, request: MoveRequest): Promise<object> {
  const { sourceTypeName, targetTypeName, sourceSchemaVersion = 0 } = request;
  const isOurs = request.sourceProviderAddress?.endsWith("/svc") === true;
  if (isOurs && sourceTypeName === targetTypeName && sourceSchemaVersion <= stateVersion) {
    const { sourceState, sourcePrivate } = request;
    return { targetState: { json: sourceState?.json }, targetPrivate: sourcePrivate };
  }
  const from = `${sourceTypeName} of ${request.sourceProviderAddress}`;
  const what = `The state of ${from} cannot become a ${targetTypeName}`;
  const remedy = "Import the object under its new type, and remove the old one from the state.";
  return { diagnostics: [errorAt(what, remedy)] };
}
