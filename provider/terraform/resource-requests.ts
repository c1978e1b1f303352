// Handles the protocol requests for resources. Failures become diagnostics, and the state stays complete.
import { toWire } from "./wire/cty.ts";
import type { AttributeValues } from "./attribute-values.ts";
import { type Diagnostic, errorAt, warningAt } from "./diagnostics.ts";
import { address, keyOf } from "../../core/kind/identity.ts";
import { missingReferences } from "../bridge/missing-references.ts";
import { createRenameTracker } from "../bridge/rename-tracker.ts";
import { readTargetForImport } from "../bridge/read-target.ts";
import { readTargetByIdentity, identityFor, identityVersion } from "./identity.ts";
import { importState } from "./observed-state.ts";
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
import { contentsWarnings, planResource, refresh, remove, validate, write } from "./resources.ts";
import { stateVersion } from "./schema.ts";
import {
  withDiagnostics,
  decodeAttributes,
  type Session,
  decodeState,
  type TypedResource,
} from "./session.ts";
import { fullyKnownFields } from "../bridge/unknown-values.ts";
import { desiredInputs, specFromState } from "./plan.ts";

/** Validates the configuration of a resource. */
export function validateResource(session: Session, request: ValidateRequest): Promise<object> {
  const { typeName, config, clientCapabilities } = request;
  return withDiagnostics(`Cannot validate ${typeName}`, {}, async () => {
    const resource = await session.resource(typeName);
    const writeOnlyAllowed = clientCapabilities?.writeOnlyAttributesAllowed === true;
    return {
      diagnostics: validate(resource, decodeAttributes(resource, config), writeOnlyAllowed),
    };
  });
}

/** Returns stored state unchanged. Decoding and encoding would change large numbers. */
export async function upgradeState(
  _session: Session,
  { typeName, version = 0, rawState }: UpgradeRequest,
): Promise<object> {
  if (version <= stateVersion) return { upgradedState: { json: rawState?.json } };
  const summary = `A newer version of the provider wrote the state of ${typeName}`;
  return { diagnostics: [errorAt(summary, "Use that version of the provider or a newer one.")] };
}

/** Returns a stored identity unchanged. */
export async function upgradeIdentity(
  _session: Session,
  { typeName, version = 0, rawIdentity }: UpgradeIdentityRequest,
): Promise<object> {
  if (version <= identityVersion) {
    return { upgradedIdentity: { identityData: { json: rawIdentity?.json } } };
  }
  const summary = `A newer version of the provider wrote the identity of ${typeName}`;
  return { diagnostics: [errorAt(summary, "Use that version of the provider or a newer one.")] };
}

/** Refreshes a resource. Returns no state if the object no longer exists. */
export function readResource(session: Session, request: ReadRequest): Promise<object> {
  const { typeName, currentState, currentIdentity, private: privateBytes } = request;
  const unchanged = { newState: currentState, private: privateBytes, newIdentity: currentIdentity };
  return withDiagnostics(`Cannot read ${typeName}`, unchanged, async () => {
    const resource = await session.resource(typeName);
    const state = decodeState(resource, currentState);
    if (state === undefined || session.configured === undefined) return unchanged;
    const privateState = decodePrivateState(privateBytes);
    const result = await refresh(resource, { state, privateState }, session.configured);
    const isGone = result.state === null;
    return {
      newState: toWire(resource.type, result.state),
      private: encodePrivateState(result.privateState),
      newIdentity: isGone ? undefined : identityFor(resource, currentIdentity, result.state),
    };
  });
}

/** Plans a change of a resource. */
export function planChange(session: Session, request: PlanRequest): Promise<object> {
  const { typeName, priorState, proposedNewState, config, priorPrivate, priorIdentity } = request;
  return withDiagnostics(`Cannot plan ${typeName}`, {}, async () => {
    const resource = await session.resource(typeName);
    const prior = decodeState(resource, priorState);
    const unchanged = { plannedState: proposedNewState, plannedPrivate: priorPrivate };
    if (decodeState(resource, proposedNewState) === undefined)
      return { ...unchanged, diagnostics: await planDelete(resource, prior, session) };
    const inputs = {
      config: decodeAttributes(resource, config),
      prior,
      privateState: decodePrivateState(priorPrivate),
      renames: (session.renames ??= createRenameTracker()),
      planned: session.planned,
    };
    const planned = planResource(resource, inputs, session.configured);
    const conflicts = conflictErrors(resource, inputs.config, session);
    const warnings = [
      ...(await referenceWarnings(resource, inputs, session)),
      ...(planned.replaces.length > 0 ? await warnOfContents(resource, prior, session) : []),
    ];
    return {
      plannedState: toWire(resource.type, planned.state),
      requiresReplace: planned.replaces.map((steps) => ({ steps })),
      plannedPrivate: encodePrivateState(planned.privateState),
      plannedIdentity: planned.replaces.length > 0 ? undefined : priorIdentity,
      diagnostics: [...planned.diagnostics, ...conflicts, ...warnings],
    };
  });
}

async function planDelete(
  resource: TypedResource,
  prior: AttributeValues | undefined,
  session: Session,
): Promise<readonly Diagnostic[]> {
  if (prior === undefined) return [];
  const { kind, attributes } = resource;
  session.planned.addRemoved(
    address(kind.name, keyOf(kind, specFromState(kind, attributes, prior))),
  );
  return warnOfContents(resource, prior, session);
}

