// Implements the gRPC service that Pulumi's engine calls: decodes each request, executes it and encodes the result.
import { type handleUnaryCall, status, type UntypedServiceImplementation } from "@grpc/grpc-js";
import plugin, { type PluginAttach } from "@pulumi/pulumi/proto/plugin_pb.js";
import provider, {
  type CheckRequest,
  type ConfigureRequest,
  type ConstructRequest,
  type CreateRequest,
  type DeleteRequest,
  type DiffRequest,
  type GetSchemaRequest,
  type InvokeRequest,
  type ProviderHandshakeRequest,
  type ReadRequest,
  type UpdateRequest,
} from "@pulumi/pulumi/proto/provider_pb.js";
import empty from "google-protobuf/google/protobuf/empty_pb.js";
import { Failure } from "../../core/errors.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { limits } from "../../core/limits/limits.ts";
import { joinPointer } from "../../core/pointer.ts";
import { sharedFieldsOf } from "../bridge/declared-fields.ts";
import { fullyKnownFields } from "../bridge/unknown-values.ts";
import { changedSettings, validateConfiguration } from "./configure.ts";
import { construct, type ConstructedComponent, type ComponentRequest } from "./construct.ts";
import { call, functionTable } from "./functions.ts";
import {
  checkInputs,
  type PropertyError,
  create,
  previewCreate,
  previewUpdate,
  read,
  remove,
  update,
} from "./resources.ts";
import { changesOf, propertyPathOf, type ResourceChanges } from "./diff.ts";
import { missingReferences } from "../bridge/missing-references.ts";
import { desiredInputs, observedFromState } from "./state.ts";
import { unreadableWarning } from "./unreadable-fields.ts";
import { ignoredOptions } from "./ignored-options.ts";
import { packageSchema } from "./schema.ts";
import type { Session } from "./session.ts";
import { decode, encode, hasUnknown, type PropertyMap } from "./property-values.ts";

/** Returns the handlers of all requests for one session. */
export function requestHandlers(session: Session): UntypedServiceImplementation {
  return {
    ...unsupportedHandlers(),
    ...handshakeHandlers(session),
    ...configurationHandlers(session),
    ...planHandlers(session),
    ...applyHandlers(session),
    ...readHandlers(session),
    ...constructHandlers(session),
  };
}

/** Returns handlers for the requests that the engine can do without. */
function unsupportedHandlers(): UntypedServiceImplementation {
  const refuse: handleUnaryCall<unknown, never> = (_, answer) =>
    answer({
      code: status.UNIMPLEMENTED,
      details: "This provider does not implement the request.",
    });
  return { parameterize: refuse, call: refuse };
}

function handshakeHandlers(session: Session): UntypedServiceImplementation {
  const { unary, version } = session;
  return {
    handshake: unary((request: ProviderHandshakeRequest) => {
      session.connectLog(request.getEngineAddress());
      return new provider.ProviderHandshakeResponse()
        .setAcceptSecrets(true)
        .setAcceptResources(true);
    }),
    attach: unary((request: PluginAttach) => {
      session.connectLog(request.getAddress());
      return new empty.Empty();
    }),
    getPluginInfo: unary(() => new plugin.PluginInfo().setVersion(version)),
    getMapping: unary(() => new provider.GetMappingResponse()),
    getMappings: unary(() => new provider.GetMappingsResponse()),
    getSchema: unary((request: GetSchemaRequest) => {
      if (request.getVersion() !== 0) {
        throw new Failure(
          "invalid",
          `schema version ${request.getVersion()} is not supported; use 0`,
        );
      }
      const schema = JSON.stringify(packageSchema(session, version));
      return new provider.GetSchemaResponse().setSchema(schema);
    }),
    cancel: unary(() => {
      session.stop();
      return new empty.Empty();
    }),
  };
}

function configurationHandlers(session: Session): UntypedServiceImplementation {
  const { unary } = session;
  return {
    checkConfig: unary((request: CheckRequest) =>
      new provider.CheckResponse()
        .setInputs(request.getNews())
        .setFailuresList(validateConfiguration(decode(request.getNews())).map(checkFailureOf)),
    ),
    diffConfig: unary((request: DiffRequest) => {
      const olds = decode(request.getOldInputs() ?? request.getOlds());
      const changed = changedSettings(olds, decode(request.getNews()));
      const { DIFF_NONE, DIFF_SOME } = provider.DiffResponse.DiffChanges;
      return new provider.DiffResponse()
        .setChanges(changed.length === 0 ? DIFF_NONE : DIFF_SOME)
        .setDiffsList([...changed]);
    }),
    configure: unary(async (request: ConfigureRequest) => {
      const given = decode(request.getArgs());
      if (!hasUnknown(given)) await session.configure(given);
      return new provider.ConfigureResponse()
        .setAcceptsecrets(true)
        .setAcceptresources(true)
        .setSupportspreview(true);
    }),
  };
}

