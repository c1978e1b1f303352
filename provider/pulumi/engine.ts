// Client of the engine's log, which Pulumi prints to the user.
import { credentials } from "@grpc/grpc-js";
import { EngineClient } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engine from "@pulumi/pulumi/proto/engine_pb.js";

/** Writes to the engine's log. */
export interface EngineLog {
  /** Logs a warning about one resource. */
  warn(message: string, urn: string): void;
  close(): void;
}

/** Opens the log of the engine at this address. A message is dropped if the engine has already exited. */
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