async function warnOfContents(
  resource: TypedResource,
  prior: AttributeValues | undefined,
  { configured, planned }: Session,
): Promise<readonly Diagnostic[]> {
  if (prior === undefined || configured === undefined) return [];
  const spec = specFromState(resource.kind, resource.attributes, prior);
  return contentsWarnings(resource, spec, { bridge: configured.bridge, planned });
}

/** Refuses a field that another resource of the run also declares: each apply would revert the other's value. */
function conflictErrors(
  resource: TypedResource,
  config: AttributeValues,
  { declared }: Session,
): readonly Diagnostic[] {
  const { kind, attributes, sharedFields } = resource;
  const spec = fullyKnownFields(desiredInputs({ kind, attributes, config }));
  return declared
    .add({ kind, spec, sharedFields })
    .map(({ field, message }) =>
      errorAt(
        "Two resources declare one field",
        message,
        attributes.find((one) => one.part === "spec" && one.field === field)?.name,
      ),
    );
}

/** Warns about references that the server cannot resolve. Values that are not known yet are not checked. */
async function referenceWarnings(
  resource: TypedResource,
  inputs: { readonly config: AttributeValues; readonly prior: AttributeValues | undefined },
  { configured, planned, hasWritten }: Session,
): Promise<readonly Diagnostic[]> {
  const { kind, attributes, kinds } = resource;
  const spec = fullyKnownFields(desiredInputs({ ...resource, config: inputs.config }));
  planned.add(kind, spec);
  if (configured === undefined || hasWritten) return [];
  const before = inputs.prior && specFromState(kind, attributes, inputs.prior);
  const { bridge } = configured;
  const missing = await missingReferences(kind, spec, {
    before,
    bridge,
    kindNamed: (name) => kinds.get(name),
    planned,
  });
  return missing.map(({ field, message }) =>
    warningAt(
      "A referenced object does not exist",
      `${message} If this configuration declares it, use its reference attribute or depends_on.`,
      attributes.find((one) => one.part === "spec" && one.field === field)?.name,
    ),
  );
}

/** Creates, updates or deletes a resource. */
export function applyChange(session: Session, request: ApplyRequest): Promise<object> {
  const { typeName, priorState, plannedState, config, plannedPrivate, plannedIdentity } = request;
  const unchanged = {
    newState: priorState,
    private: plannedPrivate,
    newIdentity: plannedIdentity,
  };
  return withDiagnostics(`Cannot apply the change to ${typeName}`, unchanged, async () => {
    const resource = await session.resource(typeName);
    session.hasWritten = true;
    const prior = decodeState(resource, priorState);
    const planned = decodeState(resource, plannedState);
    const privateState = decodePrivateState(plannedPrivate);
    if (planned === undefined) {
      if (prior !== undefined)
        await remove(resource, { prior, privateState }, session.requireConfigured());
      return { newState: toWire(resource.type, null) };
    }
    const inputs = { config: decodeAttributes(resource, config), prior, planned, privateState };
    const result = await write(resource, inputs, session.requireConfigured());
    return {
      newState: toWire(resource.type, result.state),
      private: encodePrivateState(result.privateState),
      diagnostics: result.diagnostics,
      newIdentity:
        result.state === null ? undefined : identityFor(resource, plannedIdentity, result.state),
    };
  });
}

/** Imports an object by its import id or its identity. */
export function importResource(session: Session, request: ImportRequest): Promise<object> {
  const { typeName, id = "", identity: requestIdentity } = request;
  return withDiagnostics(`Cannot import ${typeName}`, {}, async () => {
    const resource = await session.resource(typeName);
    const configured = session.requireConfigured();
    const members = decodeAttributes(resource.identity, requestIdentity?.identityData);
    const target =
      id === "" && requestIdentity !== undefined
        ? await readTargetByIdentity(resource, members, configured.bridge)
        : readTargetForImport(resource.kind, id);
    const importing = { target, privateState: decodePrivateState(undefined) };
    const { state, privateState } = await importState(resource, importing, configured);
    const imported = {
      typeName,
      state: toWire(resource.type, state),
      private: encodePrivateState(privateState),
      identity: identityFor(resource, requestIdentity, state),
    };
    return { importedResources: [imported] };
  });
}

/** Moves state of the same resource type from another address of this provider, such as a mirror. */
export async function moveState(_session: Session, request: MoveRequest): Promise<object> {
  const { sourceTypeName, targetTypeName, sourceSchemaVersion = 0 } = request;
  const isSameProvider = request.sourceProviderAddress?.endsWith("/svc") === true;
  if (isSameProvider && sourceTypeName === targetTypeName && sourceSchemaVersion <= stateVersion) {
    const { sourceState, sourcePrivate } = request;
    return { targetState: { json: sourceState?.json }, targetPrivate: sourcePrivate };
  }
  const from = `${sourceTypeName} of ${request.sourceProviderAddress}`;
  const summary = `Cannot move the state of ${from} to ${targetTypeName}`;
  const remedy =
    "Import the object as the new resource type and remove the old one from the state.";
  return { diagnostics: [errorAt(summary, remedy)] };
}
