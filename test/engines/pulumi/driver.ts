// Drives the provider as Pulumi's engine does: sends the same requests over a socket and decodes responses and error details.
import { credentials, Server, ServerCredentials, type ServiceError } from "@grpc/grpc-js";
import {
  ResourceProviderClient,
  ResourceProviderService,
} from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import provider, { type ConstructResponse } from "@pulumi/pulumi/proto/provider_pb.js";
import type { RegisterResourceRequest } from "@pulumi/pulumi/proto/resource_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { tokenOf } from "../../../provider/pulumi/properties.ts";
import { requestHandlers } from "../../../provider/pulumi/service.ts";
import { createSession } from "../../../provider/pulumi/session.ts";
import { decode, encode, type PropertyMap } from "../../../provider/pulumi/property-values.ts";
import { components, kinds } from "../../../resources/index.ts";
import { type PropertyError, RpcError } from "./rpc-error.ts";

/** A resource by type name and name, as a program registers it. */
export interface ResourceRef {
  readonly type: string;
  readonly name: string;
}

/** A resource with an optional timeout of its writes, in seconds. */
export interface TimedResourceRef extends ResourceRef {
  readonly timeout?: number;
}

/** The result of a diff. */
export interface DiffResult {
  readonly changes: "none" | "some" | "unknown";
  readonly replaces: readonly string[];
  readonly deleteBeforeReplace: boolean;
  /** Kind of change by property path, in capitals. */
  readonly detailed: Readonly<Record<string, string>>;
}

/** A resource in the engine's state. */
export interface ResourceState {
  readonly id: string;
  readonly inputs: PropertyMap;
  readonly state: PropertyMap;
}

type Method = { readonly [K in keyof ResourceProviderClient]: K }[keyof ResourceProviderClient];

/** Calls one method of a provider's client. Throws {@link RpcError}. */
export async function rpc<Response>(
  client: ResourceProviderClient,
  method: Method,
  request: unknown,
): Promise<Response> {
  const call = client[method] as (
    request: unknown,
    done: (error: ServiceError | null, response: Response) => void,
  ) => void;
  return new Promise((resolve, reject) => {
    call.call(client, request, (error, response) => {
      if (error === null) resolve(response);
      else reject(new RpcError(error));
    });
  });
}

/** Returns the URN of a resource. */
export function urnOf({ type, name }: ResourceRef): string {
  return `urn:pulumi:dev::test::${tokenOf(type)}::${name}`;
}

/** Typed methods of the provider. */
export class Driver {
  readonly client: ResourceProviderClient;

