// The stand-in engine during one operation: the resource monitor that takes registrations, and the log.
import { randomUUID } from "node:crypto";
import {
  Server,
  ServerCredentials,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import { EngineService } from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import engines, { type LogRequest } from "@pulumi/pulumi/proto/engine_pb.js";
import type { ConstructResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import { ResourceMonitorService } from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import resources, {
  type ReadResourceRequest,
  type RegisterResourceOutputsRequest,
  type RegisterResourceRequest,
  type ResourceInvokeRequest,
} from "@pulumi/pulumi/proto/resource_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import {
  decode,
  encode,
  hasUnknown,
  type PropertyMap,
} from "../../../provider/pulumi/property-values.ts";
import { Providers } from "./providers.ts";
import { type Registration, emptyResource, type Resource, type Snapshot } from "./snapshot.ts";
import { StepExecutor } from "./step-executor.ts";
import { isProvider, kindOf, urnFor, UrnRegistry } from "./urns.ts";

/** One operation on a stack. */
export class StackOperation {
  readonly stepper: StepExecutor;
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  outputs: PropertyMap = {};
  address = "";
  readonly failed: Promise<void>;
  readonly #snapshot: Snapshot;
  readonly #providers: Providers;
  readonly #preview: boolean;
  readonly #registeredUrns = new Set<string>();
  readonly #urns = new UrnRegistry();
  readonly #inFlight = new Set<Promise<unknown>>();
  readonly #server = new Server({ "grpc.max_receive_message_length": -1 });
  #root = "";
  #signalFailure: () => void = () => undefined;

  constructor(snapshot: Snapshot, config: PropertyMap, preview: boolean) {
    this.#snapshot = snapshot;
    this.#preview = preview;
    const inputsOf = (reference: string): PropertyMap =>
      reference === "" ? config : (snapshot.resources.get(reference)?.inputs ?? {});
    this.#providers = new Providers(inputsOf, () => this.address);
    this.stepper = new StepExecutor({
      snapshot,
      preview,
      warn: (message) => void this.warnings.push(message),
      driverFor: (reference) => this.#providers.driverFor(reference),
      cancel: () => this.#providers.cancel(),
    });
    this.failed = new Promise((resolve) => {
      this.#signalFailure = resolve;
    });
  }

  async start(): Promise<void> {
    this.#server.addService(ResourceMonitorService, this.#monitor());
    this.#server.addService(EngineService, this.#engine());
    const port = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      );
    });
    this.address = `127.0.0.1:${port}`;
  }

  async stop(): Promise<void> {
    await this.#providers.close();
    this.#server.forceShutdown();
  }

  /** Resolves when no request is in progress. */
  async idle(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight);
  }

  fail(error: unknown): void {
    this.errors.push(error instanceof Error ? error.message : String(error));
    this.#signalFailure();
  }

  /** Warns about creates that a killed engine left pending. */
  warnPendingOperations(): void {
    const { pendingCreates: pending } = this.#snapshot;
    if (pending.size === 0) return;
    const names = [...pending].map((urn) => `${urn}, interrupted while creating`);
    const summary = `Attempting to deploy with ${names.length} pending operations from previous deployment`;
    this.warnings.push(`${summary}: ${names.join("; ")}`);
  }

  #monitor(): UntypedServiceImplementation {
    const on = <Request, Response>(handle: (request: Request) => Promise<Response> | Response) =>
      this.#handler(handle);
    const none = on(() => new empty.Empty());
    const supported = [
      "secrets",
      "resourceReferences",
      "outputValues",
      "aliasSpecs",
      "deletedWith",
    ];
    return {
      supportsFeature: on((request: InstanceType<typeof resources.SupportsFeatureRequest>) =>
        new resources.SupportsFeatureResponse().setHassupport(supported.includes(request.getId())),
      ),
      registerResource: on((request: RegisterResourceRequest) => this.#register(request)),
      registerResourceOutputs: on((request: RegisterResourceOutputsRequest) => {
        const outputs = decode(request.getOutputs());
        if (request.getUrn() === this.#root) this.outputs = outputs;
        const component = this.#snapshot.resources.get(request.getUrn());
        if (component !== undefined) {
          this.#snapshot.resources.set(component.urn, { ...component, state: outputs });
        }
        return new empty.Empty();
      }),
      readResource: on((request: ReadResourceRequest) => this.#readResource(request)),
      invoke: on((request: ResourceInvokeRequest) => this.#invoke(request)),
      signalAndWaitForShutdown: on(async () => {
        await this.stepper.finish(this.#registeredUrns);
        return new empty.Empty();
      }),
      registerStackTransform: none,
      registerStackInvokeTransform: none,
      registerResourceHook: none,
      registerErrorHook: none,
      ...unimplemented(["getDeploymentInfo", "call", "registerPackage", "existsResource"]),
    };
  }

  #engine(): UntypedServiceImplementation {
    const on = <Request, Response>(handle: (request: Request) => Promise<Response> | Response) =>
      this.#handler(handle);
    return {
      log: on((request: LogRequest) => {
        if (request.getSeverity() >= engines.LogSeverity.ERROR) this.fail(request.getMessage());
        else if (request.getSeverity() === engines.LogSeverity.WARNING) {
          this.warnings.push(request.getMessage());
        }
        return new empty.Empty();
      }),
      getRootResource: on(() => new engines.GetRootResourceResponse().setUrn(this.#root)),
      setRootResource: on((request: InstanceType<typeof engines.SetRootResourceRequest>) => {
        this.#root = request.getUrn();
        return new engines.SetRootResourceResponse();
      }),
      startDebugging: on(() => new empty.Empty()),
      ...unimplemented(["requirePulumiVersion"]),
    };
  }

  /** Records a failed step; later requests are refused, as by an engine that shuts down. */
  #handler<Request, Response>(handle: (request: Request) => Promise<Response> | Response) {
    return (
      { request }: { readonly request: Request },
      answer: (error: object | null, response?: Response) => void,
    ): void => {
      const work = Promise.resolve()
        .then(() => {
          if (this.errors.length > 0) throw new Error("the engine is stopping");
          return handle(request);
        })
        .then(
          (response) => answer(null, response),
          (error: unknown) => {
            if (this.errors.length === 0) this.fail(error);
            answer({ code: status.UNAVAILABLE, details: "the monitor has shut down" });
          },
        )
        .finally(() => this.#inFlight.delete(work));
      this.#inFlight.add(work);
    };
  }

  /** Makes the provider construct a component, which registers its objects with this monitor. */
  async #construct(request: RegisterResourceRequest) {
    const reference = request.getProvider() || (request.getProvidersMap().get("svc") ?? "");
    const driver = await this.#providers.driverFor(providerReference(reference));
    const constructed = await driver.construct(request, {
      monitor: this.address,
      preview: this.#preview,
    });
    const response = new resources.RegisterResourceResponse()
      .setUrn(constructed.getUrn())
      .setObject(constructed.getState());
    constructed
      .getStatedependenciesMap()
      .forEach((one: ConstructResponse.PropertyDependencies, property: string) => {
        const of = new resources.RegisterResourceResponse.PropertyDependencies();
        response.getPropertydependenciesMap().set(property, of.setUrnsList(one.getUrnsList()));
      });
    return response;
  }

  async #register(request: RegisterResourceRequest) {
    if (request.getRemote()) return this.#construct(request);
    const { urn, former } = this.#urns.register(request);
    if (this.#registeredUrns.has(urn)) throw new Error(`Duplicate resource URN '${urn}'`);
    this.#registeredUrns.add(urn);
    const [type, name] = [request.getType(), request.getName()];
    const news = decode(request.getObject());
    const response = new resources.RegisterResourceResponse().setUrn(urn);
    if (!request.getCustom() || isProvider(type)) {
      const id = request.getCustom() ? randomUUID() : "";
      this.#snapshot.resources.set(urn, {
        ...emptyResource({ urn, type, name }),
        custom: request.getCustom(),
        id,
        inputs: news,
        state: news,
      });
      return response.setId(id).setObject(encode(news));
    }
    const renamed = former
      .map((one) => this.#snapshot.resources.get(one))
      .find((one) => one !== undefined);
    if (renamed !== undefined && !this.#snapshot.resources.has(urn)) {
      this.#snapshot.resources.delete(renamed.urn);
      this.#snapshot.resources.set(urn, { ...renamed, urn, name });
    }
    const old = this.#snapshot.resources.get(urn);
    const registration: Registration = { ...registrationOf(request), urn, old, news };
    const applied = await this.stepper.apply(registration);
    // The order of the snapshot is that of the program: deletes go backwards through it.
    this.#snapshot.resources.delete(urn);
    this.#snapshot.resources.set(urn, { ...recordOf(registration), ...applied });
    if (applied.failure !== undefined) throw applied.failure;
    return response.setId(applied.id).setObject(encode(applied.state));
  }

  async #readResource(request: ReadResourceRequest) {
    const named = { type: request.getType(), name: request.getName() };
    const driver = await this.#providers.driverFor(providerReference(request.getProvider()));
    const found = await driver.read(kindOf(named), { id: request.getId() });
    if (found === undefined) throw new Error(`there is no ${named.type} '${request.getId()}'`);
    this.stepper.recordRead(kindOf(named));
    return new resources.ReadResourceResponse()
      .setUrn(urnFor(named))
      .setProperties(encode(found.state));
  }

  async #invoke(request: ResourceInvokeRequest) {
    const driver = await this.#providers.driverFor(providerReference(request.getProvider()));
    // Leaves out unknown arguments, because SDKs do not call a function with unknown arguments.
    const known = Object.entries(decode(request.getArgs())).filter(([, one]) => !hasUnknown(one));
    const { result, failures } = await driver.invoke(request.getTok(), Object.fromEntries(known));
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
    return new resources.ResourceInvokeResponse().setReturn(encode(result));
  }
}

