// Request handlers that load their implementation on demand, so that the plugin can print its port first.
import { type handleUnaryCall, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import { ResourceProviderService } from "@pulumi/pulumi/proto/provider_grpc_pb.js";

/** Returns a handler for every request. Each waits for `load`; a request without an implementation gets UNIMPLEMENTED. */
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
        if (handle === undefined)
          answer({
            code: status.UNIMPLEMENTED,
            details: `This provider does not implement ${name}.`,
          });
        else handle(call, answer);
      },
      (error: unknown) => answer({ code: status.INTERNAL, details: String(error) }),
    );
  };
}
