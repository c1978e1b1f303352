// One conversation with an engine: the bridge once it is configured, the log, and the requests that are being answered.
import { type handleUnaryCall, type sendUnaryData, type ServerUnaryCall } from "@grpc/grpc-js";
import { Failure } from "../../core/errors.ts";
import type { Catalogue, Component } from "../../core/component.ts";
import type { Kind } from "../../core/kind.ts";
import type { Bridge } from "../bridge/bridge.ts";
import { createRenameTracker, type RenameTracker } from "../bridge/rename-tracker.ts";
import { openConfiguredBridge } from "./configure.ts";
import { type EngineLog, engineLog } from "./engine.ts";
import { serviceError } from "./grpc-errors.ts";
import { packageName, tokenOf } from "./properties.ts";
import type { PropertyMap } from "./property-values.ts";

/** What the handlers of requests share. */
export interface Session extends Catalogue {
  readonly renames: RenameTracker;
  /** URNs of what this run of the engine has read by an id alone, and not compared since. */
  readonly imports: Set<string>;
  readonly kindNamed: (name: string) => Kind | undefined;
  /** The package's version. */
  readonly version: string;
  /** The engine's log is at this address from now on; none for an empty one. */
  connectLog(address: string): void;
  /** Tells the engine's user of something about one resource. */
  warn(message: string, urn: string): void;
  /** Opens the bridge that these inputs ask for, in place of the one before. */
  configure(inputs: PropertyMap): Promise<void>;
  /** The bridge; undefined while the configuration is not known, as in a preview. */
  readonly bridge: Bridge | undefined;
  /** The bridge; fails where there is none. */
  requireBridge(): Bridge;
  /** The kind of the resource that a request is about; older engines say it only in the URN. */
  kindOf(request: { getType(): string; getUrn(): string }): Kind;
  /** The component of this type token. */
  componentOf(token: string): Component;
  /** Aborted by {@link Session.stop}. */
  readonly signal: AbortSignal;
  /** A handler whose failures are told as the engine takes them, and that {@link Session.idle} waits for. */
  readonly unary: <Request, Response>(
    handle: (request: Request) => Promise<Response> | Response,
  ) => handleUnaryCall<Request, Response>;
  /** Begins no further call of the API; those on their way are let end. */
  stop(): void;
  /** Resolves once no request is being answered. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

/** A session over everything that can be wished for. */
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
      throw new Failure("invalid", `This provider, ${version}, has no component ${token}.`);
    },
    renames: createRenameTracker(),
    imports: new Set(),
    kindNamed: (name) => byToken.get(tokenOf(name)),
    version,
    connectLog: (address) => {
      log?.close();
      log = address === "" ? undefined : engineLog(address);
    },
    warn: (message, urn) => log?.warn(message, urn),
    configure: async (inputs) => {
      const before = bridge;
      bridge = undefined;
      await before?.close();
      const userAgent = `${packageName}-pulumi/${version}`;
      bridge = await openConfiguredBridge(inputs, { userAgent, signal: stopping.signal });
    },
    get bridge() {
      return bridge;
    },
    requireBridge: () => {
      if (bridge !== undefined) return bridge;
      throw new Failure("refused", "The provider was not configured.");
    },
    kindOf: (request) => {
      const token = request.getType() || (request.getUrn().split("::")[2]?.split("$").at(-1) ?? "");
      const kind = byToken.get(token);
      if (kind !== undefined) return kind;
      throw new Failure("invalid", `This provider, ${version}, has no resource ${token}.`);
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
