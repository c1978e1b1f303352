// Builds the provider over every resource type, and its gRPC server. The plugin loads this module after it has printed its port.
import { Server, ServerCredentials, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import { components, kinds } from "../../resources/index.ts";
import type { ServeConnection } from "../bridge/early-listener.ts";
import { requestHandlers } from "./service.ts";
import { createSession, type Session } from "./session.ts";

/** A provider that is ready to serve requests. */
export interface PulumiProvider {
  readonly session: Session;
  /** The handlers of requests by name. */
  readonly handlers: UntypedServiceImplementation;
}

/** Creates a provider that reports this version of the package. */
export function createProvider(version: string): PulumiProvider {
  const session = createSession({ kinds, components }, version);
  return { session, handlers: requestHandlers(session) };
}

/** Returns the server of the connections of the engine. */
export function createProviderServer({ handlers }: PulumiProvider): ServeConnection {
  const server = new Server({
    "grpc.max_receive_message_length": -1,
    "grpc.max_send_message_length": -1,
  });
  server.addService(ResourceProviderService, handlers);
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  return (connection) => injector.injectConnection(connection);
}
