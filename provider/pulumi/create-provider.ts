// The provider of everything that can be wished for: what a plug-in loads once its engine knows where it is.
import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { components, kinds } from "../../resources/index.ts";
import { requestHandlers } from "./service.ts";
import { createSession, type Session } from "./session.ts";

/** A provider that answers. */
export interface PulumiProvider {
  readonly session: Session;
  readonly handlers: UntypedServiceImplementation;
}

/** A provider of this version of the package. */
export function createProvider(version: string): PulumiProvider {
  const session = createSession({ kinds, components }, version);
  return { session, handlers: requestHandlers(session) };
}