/** Decodes a registration, without its URN and the old resource. */
function registrationOf(
  request: RegisterResourceRequest,
): Omit<Registration, "urn" | "old" | "news"> {
  const timeouts = request.getCustomtimeouts();
  const {
    id: _i,
    inputs: _n,
    state: _s,
    incomplete: _c,
    ...unset
  } = emptyResource({
    urn: "",
    type: request.getType(),
    name: request.getName(),
  });
  return {
    ...unset,
    provider: providerReference(request.getProvider()),
    importId: request.getImportid(),
    replaceOnChanges: request.getReplaceonchangesList(),
    protect: request.getProtect() ?? false,
    timeouts: {
      create: secondsOf(timeouts?.getCreate()),
      update: secondsOf(timeouts?.getUpdate()),
      delete: secondsOf(timeouts?.getDelete()),
    },
    dependencies: request.getDependenciesList(),
    propertyDependencies: dependenciesOf(request),
  };
}

/** Returns the part of a registration that is recorded after it is applied. */
function recordOf(
  registration: Registration,
): Omit<Resource, "id" | "inputs" | "state" | "incomplete"> {
  const { old: _o, news: _n, importId: _i, replaceOnChanges: _r, ...kept } = registration;
  return kept;
}

/** Parses `5m`, `90s` or `1h`. */
function secondsOf(duration: string | undefined): number {
  const [, number = "0", unit = "s"] = /^([\d.]+)([hms])$/.exec(duration ?? "") ?? [];
  return Number(number) * ({ h: 3600, m: 60, s: 1 }[unit] ?? 1);
}

function dependenciesOf(request: RegisterResourceRequest): Resource["propertyDependencies"] {
  const found: [string, readonly string[]][] = [];
  request
    .getPropertydependenciesMap()
    .forEach((one: RegisterResourceRequest.PropertyDependencies, property: string) => {
      found.push([property, one.getUrnsList()]);
    });
  return Object.fromEntries(found);
}

/** Returns the URN of a provider reference `URN::ID`; empty for the default provider. */
function providerReference(reference: string): string {
  return reference === "" ? "" : reference.slice(0, reference.lastIndexOf("::"));
}

function unimplemented(names: readonly string[]): UntypedServiceImplementation {
  const refuse = (_: unknown, answer: (error: object) => void): void =>
    answer({ code: status.UNIMPLEMENTED, details: "not in a stand-in" });
  return Object.fromEntries(names.map((name) => [name, refuse]));
}