  constructor(address: string) {
    this.client = new ResourceProviderClient(address, credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
    });
  }

  async handshake(): Promise<InstanceType<typeof provider.ProviderHandshakeResponse>> {
    return rpc(this.client, "handshake", new provider.ProviderHandshakeRequest());
  }

  async schema(): Promise<unknown> {
    const answer = await rpc<InstanceType<typeof provider.GetSchemaResponse>>(
      this.client,
      "getSchema",
      new provider.GetSchemaRequest(),
    );
    return JSON.parse(answer.getSchema());
  }

  async checkConfig(
    news: PropertyMap,
  ): Promise<{ inputs: PropertyMap; failures: PropertyError[] }> {
    const request = new provider.CheckRequest().setNews(encode(news));
    return checkResult(await rpc(this.client, "checkConfig", request));
  }

  async diffConfig(
    olds: PropertyMap,
    news: PropertyMap,
  ): Promise<DiffResult & { diffs: string[] }> {
    const request = new provider.DiffRequest().setOldInputs(encode(olds)).setNews(encode(news));
    const answer = await rpc<InstanceType<typeof provider.DiffResponse>>(
      this.client,
      "diffConfig",
      request,
    );
    return { ...diffResult(answer), diffs: answer.getDiffsList() };
  }

  async configure(args: PropertyMap): Promise<void> {
    const request = new provider.ConfigureRequest().setArgs(encode(args)).setAcceptsecrets(true);
    await rpc(this.client, "configure", request);
  }

  async check(
    on: ResourceRef,
    news: PropertyMap,
    olds: PropertyMap = {},
  ): Promise<{ inputs: PropertyMap; failures: PropertyError[] }> {
    const request = withResource(new provider.CheckRequest(), on).setNews(encode(news));
    return checkResult(await rpc(this.client, "check", request.setOlds(encode(olds))));
  }

  async diff(
    on: ResourceRef,
    held: ResourceState,
    { news, ignored = [] }: { news: PropertyMap; ignored?: string[] },
  ): Promise<DiffResult> {
    const request = withResource(new provider.DiffRequest(), on)
      .setId(held.id)
      .setOlds(encode(held.state))
      .setOldInputs(encode(held.inputs))
      .setNews(encode(news))
      .setIgnorechangesList(ignored);
    return diffResult(await rpc(this.client, "diff", request));
  }

  async create(
    on: TimedResourceRef,
    inputs: PropertyMap,
    preview = false,
  ): Promise<{ id: string; state: PropertyMap }> {
    const request = withResource(new provider.CreateRequest(), on)
      .setTimeout(on.timeout ?? 0)
      .setProperties(encode(inputs))
      .setPreview(preview);
    const answer = await rpc<InstanceType<typeof provider.CreateResponse>>(
      this.client,
      "create",
      request,
    );
    return { id: answer.getId(), state: decode(answer.getProperties()) };
  }

  async update(
    on: TimedResourceRef,
    held: ResourceState,
    {
      news,
      preview = false,
      ignored = [],
    }: { news: PropertyMap; preview?: boolean; ignored?: string[] },
  ): Promise<PropertyMap> {
    const request = withResource(new provider.UpdateRequest(), on)
      .setTimeout(on.timeout ?? 0)
      .setId(held.id)
      .setOlds(encode(held.state))
      .setOldInputs(encode(held.inputs))
      .setNews(encode(news))
      .setIgnorechangesList(ignored)
      .setPreview(preview);
    const answer = await rpc<InstanceType<typeof provider.UpdateResponse>>(
      this.client,
      "update",
      request,
    );
    return decode(answer.getProperties());
  }

  /** Refreshes a resource, or imports it if only its ID is given; undefined if it does not exist. */
  async read(
    on: ResourceRef,
    held: Pick<ResourceState, "id"> & { state?: PropertyMap; inputs?: PropertyMap },
  ): Promise<ResourceState | undefined> {
    const request = withResource(new provider.ReadRequest(), on).setId(held.id);
    if (held.state !== undefined) request.setProperties(encode(held.state));
    if (held.inputs !== undefined) request.setInputs(encode(held.inputs));
    const answer = await rpc<InstanceType<typeof provider.ReadResponse>>(
      this.client,
      "read",
      request,
    );
    if (answer.getId() === "") return undefined;
    return {
      id: answer.getId(),
      state: decode(answer.getProperties()),
      inputs: decode(answer.getInputs()),
    };
  }

  async delete(on: TimedResourceRef, held: ResourceState): Promise<void> {
    const request = withResource(new provider.DeleteRequest(), on)
      .setTimeout(on.timeout ?? 0)
      .setId(held.id)
      .setProperties(encode(held.state))
      .setOldInputs(encode(held.inputs));
    await rpc(this.client, "delete", request);
  }

  async invoke(
    token: string,
    args: PropertyMap,
  ): Promise<{ result: PropertyMap; failures: PropertyError[] }> {
    const request = new provider.InvokeRequest().setTok(token).setArgs(encode(args));
    const answer = await rpc<InstanceType<typeof provider.InvokeResponse>>(
      this.client,
      "invoke",
      request,
    );
    return {
      result: decode(answer.getReturn()),
      failures: propertyErrors(answer.getFailuresList()),
    };
  }

  /** Constructs the component of a registration. */
  async construct(
    registration: RegisterResourceRequest,
    { monitor, preview }: { readonly monitor: string; readonly preview: boolean },
  ): Promise<ConstructResponse> {
    const request = new provider.ConstructRequest()
      .setProject("test")
      .setStack("dev")
      .setDryrun(preview)
      .setParallel(16)
      .setMonitorendpoint(monitor)
      .setType(registration.getType())
      .setName(registration.getName())
      .setParent(registration.getParent())
      .setInputs(registration.getObject())
      .setAliasesList(registration.getAliasesList())
      .setDependenciesList(registration.getDependenciesList())
      .setDeletedwith(registration.getDeletedwith())
      .setIgnorechangesList(registration.getIgnorechangesList())
      .setReplaceonchangesList(registration.getReplaceonchangesList())
      .setAcceptsOutputValues(true);
    const [protect, retain] = [registration.getProtect(), registration.getRetainondelete()];
    const create = registration.getCustomtimeouts()?.getCreate() ?? "";
    request.setCustomtimeouts(new provider.ConstructRequest.CustomTimeouts().setCreate(create));
    if (protect !== undefined) request.setProtect(protect);
    if (retain !== undefined) request.setRetainondelete(retain);
    registration.getProvidersMap().forEach((reference: string, name: string) => {
      request.getProvidersMap().set(name, reference);
    });
    registration
      .getPropertydependenciesMap()
      .forEach((one: RegisterResourceRequest.PropertyDependencies, input: string) => {
        const of = new provider.ConstructRequest.PropertyDependencies();
        request.getInputdependenciesMap().set(input, of.setUrnsList(one.getUrnsList()));
      });
    return rpc(this.client, "construct", request);
  }

  async cancel(): Promise<void> {
    await rpc(this.client, "cancel", new empty.Empty());
  }

  close(): void {
    this.client.close();
  }
}

