// The engine's resource monitor, which a construction registers its resources with. Loaded only when there is one.
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

/** What a monitor is opened with. */
export interface MonitorOptions {
  /** The package's version, which picks the provider of the resources. */
  readonly version: string;
  /** Waits no longer for the engine. */
  readonly signal: AbortSignal;
}

/** The monitor that a request names; what the program says of the component as a whole goes with every registration. */
export function openMonitor(
  request: ConstructRequest,
  { version, signal }: MonitorOptions,
): ResourceMonitor {
  const client = new ResourceMonitorClient(
    request.getMonitorendpoint(),
    credentials.createInsecure(),
    { "grpc.max_receive_message_length": -1, "grpc.max_send_message_length": -1 },
  );
  const waiting = new Set<ClientUnaryCall>();
  const stop = (): void => {
    for (const call of waiting) call.cancel();
  };
  signal.addEventListener("abort", stop);
  const asking = async <Response>(
    what: string,
    begin: (done: (error: ServiceError | null, response: Response) => void) => ClientUnaryCall,
  ): Promise<Response> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return reject(stoppedFailure());
      const call = begin((error, response) => {
        waiting.delete(call);
        if (error === null) resolve(response);
        else reject(signal.aborted ? stoppedFailure() : registrationFailure(what, error));
      });
      waiting.add(call);
    });
  return {
    register: async (registration) => {
      const what = `${registration.type} ${registration.name}`;
      const sent = registrationRequest(request, registration, version);
      const response = await asking<RegisterResourceResponse>(what, (done) =>
        client.registerResource(sent, done),
      );
      if (response.getResult() !== resources.Result.SUCCESS) {
        throw new Failure("unavailable", `${what} was not made.`);
      }
      return { urn: response.getUrn(), state: decode(response.getObject()) };
    },
    registerOutputs: async (urn, outputs) => {
      const told = new resources.RegisterResourceOutputsRequest()
        .setUrn(urn)
        .setOutputs(encode(outputs));
      await asking(urn, (done) => client.registerResourceOutputs(told, done));
    },
    close: () => {
      signal.removeEventListener("abort", stop);
      client.close();
    },
  };
}

/** What the engine is asked to register: the component itself, or an object below it. */
export function registrationRequest(
  request: ConstructRequest,
  registration: Registration,
  version: string,
): RegisterResourceRequest {
  const { type, name, parent, custom, inputs, dependencies, propertyDependencies } = registration;
  const sent = new resources.RegisterResourceRequest()
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
  if (protect !== undefined) sent.setProtect(protect);
  if (retain !== undefined) sent.setRetainondelete(retain);
  // The engine itself derives the former names of what lies below from those of the component.
  if (custom) sent.setProvider(request.getProvidersMap().get(packageName) ?? "");
  else sent.setAliasesList(request.getAliasesList()).setHooks(hooksOf(request));
  request.getProvidersMap().forEach((reference: string, name_: string) => {
    if (!custom) sent.getProvidersMap().set(name_, reference);
  });
  for (const [property, urns] of Object.entries(propertyDependencies)) {
    const of = new resources.RegisterResourceRequest.PropertyDependencies().setUrnsList([...urns]);
    sent.getPropertydependenciesMap().set(property, of);
  }
  return sent;
}

/** The program's hooks, which the engine knows by name. */
function hooksOf(request: ConstructRequest) {
  const asked = request.getResourceHooks();
  return (
    asked &&
    new resources.RegisterResourceRequest.ResourceHooksBinding()
      .setBeforeCreateList(asked.getBeforeCreateList())
      .setAfterCreateList(asked.getAfterCreateList())
      .setBeforeUpdateList(asked.getBeforeUpdateList())
      .setAfterUpdateList(asked.getAfterUpdateList())
      .setBeforeDeleteList(asked.getBeforeDeleteList())
      .setAfterDeleteList(asked.getAfterDeleteList())
      .setOnErrorList(asked.getOnErrorList())
  );
}

function stoppedFailure(): Failure {
  return new Failure("aborted", "Stopped before the component was whole.");
}

/** What went wrong with one resource the engine tells beside it. */
function registrationFailure(what: string, { code, details }: ServiceError): Failure {
  const said = `${what} was not registered: ${details || (status[code] ?? "the engine is gone")}`;
  return new Failure("unavailable", said);
}
