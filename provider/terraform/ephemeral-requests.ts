// The engine's requests about ephemeral resources: decoded, carried out, encoded; whatever fails becomes a diagnostic.
import { close, open, validateEphemeral } from "./ephemeral.ts";
import type { CloseRequest, OfType, WithConfig } from "./requests.ts";
import { guarded, membersIn, type Session } from "./session.ts";
import { toWire } from "./wire/cty.ts";

/** Checks the configuration of an ephemeral resource. */
export function validateEphemeralResource(
  session: Session,
  { typeName, config }: OfType & WithConfig,
): Promise<object> {
  return guarded(`${typeName} cannot be checked`, {}, async () => {
    const resource = await session.ephemeral(typeName);
    return { diagnostics: validateEphemeral(resource, membersIn(resource, config)) };
  });
}

/** Makes the object, and answers its secret. It needs no renewal: it lasts until it is closed. */
export function openEphemeral(
  session: Session,
  { typeName, config }: OfType & WithConfig,
): Promise<object> {
  return guarded(`${typeName} was not opened`, {}, async () => {
    const resource = await session.ephemeral(typeName);
    const { bridge } = session.connected();
    const { result, handle } = await open(resource, membersIn(resource, config), bridge);
    session.open.set(nameOf(typeName, handle), () => close(resource.kind, handle, bridge));
    return { result: toWire(resource.type, result), private: handle };
  });
}

/** Deletes the object again. */
export function closeEphemeral(
  session: Session,
  { typeName, private: handle }: CloseRequest,
): Promise<object> {
  return guarded(`${typeName} was not closed, and is still there`, {}, async () => {
    const { kind } = await session.ephemeral(typeName);
    const held = handle ?? Buffer.from("{}");
    session.open.delete(nameOf(typeName, held));
    await close(kind, held, session.connected().bridge);
    return {};
  });
}

function nameOf(typeName: string, handle: Uint8Array): string {
  return `${typeName} ${Buffer.from(handle).toString("utf8")}`;
}
