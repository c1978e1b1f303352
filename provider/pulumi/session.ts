// Holds the state of one engine connection: the bridge after Configure, the log, and the requests in progress.
import type { handleUnaryCall, sendUnaryData, ServerUnaryCall } from "@grpc/grpc-js";
import { Failure } from "../../core/errors.ts";
import type { Catalogue, Component } from "../../core/kind/component.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { DeclaredFields } from "../bridge/declared-fields.ts";
import { createRenameTracker, type RenameTracker } from "../bridge/rename-tracker.ts";
import { openConfiguredBridge } from "./configure.ts";
import { type EngineLog, engineLog } from "./engine.ts";
import { serviceError } from "./grpc-errors.ts";
import { EngineRunPlans } from "../bridge/missing-references.ts";
import { packageName, tokenOf } from "./properties.ts";
import type { PropertyMap } from "./property-values.ts";

/** State that the request handlers share. */
export interface Session extends Catalogue {
  readonly renames: RenameTracker;
  /** Objects that previews of this run create. */
  readonly planned: EngineRunPlans;
  /** Fields that the resources of this run declare. */
  readonly declared: DeclaredFields;
  readonly kindNamed: (name: string) => Kind | undefined;
  /** The package's version. */
  readonly version: string;
  /** Connects to the engine's log at this address; an empty address disconnects. */
  connectLog(address: string): void;
  /** Logs a warning about one resource. */
  warn(message: string, urn: string): void;
  /** Opens the bridge for this configuration and closes the previous one. */
  configure(inputs: PropertyMap): Promise<void>;
  /** The bridge; undefined while the configuration has unknown values, as in a preview. */
  readonly bridge: Bridge | undefined;
  /** Returns the bridge; throws if the provider is not configured. */
  requireBridge(): Bridge;
  /** Returns the resource type of a request; older engines send it only in the URN. */
  kindOf(request: { getType(): string; getUrn(): string }): Kind;
  /** Returns the component with this type token. */
  componentOf(token: string): Component;
  /** Aborted by {@link Session.stop}. */
  readonly signal: AbortSignal;
  /** Wraps a handler: converts failures to gRPC statuses, and makes {@link Session.idle} wait for it. */
  readonly unary: <Request, Response>(
    handle: (request: Request) => Promise<Response> | Response,
  ) => handleUnaryCall<Request, Response>;
  /** Starts no more API calls. Those in progress continue. */
  stop(): void;
  /** Resolves when no request is in progress. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** Creates a session over all resource types and components. */
export function createSession(catalogue: Catalogue, version: string): Session {
  const { kinds, components } = catalogue;
  const byToken = new Map(kinds.map((kind) => [tokenOf(kind.name), kind]));
  const running = new Set<Promise<unknown>>();
  const stopping = new AbortController();
  let bridge: Bridge | undefined;
  let log: EngineLog | undefined;
  return {
    kinds,
    components,
    signal: stopping.signal,
    componentOf: (token) => {
      const component = components.find(({ name }) => tokenOf(name) === token);
      if (component !== undefined) return component;
      throw new Failure("invalid", `this provider, ${version}, has no component ${token}`);
    },
    renames: createRenameTracker(),
    planned: new EngineRunPlans(),
    declared: new DeclaredFields(),
    kindNamed: (name) => byToken.get(tokenOf(name)),
    version,
    connectLog: (address) => {
      log?.close();
      log = address === "" ? undefined : engineLog(address);
    },
    warn: (message, urn) => log?.warn(message, urn),
    configure: async (inputs) => {
      const previous = bridge;
      bridge = undefined;
      await previous?.close();
      const userAgent = `${packageName}-pulumi/${version}`;
      bridge = await openConfiguredBridge(inputs, { userAgent, signal: stopping.signal });
    },
    get bridge() {
      return bridge;
    },
    requireBridge: () => {
      if (bridge !== undefined) return bridge;
      throw new Failure("refused", "the provider is not configured: a setting was still unknown");
    },
    kindOf: (request) => {
      const token = request.getType() || (request.getUrn().split("::")[2]?.split("$").at(-1) ?? "");
      const kind = byToken.get(token);
      if (kind !== undefined) return kind;
      throw new Failure("invalid", `this provider, ${version}, has no resource ${token}`);
    },
    unary: (handle) => (call, answer) => {
      const work = respond(handle, call, answer).finally(() => running.delete(work));
      running.add(work);
    },
    stop: () => stopping.abort(),
    idle: async () => void (await Promise.allSettled(running)),
    close: async () => {
      log?.close();
      await bridge?.close();
    },
  };
}

async function respond<Request, Response>(
  handle: (request: Request) => Promise<Response> | Response,
  call: ServerUnaryCall<Request, Response>,
  answer: sendUnaryData<Response>,
): Promise<void> {
  try {
    answer(null, await handle(call.request));
  } catch (error) {
    answer(serviceError(error));
  }
}