function planHandlers(session: Session): UntypedServiceImplementation {
  const { unary } = session;
  return {
    check: unary((request: CheckRequest) => {
      const kind = session.kindOf(request);
      const news = decode(request.getNews());
      const { inputs, failures, warnings } = checkInputs(kind, {
        news,
        olds: decode(request.getOlds()),
      });
      const conflicts = conflictFailures(session, kind, news);
      for (const { path, reason } of warnings) session.warn(`${path} ${reason}`, request.getUrn());
      return new provider.CheckResponse()
        .setInputs(encode(inputs))
        .setFailuresList([...failures, ...conflicts].map(checkFailureOf));
    }),
    diff: unary((request: DiffRequest) => {
      const found = changesOf(session.kindOf(request), resourceStateOf(request), {
        news: decode(request.getNews()),
        ignoreChanges: request.getIgnorechangesList(),
        renames: session.renames,
        bridge: session.bridge,
      });
      return diffResponse(found);
    }),
  };
}

function applyHandlers(session: Session): UntypedServiceImplementation {
  const { unary } = session;
  return {
    create: unary(async (request: CreateRequest) => {
      warnOfTimeout(session, request);
      const kind = session.kindOf(request);
      const inputs = decode(request.getProperties());
      const response = new provider.CreateResponse();
      if (request.getPreview()) {
        const state = previewCreate(kind, session.bridge, inputs);
        await warnOfMissingReferences(session, kind, { urn: request.getUrn(), inputs });
        return response.setProperties(encode(state));
      }
      const { id, state } = await create(kind, session.requireBridge(), inputs);
      return response.setId(id).setProperties(encode(state));
    }),
    update: unary(async (request: UpdateRequest) => {
      warnOfTimeout(session, request);
      const kind = session.kindOf(request);
      const updateInputs = {
        ...resourceStateOf(request),
        id: request.getId(),
        news: decode(request.getNews()),
        ignoreChanges: request.getIgnorechangesList(),
        renames: session.renames,
        bridge: session.bridge,
      };
      const response = new provider.UpdateResponse();
      if (request.getPreview()) {
        const planned = previewUpdate(kind, session.bridge, updateInputs);
        const { inputs: before, news: inputs } = updateInputs;
        await warnOfMissingReferences(session, kind, { urn: request.getUrn(), inputs, before });
        return response.setProperties(encode(planned));
      }
      const state = await update(kind, session.requireBridge(), updateInputs);
      return response.setProperties(encode(state));
    }),
    delete: unary(async (request: DeleteRequest) => {
      warnOfTimeout(session, request);
      const kind = session.kindOf(request);
      const state = decode(request.getProperties());
      await remove(kind, session.requireBridge(), { state, kinds: session.kinds });
      session.declared.remove(kind, observedFromState(kind, state).spec);
      return new empty.Empty();
    }),
  };
}

/** Refuses a field that another resource of the run also declares: each update would revert the other's value. */
function conflictFailures(
  { kinds, declared }: Session,
  kind: Kind,
  news: PropertyMap,
): readonly PropertyError[] {
  const spec = fullyKnownFields(desiredInputs(kind, news));
  const conflicts = declared.add({ kind, spec, sharedFields: sharedFieldsOf(kinds, kind) });
  return conflicts.map(({ field, message: reason }) => ({
    path: propertyPathOf(kind, joinPointer([field]), {}),
    reason,
  }));
}

/** Warns about references that the server cannot resolve. References that are unknown yet are skipped. */
async function warnOfMissingReferences(
  session: Session,
  kind: Kind,
  write: {
    readonly urn: string;
    readonly inputs: PropertyMap;
    /** The inputs before an update. */
    readonly before?: PropertyMap;
  },
) {
  const { bridge, kindNamed, planned } = session;
  const specOf = (inputs: PropertyMap) => fullyKnownFields(desiredInputs(kind, inputs));
  const spec = specOf(write.inputs);
  planned.add(kind, spec);
  if (bridge === undefined) return;
  const before = write.before && specOf(write.before);
  const context = { before, bridge, kindNamed, planned };
  for (const { message } of await missingReferences(kind, spec, context))
    session.warn(`${message} If this program declares it, use its output or dependsOn.`, write.urn);
}

/** Warns about custom timeouts. The provider ignores them, because a write that stops midway loses the object that it creates. */
function warnOfTimeout(session: Session, request: CreateRequest | UpdateRequest | DeleteRequest) {
  if (request.getTimeout() === 0) return;
  const message = `customTimeouts have no effect: each API request has a timeout of ${limits.requestMs / 1000} s and is retried up to svc:retries times.`;
  session.warn(message, request.getUrn());
}

