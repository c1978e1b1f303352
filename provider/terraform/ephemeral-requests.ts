// Handles the protocol requests for ephemeral resources. Failures become diagnostics.
import { close, open, validateEphemeral } from "./ephemeral.ts";
import type { CloseRequest, WithTypeName, WithConfig } from "./request-types.ts";
import { withDiagnostics, decodeAttributes, type Session } from "./session.ts";
import { toWire } from "./wire/cty.ts";

/** Validates the configuration of an ephemeral resource. */
export function validateEphemeralResource(
  session: Session,
  { typeName, config }: WithTypeName & WithConfig,
): Promise<object> {
  return withDiagnostics(`Cannot validate ${typeName}`, {}, async () => {
    const resource = await session.ephemeral(typeName);
    return { diagnostics: validateEphemeral(resource, decodeAttributes(resource, config)) };
  });
}

/** Creates the object and returns its secret. The object lasts until it is closed, so it needs no renewal. */
export function openEphemeral(
  session: Session,
  { typeName, config }: WithTypeName & WithConfig,
): Promise<object> {
  return withDiagnostics(`Cannot open ${typeName}`, {}, async () => {
    const resource = await session.ephemeral(typeName);
    const { bridge } = session.requireConfigured();
    const { result, handle } = await open(resource, decodeAttributes(resource, config), bridge);
    session.openEphemerals.set(openEphemeralKey(typeName, handle), () =>
      close(resource.kind, handle, bridge),
    );
    return { result: toWire(resource.type, result), private: handle };
  });
}

/** Deletes the object. */
export function closeEphemeral(
  session: Session,
  { typeName, private: handle }: CloseRequest,
): Promise<object> {
  return withDiagnostics(`Cannot close ${typeName}: the object still exists`, {}, async () => {
    const { kind } = await session.ephemeral(typeName);
    const privateBytes = handle ?? Buffer.from("{}");
    session.openEphemerals.delete(openEphemeralKey(typeName, privateBytes));
    await close(kind, privateBytes, session.requireConfigured().bridge);
    return {};
  });
}

function openEphemeralKey(typeName: string, handle: Uint8Array): string {
  return `${typeName} ${Buffer.from(handle).toString("utf8")}`;
}
