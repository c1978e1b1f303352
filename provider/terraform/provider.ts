// Maps each protocol request to its handler. Handlers load on first use, so that the handshake is fast.
import type { ListRequest } from "./request-types.ts";
import type { Environment, Session } from "./session.ts";
import { log } from "./wire/log.ts";
import type { Handlers } from "./wire/plugin-server.ts";

/** A provider for one run of the engine. */
export interface Provider {
  readonly handlers: Handlers;
  /** Deletes open ephemeral objects and closes the connections. */
  close(): Promise<void>;
}

/** Creates a provider. It sends no request until it is configured. `env` completes the configuration. */
export function createProvider(env: Environment = process.env): Provider {
  let session: Promise<Session> | undefined;
  const getSession = (): Promise<Session> =>
    (session ??= import("./session.ts").then(({ createSession }) => createSession(env)));
  const lazy =
    <Request>(load: () => Promise<(session: Session, request: Request) => Promise<object>>) =>
    async (request: object): Promise<object> =>
      (await load())(await getSession(), request as Request);
  const loadProviderRequests = () => import("./provider-requests.ts");
  const loadResourceRequests = () => import("./resource-requests.ts");
  const loadListRequests = () => import("./list-requests.ts");
  const loadEphemeralRequests = () => import("./ephemeral-requests.ts");
  const configureProvider = lazy(async () => (await loadProviderRequests()).configure);
  /** Ends a session that another command used. An engine that attached to this process configures it again. */
  const endSession = async (): Promise<void> => {
    const { configured, stopping } = await getSession();
    if (configured === undefined && !stopping.signal.aborted) return;
    await close();
    session = undefined;
  };
  const handlers: Handlers = {
    GetMetadata: lazy(async () => (await loadProviderRequests()).metadata),
    GetProviderSchema: lazy(async () => (await loadProviderRequests()).allSchemas),
    GetFunctions: lazy(async () => (await loadProviderRequests()).allFunctions),
    GetResourceIdentitySchemas: lazy(async () => (await loadProviderRequests()).allIdentitySchemas),
    UpgradeResourceIdentity: lazy(async () => (await loadResourceRequests()).upgradeIdentity),
    ValidateProviderConfig: lazy(async () => (await loadProviderRequests()).validateProvider),
    ConfigureProvider: async (request) => {
      await endSession();
      return configureProvider(request);
    },
    ValidateResourceConfig: lazy(async () => (await loadResourceRequests()).validateResource),
    UpgradeResourceState: lazy(async () => (await loadResourceRequests()).upgradeState),
    ReadResource: lazy(async () => (await loadResourceRequests()).readResource),
    PlanResourceChange: lazy(async () => (await loadResourceRequests()).planChange),
    ApplyResourceChange: lazy(async () => (await loadResourceRequests()).applyChange),
    ImportResourceState: lazy(async () => (await loadResourceRequests()).importResource),
    MoveResourceState: lazy(async () => (await loadResourceRequests()).moveState),
    ValidateDataResourceConfig: lazy(async () => (await loadProviderRequests()).validateDataSource),
    ReadDataSource: lazy(async () => (await loadProviderRequests()).readDataSource),
    ValidateEphemeralResourceConfig: lazy(
      async () => (await loadEphemeralRequests()).validateEphemeralResource,
    ),
    ValidateListResourceConfig: lazy(async () => (await loadListRequests()).validateList),
    ListResource: async function* (request) {
      yield* (await loadListRequests()).list(await getSession(), request as ListRequest);
    },
    OpenEphemeralResource: lazy(async () => (await loadEphemeralRequests()).openEphemeral),
    RenewEphemeralResource: async () => ({}),
    CloseEphemeralResource: lazy(async () => (await loadEphemeralRequests()).closeEphemeral),
    CallFunction: lazy(async () => (await loadProviderRequests()).callFunction),
    StopProvider: async () => {
      (await getSession()).stopping.abort();
      return {};
    },
  };
  const close = async () => session && closeSession(await session);
  return { handlers, close };
}

/** Deletes the open ephemeral objects of a session and closes its connections. */
async function closeSession({ openEphemerals: open, configured }: Session): Promise<void> {
  const discards = [...open.values()].map((discard) => discard());
  open.clear();
  for (const { status, ...rest } of await Promise.allSettled(discards)) {
    if (status === "rejected" && "reason" in rest) log("error", String(rest.reason));
  }
  await configured?.bridge.close().catch(() => undefined);
}
