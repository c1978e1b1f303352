// Stands in for Pulumi's engine where that cannot be had: takes a real program's registrations and drives the real provider
// over its socket by the rules of the real engine. It keeps state in memory, and writes none that is sealed.
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  Server,
  ServerCredentials,
  status,
  type UntypedServiceImplementation,
} from "@grpc/grpc-js";
import * as pulumi from "@pulumi/pulumi";
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
import settings from "@pulumi/pulumi/runtime/settings.js";
import internals from "@pulumi/pulumi/runtime/state.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import {
  decode,
  encode,
  type PropertyMap,
  type PropertyValue,
  Sealed,
} from "../../../provider/pulumi/values.ts";
import { type Asked, bare, type Resource, type Step, Stepper } from "./stepper.ts";
import { isProvider, kindOf, urnFor, Urns } from "./urns.ts";

/** Internal to the SDK, and what its automation API runs programs in. */
const storage = internals as {
  withLocalStorage(work: () => Promise<void>): Promise<void>;
};

/** How a run of a program ended. */
export interface Ran {
  /** Everything but what stayed the same. */
  readonly steps: readonly Step[];
  readonly outputs: PropertyMap;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** How a stack is made. */
export interface StackOptions {
  /** The provider's configuration; a sealed value is a secret of the stack. */
  readonly config: PropertyMap;
}

/** A stack of the stand-in engine. */
export class TestEngine {
  readonly #config: PropertyMap;
  readonly resources = new Map<string, Resource>();

  constructor({ config }: StackOptions) {
    this.#config = config;
  }

  /** What the real engine would write to its state file, with secrets as it would hide them. */
  get stateText(): string {
    return JSON.stringify([...this.resources.values()]);
  }

  preview(program: pulumi.automation.PulumiFn): Promise<Ran> {
    return this.#run(program, { preview: true });
  }

  /** Applies the program; with `cancelAfter`, it is stopped after so many steps, as by Ctrl-C. */
  up(program: pulumi.automation.PulumiFn, options: { cancelAfter?: number } = {}): Promise<Ran> {
    return this.#run(program, { preview: false, ...options });
  }

  /** Reads every resource again. */
  async refresh(): Promise<Ran> {
    return this.#session(false, async (run) => {
      const all = [...this.resources.values()].filter(
        ({ custom, type }) => custom && !isProvider(type),
      );
      await Promise.all(all.map((one) => run.stepper.refresh(one)));
    });
  }

  /** Takes over what exists, known by type, name and id, as `pulumi import` does. */
  async import(those: Iterable<Pick<Resource, "urn" | "type" | "name" | "id">>): Promise<Ran> {
    for (const { urn, type, name, id } of those) {
      this.resources.set(urn, { ...bare({ urn, type, name }), id });
    }
    return this.refresh();
  }

  async destroy(): Promise<Ran> {
    return this.#session(false, (run) => run.stepper.deleteAll([...this.resources.keys()]));
  }

  async #run(
    program: pulumi.automation.PulumiFn,
    options: { readonly preview: boolean; readonly cancelAfter?: number },
  ): Promise<Ran> {
    // What the SDK keeps of a program is its own for each run, as in Pulumi's automation API.
    const inOwnStore = (work: () => Promise<void>): Promise<void> => storage.withLocalStorage(work);
    return this.#session(options.preview, async (run) =>
      inOwnStore(async () => {
        run.stepper.cancelAfter = options.cancelAfter;
        const { address } = run;
        settings.resetOptions("test", "dev", 16, address, address, options.preview, "");
        const plain = Object.entries(this.#config).map(([name, value]): [string, string] => [
          `svc:${name}`,
          textOf(value instanceof Sealed ? value.reveal() : value),
        ]);
        pulumi.runtime.setAllConfig(Object.fromEntries(plain));
        const ended = pulumi.runtime
          .runInPulumiStack(program)
          .then(() => settings.disconnect(true))
          .catch((error: unknown) => run.fail(error));
        // A program whose engine stops is given a moment to notice.
        await Promise.race([ended, run.failed.then(() => sleep(300))]);
        await run.idle();
      }),
    );
  }

  async #session(preview: boolean, work: (run: Run) => Promise<void>): Promise<Ran> {
    // What a preview comes to is forgotten.
    const kept = preview ? new Map(this.resources) : this.resources;
    const run = new Run(kept, this.#config, preview);
    await run.start();
    try {
      await work(run).catch((error: unknown) => run.fail(error));
      const { outputs, errors, warnings } = run;
      return {
        steps: run.stepper.steps.filter(({ op }) => op !== "same"),
        outputs,
        errors,
        warnings,
      };
    } finally {
      await run.stop();
    }
  }
}

/** One operation on a stack. */
class Run {
  readonly stepper: Stepper;
  readonly errors: string[] = [];
  readonly warnings: string[] = [];
  outputs: PropertyMap = {};
  address = "";
  readonly failed: Promise<void>;
  readonly #resources: Map<string, Resource>;
  readonly #seen = new Set<string>();
  readonly #urns = new Urns();
  readonly #working = new Set<Promise<unknown>>();
  readonly #server = new Server({ "grpc.max_receive_message_length": -1 });
  #root = "";
  #tellFailed: () => void = () => undefined;