interface ResourceRequest<T> {
  setUrn(urn: string): T;
  setType(type: string): unknown;
  setName(name: string): unknown;
}

function withResource<T extends ResourceRequest<T>>(request: T, on: ResourceRef): T {
  request.setType(tokenOf(on.type));
  request.setName(on.name);
  return request.setUrn(urnOf(on));
}

function checkResult(answer: InstanceType<typeof provider.CheckResponse>): {
  inputs: PropertyMap;
  failures: PropertyError[];
} {
  return { inputs: decode(answer.getInputs()), failures: propertyErrors(answer.getFailuresList()) };
}

function propertyErrors(
  list: readonly InstanceType<typeof provider.CheckFailure>[],
): PropertyError[] {
  return list.map((one) => ({ property: one.getProperty(), reason: one.getReason() }));
}

const diffKinds = ["ADD", "ADD_REPLACE", "DELETE", "DELETE_REPLACE", "UPDATE", "UPDATE_REPLACE"];

/** Decodes a diff response. */
export function diffResult(answer: InstanceType<typeof provider.DiffResponse>): DiffResult {
  const detailed: Record<string, string> = {};
  answer
    .getDetaileddiffMap()
    .forEach((one: InstanceType<typeof provider.PropertyDiff>, path: string) => {
      detailed[path] = diffKinds[one.getKind()] ?? "?";
    });
  return {
    changes: (["unknown", "none", "some"] as const)[answer.getChanges()] ?? "unknown",
    replaces: answer.getReplacesList(),
    deleteBeforeReplace: answer.getDeletebeforereplace(),
    detailed,
  };
}

/** A provider in this process behind a socket. */
export interface RunningProvider {
  readonly address: string;
  readonly driver: Driver;
  close(): Promise<void>;
}

/** Serves the provider over all resource types, with its log at this engine address. Close it after the test. */
export async function startProvider(engine = ""): Promise<RunningProvider> {
  const session = createSession({ kinds, components }, "1.2.3");
  session.connectLog(engine);
  const server = new Server({ "grpc.max_receive_message_length": -1 });
  server.addService(ResourceProviderService, requestHandlers(session));
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(error);
    });
  });
  const address = `127.0.0.1:${port}`;
  const driver = new Driver(address);
  return {
    address,
    driver,
    close: async () => {
      driver.close();
      session.stop();
      await session.idle();
      await session.close();
      server.forceShutdown();
    },
  };
}
