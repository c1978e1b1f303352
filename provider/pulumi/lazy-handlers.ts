// Handlers that are there before what they need is loaded: the engine is told the port first, and connects meanwhile.
import { type handleUnaryCall, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";

/** Handlers of every request, which wait for those that `load` comes to; one of these may be missing. */
export function lazyHandlers(
  load: () => Promise<UntypedServiceImplementation>,
): UntypedServiceImplementation {
  const unary = Object.entries(ResourceProviderService).filter(
    ([, { requestStream, responseStream }]) => !requestStream && !responseStream,
  );
  return Object.fromEntries(unary.map(([name]) => [name, lazyHandler(name, load)]));
}

function lazyHandler(
  name: string,
  load: () => Promise<UntypedServiceImplementation>,
): handleUnaryCall<unknown, unknown> {
  return (call, answer) => {
    load().then(
      (handlers) => {
        const handle = handlers[name] as handleUnaryCall<unknown, unknown> | undefined;
        if (handle === undefined) answer({ code: status.UNIMPLEMENTED, details: "not offered" });
        else handle(call, answer);
      },
      (error: unknown) => answer({ code: status.INTERNAL, details: String(error) }),
    );
  };
}
