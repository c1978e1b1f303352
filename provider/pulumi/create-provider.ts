// Builds the provider over every resource type. The plugin loads this module after it has printed its port.
import type { UntypedServiceImplementation } from "@grpc/grpc-js";
import { components, kinds } from "../../resources/index.ts";
import { requestHandlers } from "./service.ts";
import { createSession, type Session } from "./session.ts";

/** A provider that is ready to serve requests. */
export interface PulumiProvider {
  readonly session: Session;
  readonly handlers: UntypedServiceImplementation;
}

/** Creates a provider that reports this version of the package. */
export function createProvider(version: string): PulumiProvider {
  const session = createSession({ kinds, components }, version);
  return { session, handlers: requestHandlers(session) };
}
