// The engine's requests about ephemeral resources: decoded, carried out, encoded; whatever fails becomes a diagnostic.
import { close, open, validateEphemeral } from "./ephemeral.ts";
import type { CloseRequest, WithTypeName, WithConfig } from "./request-types.ts";
import { withDiagnostics, decodeAttributes, type Session } from "./session.ts";
import { toWire } from "./wire/cty.ts";

/** Checks the configuration of an ephemeral resource. */
export function validateEphemeralResource(
  session: Session,
  { typeName, config }: WithTypeName & WithConfig,
): Promise<object> {
  return withDiagnostics(`${typeName} cannot be checked`, {}, async () => {
    const resource = await session.ephemeral(typeName);
    return { diagnostics: validateEphemeral(resource, decodeAttributes(resource, config)) };
  });
}

/** Makes the object, and answers its secret. It needs no renewal: it lasts until it is closed. */
export function openEphemeral(
  session: Session,
  { typeName, config }: WithTypeName & WithConfig,
): Promise<object> {
  return withDiagnostics(`${typeName} was not opened`, {}, async () => {
    const resource = await session.ephemeral(typeName);
    const { bridge } = session.requireConfigured();
    const { result, handle } = await open(resource, decodeAttributes(resource, config), bridge);
    session.openEphemerals.set(openEphemeralKey(typeName, handle), () =>
      close(resource.kind, handle, bridge),
    );
    return { result: toWire(resource.type, result), private: handle };
  });
}

/** Deletes the object again. */
export function closeEphemeral(
  session: Session,
  { typeName, private: handle }: CloseRequest,
): Promise<object> {
  return withDiagnostics(`${typeName} was not closed, and is still there`, {}, async () => {
    const { kind } = await session.ephemeral(typeName);
    const held = handle ?? Buffer.from("{}");
    session.openEphemerals.delete(openEphemeralKey(typeName, held));
    await close(kind, held, session.requireConfigured().bridge);
    return {};
  });
}

function openEphemeralKey(typeName: string, handle: Uint8Array): string {
  return `${typeName} ${Buffer.from(handle).toString("utf8")}`;
}