  constructor(resourceMap: Map<string, Resource>, config: PropertyMap, preview: boolean) {
    this.#resources = resourceMap;
    const address = (): string => this.address;
    this.stepper = new Stepper({ resources: resourceMap, config, preview, address });
    this.failed = new Promise((resolve) => {
      this.#tellFailed = resolve;
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
    await this.stepper.close();
    this.#server.forceShutdown();
  }

  /** Resolves once nothing that was begun is under way. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.allSettled(this.#working);
  }

  fail(error: unknown): void {
    this.errors.push(error instanceof Error ? error.message : String(error));
    this.#tellFailed();
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
        const component = this.#resources.get(request.getUrn());
        if (component !== undefined) {
          this.#resources.set(component.urn, { ...component, state: outputs });
        }
        return new empty.Empty();
      }),
      readResource: on((request: ReadResourceRequest) => this.#readResource(request)),
      invoke: on((request: ResourceInvokeRequest) => this.#invoke(request)),
      signalAndWaitForShutdown: on(async () => {
        await this.stepper.finish(this.#seen);
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

  /** A failed step is told; what comes after it is refused, as by an engine that shuts down. */
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
        .finally(() => this.#working.delete(work));
      this.#working.add(work);
    };
  }

  /** Has the provider make a component, which registers with this very monitor. */
  async #construct(request: RegisterResourceRequest) {
    const reference = request.getProvider() || (request.getProvidersMap().get("svc") ?? "");
    const { driver } = await this.stepper.providerFor(providerReference(reference));
    const made = await driver.construct(request, {
      monitor: this.address,
      preview: this.stepper.preview,
    });
    const response = new resources.RegisterResourceResponse()
      .setUrn(made.getUrn())
      .setObject(made.getState());
    made
      .getStatedependenciesMap()
      .forEach((one: ConstructResponse.PropertyDependencies, property: string) => {
        const of = new resources.RegisterResourceResponse.PropertyDependencies();
        response.getPropertydependenciesMap().set(property, of.setUrnsList(one.getUrnsList()));
      });
    return response;
  }

  async #register(request: RegisterResourceRequest) {
    if (request.getRemote()) return this.#construct(request);
    const { urn, former } = this.#urns.of(request);
    if (this.#seen.has(urn)) throw new Error(`Duplicate resource URN '${urn}'`);
    this.#seen.add(urn);
    const [type, name] = [request.getType(), request.getName()];
    const news = decode(request.getObject());
    const response = new resources.RegisterResourceResponse().setUrn(urn);
    if (!request.getCustom() || isProvider(type)) {
      const id = request.getCustom() ? randomUUID() : "";
      this.#resources.set(urn, {
        ...bare({ urn, type, name }),
        custom: request.getCustom(),
        id,
        inputs: news,
        state: news,
      });
      return response.setId(id).setObject(encode(news));
    }
    const renamed = former.map((one) => this.#resources.get(one)).find((one) => one !== undefined);
    if (renamed !== undefined && !this.#resources.has(urn)) {
      this.#resources.delete(renamed.urn);
      this.#resources.set(urn, { ...renamed, urn, name });
    }
    const asked: Asked = {
      ...bare({ urn, type, name }),
      provider: providerReference(request.getProvider()),
      old: this.#resources.get(urn),
      news,
      importId: request.getImportid(),
      ignored: request.getIgnorechangesList(),
      protect: request.getProtect() ?? false,
      dependencies: request.getDependenciesList(),
      propertyDependencies: dependenciesOf(request),
    };
    const applied = await this.stepper.apply(asked);
    const secret = request.getAdditionalsecretoutputsList();
    const state = Object.fromEntries(
      Object.entries(applied.state).map(([property, value]) => [
        property,
        secret.includes(property) ? new Sealed(value) : value,
      ]),
    );
    const { old: _o, news: _n, importId: _i, ignored: _g, ...kept } = asked;
    this.#resources.set(urn, { ...kept, ...applied, state });
    if (applied.failure !== undefined) throw applied.failure;
    return response.setId(applied.id).setObject(encode(state));
  }

  async #readResource(request: ReadResourceRequest) {
    const named = { type: request.getType(), name: request.getName() };
    const { driver } = await this.stepper.providerFor(providerReference(request.getProvider()));
    const found = await driver.read(kindOf(named), { id: request.getId() });
    if (found === undefined) throw new Error(`there is no ${named.type} '${request.getId()}'`);
    this.stepper.step({ op: "read", ...kindOf(named) });
    return new resources.ReadResourceResponse()
      .setUrn(urnFor(named))
      .setProperties(encode(found.state));
  }

  async #invoke(request: ResourceInvokeRequest) {
    const { driver } = await this.stepper.providerFor(providerReference(request.getProvider()));
    const { result, failures } = await driver.invoke(request.getTok(), decode(request.getArgs()));
    if (failures.length > 0) throw new Error(JSON.stringify(failures));
    return new resources.ResourceInvokeResponse().setReturn(encode(result));
  }
}

function textOf(value: PropertyValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
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

/** The URN of the provider that a reference `URN::ID` names; the default one has none. */
function providerReference(reference: string): string {
  return reference === "" ? "" : reference.slice(0, reference.lastIndexOf("::"));
}

function unimplemented(names: readonly string[]): UntypedServiceImplementation {
  const refuse = (_: unknown, answer: (error: object) => void): void =>
    answer({ code: status.UNIMPLEMENTED, details: "not in a stand-in" });
  return Object.fromEntries(names.map((name) => [name, refuse]));
}