function readHandlers(session: Session): UntypedServiceImplementation {
  const { unary, version } = session;
  const functions = functionTable(session.kinds);
  return {
    read: unary(async (request: ReadRequest) => {
      const kind = session.kindOf(request);
      const inputs = request.hasInputs() ? decode(request.getInputs()) : undefined;
      const state = decode(request.getProperties());
      const target = { id: request.getId(), state, inputs, kindNamed: session.kindNamed };
      const found = await read(kind, session.requireBridge(), target);
      const response = new provider.ReadResponse();
      if (found === undefined) return response;
      if (found.unreadable.length > 0) {
        session.warn(unreadableWarning(kind, found.unreadable), request.getUrn());
      }
      return response
        .setId(found.id)
        .setProperties(encode(found.state))
        .setInputs(encode(found.inputs));
    }),
    invoke: unary(async (request: InvokeRequest) => {
      const token = request.getTok();
      const called = functions.get(token);
      if (called === undefined) {
        throw new Failure("invalid", `this provider, ${version}, has no function ${token}`);
      }
      const answer = await call(called, session.requireBridge(), decode(request.getArgs()));
      const response = new provider.InvokeResponse();
      return "failures" in answer
        ? response.setFailuresList(answer.failures.map(checkFailureOf))
        : response.setReturn(encode(answer.result));
    }),
  };
}

function constructHandlers(session: Session): UntypedServiceImplementation {
  const { unary, version, signal } = session;
  return {
    construct: unary(async (request: ConstructRequest) => {
      const component = session.componentOf(request.getType());
      const ignored = ignoredOptions(request).join(", ");
      if (ignored !== "") {
        const message = `${request.getName()} is a component; these options have no effect on it or its objects: ${ignored}.`;
        session.warn(message, request.getParent());
      }
      const { openMonitor } = await import("./monitor.ts");
      const monitor = openMonitor(request, { version, signal });
      try {
        return constructResponse(await construct(component, componentRequestOf(request), monitor));
      } finally {
        monitor.close();
      }
    }),
  };
}

function componentRequestOf(request: ConstructRequest): ComponentRequest {
  const dependencies: [string, readonly string[]][] = [];
  request
    .getInputdependenciesMap()
    .forEach((of: ConstructRequest.PropertyDependencies, input: string) => {
      dependencies.push([input, of.getUrnsList()]);
    });
  return {
    name: request.getName(),
    parent: request.getParent(),
    inputs: decode(request.getInputs()),
    inputDependencies: Object.fromEntries(dependencies),
    dependencies: request.getDependenciesList(),
  };
}

function constructResponse({ urn, state, dependencies }: ConstructedComponent) {
  const response = new provider.ConstructResponse().setUrn(urn).setState(encode(state));
  for (const [output, urns] of Object.entries(dependencies)) {
    const of = new provider.ConstructResponse.PropertyDependencies().setUrnsList([...urns]);
    response.getStatedependenciesMap().set(output, of);
  }
  return response;
}

function resourceStateOf(request: DiffRequest | UpdateRequest) {
  return { state: decode(request.getOlds()), inputs: decode(request.getOldInputs()) };
}

function checkFailureOf({ path, reason }: PropertyError) {
  return new provider.CheckFailure().setProperty(path).setReason(reason);
}

function diffResponse({ fields, deleteBeforeReplace }: ResourceChanges) {
  const { DiffChanges } = provider.DiffResponse;
  const unique = (names: readonly string[]): string[] => [...new Set(names)];
  const response = new provider.DiffResponse()
    .setChanges(fields.length === 0 ? DiffChanges.DIFF_NONE : DiffChanges.DIFF_SOME)
    .setDiffsList(unique(fields.map(({ property }) => property)))
    .setReplacesList(
      unique(fields.filter(({ replaces }) => replaces).map(({ property }) => property)),
    )
    .setDeletebeforereplace(deleteBeforeReplace)
    .setHasdetaileddiff(true);
  for (const change of fields) response.getDetaileddiffMap().set(change.at, propertyDiffOf(change));
  return response;
}

/** Returns the diff of one property. It compares live state, not old inputs, with new inputs: `inputDiff` is false. */
function propertyDiffOf({ reason, after, replaces, unknown }: ResourceChanges["fields"][number]) {
  const { Kind: Of } = provider.PropertyDiff;
  const isRemoved = !unknown && (reason === "cleared" || after === undefined);
  const [kind, replacing] =
    reason === "absent"
      ? [Of.ADD, Of.ADD_REPLACE]
      : isRemoved
        ? [Of.DELETE, Of.DELETE_REPLACE]
        : [Of.UPDATE, Of.UPDATE_REPLACE];
  return new provider.PropertyDiff().setKind(replaces ? replacing : kind).setInputdiff(false);
}
