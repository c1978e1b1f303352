// Builds the provider over every resource type. The plugin loads this module after it has printed its port.
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { components, kinds } from "../../resources/index.ts";
import type { ServiceImplementation } from "./lazy-service.ts";
import { requestHandlers } from "./service.ts";
import { createSession, type Session } from "./session.ts";

/** A provider that is ready to serve requests. */
export interface PulumiProvider extends ServiceImplementation {
  readonly session: Session;
}

/** Creates a provider that reports this version of the package. */
export function createProvider(version: string): PulumiProvider {
  const session = createSession({ kinds, components }, version);
  return { session, definition: ResourceProviderService, handlers: requestHandlers(session) };
}
