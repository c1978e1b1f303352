// The engine's side of the conversation: a log that its user sees.
import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engine from "@pulumi/pulumi/proto/engine_pb.js";

/** What the engine's user is told. */
export interface EngineLog {
  /** A warning about one resource. */
  warn(message: string, urn: string): void;
  close(): void;
}

/** The log of the engine at this address; a message that cannot be delivered is dropped, for the engine is gone then. */
export function engineLog(address: string): EngineLog {
  const client = new EngineClient(address, credentials.createInsecure());
  return {
    warn: (message, urn) => {
      const request = new engine.LogRequest()
        .setSeverity(engine.LogSeverity.WARNING)
        .setMessage(message)
        .setUrn(urn);
      client.log(request, () => undefined);
    },
    close: () => client.close(),
  };
}
