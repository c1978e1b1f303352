// A service whose implementation is loaded on demand, so that the plugin can print its port first.
import {
  type handleUnaryCall,
  type ServiceDefinition,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";

/** The handlers of requests, and the generated definition that decodes and encodes their messages. */
export interface ServiceImplementation {
  readonly definition: ServiceDefinition;
  readonly handlers: UntypedServiceImplementation;
}

/** The requests of `pulumirpc.ResourceProvider` without streams. Loading its generated code would take longer than the rest. */
const requests = [
  "handshake",
  "parameterize",
  "getSchema",
  "checkConfig",
  "diffConfig",
  "configure",
  "invoke",
  "call",
  "check",
  "diff",
  "create",
  "read",
  "update",
  "delete",
  "construct",
  "cancel",
  "getPluginInfo",
  "attach",
  "getMapping",
  "getMappings",
] as const;

/** Returns a service for every request. Each waits for `load`; a request without an implementation gets UNIMPLEMENTED. */
export function lazyService(load: () => Promise<ServiceImplementation>): ServiceImplementation {
  return {
    definition: Object.fromEntries(requests.map((name) => [name, methodNamed(name)])),
    handlers: Object.fromEntries(requests.map((name) => [name, lazyHandler(name, load)])),
  };
}

/** Leaves the bytes of messages to {@link lazyHandler}. */
function methodNamed(name: string): ServiceDefinition[string] {
  const path = `/pulumirpc.ResourceProvider/${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const bytes = (message: Buffer): Buffer => message;
  return {
    path,
    requestStream: false,
    responseStream: false,
    requestSerialize: bytes,
    requestDeserialize: bytes,
    responseSerialize: bytes,
    responseDeserialize: bytes,
  };
}

function lazyHandler(
  name: string,
  load: () => Promise<ServiceImplementation>,
): handleUnaryCall<unknown, unknown> {
  return (call, answer) => {
    const fail = (error: unknown): void =>
      answer({ code: status.INTERNAL, details: String(error) });
    const start = ({ definition, handlers }: ServiceImplementation): (() => void) => {
      const method = definition[name];
      const handle = handlers[name] as handleUnaryCall<unknown, unknown> | undefined;
      if (method === undefined || handle === undefined) {
        const details = `This provider does not implement ${name}.`;
        return () => answer({ code: status.UNIMPLEMENTED, details });
      }
      call.request = method.requestDeserialize(call.request as Buffer);
      return () => handle(call, encoded(answer, method));
    };
    load()
      .then(start)
      .then((run) => run(), fail);
  };
}

type Answer = Parameters<handleUnaryCall<unknown, unknown>>[1];

function encoded(answer: Answer, method: ServiceDefinition[string]): Answer {
  return (error, message, ...more) => {
    if (message === undefined || message === null) return answer(error, message, ...more);
    let bytes: Buffer;
    try {
      bytes = method.responseSerialize(message);
    } catch (cause) {
      return answer({ code: status.INTERNAL, details: String(cause) });
    }
    answer(error, bytes, ...more);
  };
}
