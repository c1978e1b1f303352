// Client of the engine's resource monitor, which registers the resources of a component. Loaded on the first Construct.
import { type ClientUnaryCall, credentials, type ServiceError, status } from "@grpc/grpc-js";
import type { ConstructRequest } from "@pulumi/pulumi/proto/provider_pb.js";
import { ResourceMonitorClient } from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import resources, {
  type RegisterResourceRequest,
  type RegisterResourceResponse,
} from "@pulumi/pulumi/proto/resource_pb.js";
import { Failure } from "../../core/errors.ts";
import type { ResourceMonitor, Registration } from "./construct.ts";
import { packageName } from "./properties.ts";
import { decode, encode } from "./property-values.ts";

/** Options of a monitor client. */
export interface MonitorOptions {
  /** The package's version; the engine selects the provider of the resources by it. */
  readonly version: string;
  /** Cancels the calls in progress. */
  readonly signal: AbortSignal;
}

/** Opens the monitor of a Construct request. Each registration carries the options of the component. */
export function openMonitor(
  request: ConstructRequest,
  { version, signal }: MonitorOptions,
): ResourceMonitor {
  const client = new ResourceMonitorClient(
    request.getMonitorendpoint(),
    credentials.createInsecure(),
    { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 },
  );
  const pending = new Set<ClientUnaryCall>();
  const stop = (): void => {
    for (const call of pending) call.cancel();
  };
  signal.addEventListener("abort", stop);
  const send = async <Response>(
    what: string,
    start: (done: (error: ServiceError | null, response: Response) => void) => ClientUnaryCall,
  ): Promise<Response> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(stoppedFailure());
      const call = start((error, response) => {
        pending.delete(call);
        if (error === null) resolve(response);
        else reject(signal.aborted ? stoppedFailure() : registrationFailure(what, error));
      });
      pending.add(call);
    });
  return {
    register: async (registration) => {
      const what = `${registration.type} ${registration.name}`;
      const message = registrationRequest(request, registration, version);
      const response = await send<RegisterResourceResponse>(what, (done) =>
        client.registerResource(message, done),
      );
      if (response.getResult() !== resources.Result.SUCCESS) {
        throw new Failure("unavailable", `the engine did not create ${what}`);
      }
      return { urn: response.getUrn(), state: decode(response.getObject()) };
    },
    registerOutputs: async (urn, outputs) => {
      const message = new resources.RegisterResourceOutputsRequest()
        .setUrn(urn)
        .setOutputs(encode(outputs));
      await send(urn, (done) => client.registerResourceOutputs(message, done));
    },
    close: () => {
      signal.removeEventListener("abort", stop);
      client.close();
    },
  };
}

/** Returns the request that registers the component or one of its objects. */
export function registrationRequest(
  request: ConstructRequest,
  registration: Registration,
  version: string,
): RegisterResourceRequest {
  const { type, name, parent, custom, inputs, dependencies, propertyDependencies } = registration;
  const message = new resources.RegisterResourceRequest()
    .setType(type)
    .setName(name)
    .setParent(parent)
    .setCustom(custom)
    .setObject(encode(inputs))
    .setVersion(version)
    .setDependenciesList([...dependencies])
    .setDeletedwith(request.getDeletedwith())
    .setAcceptsecrets(true)
    .setAcceptresources(true)
    .setSupportspartialvalues(true)
    .setSupportsresultreporting(true)
    .setAliasspecs(true);
  const [protect, retain] = [request.getProtect(), request.getRetainondelete()];
  if (protect !== undefined) message.setProtect(protect);
  if (retain !== undefined) message.setRetainondelete(retain);
  // The engine derives the aliases of child resources from the aliases of the component.
  if (custom) message.setProvider(request.getProvidersMap().get(packageName) ?? "");
  else message.setAliasesList(request.getAliasesList()).setHooks(hooksOf(request));
  request.getProvidersMap().forEach((reference: string, name_: string) => {
    if (!custom) message.getProvidersMap().set(name_, reference);
  });
  for (const [property, urns] of Object.entries(propertyDependencies)) {
    const of = new resources.RegisterResourceRequest.PropertyDependencies().setUrnsList([...urns]);
    message.getPropertydependenciesMap().set(property, of);
  }
  return message;
}

/** Returns the program's hooks, by the names under which the engine registered them. */
function hooksOf(request: ConstructRequest) {
  const hooks = request.getResourceHooks();
  return (
    hooks &&
    new resources.RegisterResourceRequest.ResourceHooksBinding()
      .setBeforeCreateList(hooks.getBeforeCreateList())
      .setAfterCreateList(hooks.getAfterCreateList())
      .setBeforeUpdateList(hooks.getBeforeUpdateList())
      .setAfterUpdateList(hooks.getAfterUpdateList())
      .setBeforeDeleteList(hooks.getBeforeDeleteList())
      .setAfterDeleteList(hooks.getAfterDeleteList())
      .setOnErrorList(hooks.getOnErrorList())
  );
}

function stoppedFailure(): Failure {
  return new Failure("aborted", "stopped before the component was complete");
}

/** Returns the failure of one registration. The engine reports the cause at the resource. */
function registrationFailure(what: string, { code, details }: ServiceError): Failure {
  const message = `${what} was not registered: ${details || (status[code] ?? "the engine has exited")}`;
  return new Failure("unavailable", message);
}
