// Maps each protocol request to its handler. Handlers load on first use, so that the handshake is fast.
import type { ListRequest } from "./request-types.ts";
import type * as requests from "./requests.ts";
import type { Environment, Session } from "./session.ts";
import { log } from "./wire/log.ts";
import type { Handlers } from "./wire/plugin-server.ts";

/** A provider for one run of the engine. */
export interface Provider {
  readonly handlers: Handlers;
  /** Deletes open ephemeral objects and closes the connections. */
  close(): Promise<void>;
}

type Requests = typeof requests;
type Handler<Request> = (session: Session, request: Request) => Promise<object>;

/** Creates a provider. It sends no request until it is configured. `env` completes the configuration. */
export function createProvider(env: Environment = process.env): Provider {
  let session: Promise<Session> | undefined;
  const loadRequests = () => import("./requests.ts");
  const getSession = (): Promise<Session> =>
    (session ??= loadRequests().then(({ createSession }) => createSession(env)));
  const lazy =
    <Request>(handlerIn: (requests: Requests) => Handler<Request>) =>
    async (request: object): Promise<object> =>
      handlerIn(await loadRequests())(await getSession(), request as Request);
  const configureProvider = lazy(({ configure }) => configure);
  /** Ends a session that another command used. An engine that attached to this process configures it again. */
  const endSession = async (): Promise<void> => {
    const { configured, stopping } = await getSession();
    if (configured === undefined && !stopping.signal.aborted) return;
    await close();
    session = undefined;
  };
  const handlers: Handlers = {
    GetMetadata: lazy(({ metadata }) => metadata),
    GetProviderSchema: lazy(({ allSchemas }) => allSchemas),
    GetFunctions: lazy(({ allFunctions }) => allFunctions),
    GetResourceIdentitySchemas: lazy(({ allIdentitySchemas }) => allIdentitySchemas),
    UpgradeResourceIdentity: lazy(({ upgradeIdentity }) => upgradeIdentity),
    ValidateProviderConfig: lazy(({ validateProvider }) => validateProvider),
    ConfigureProvider: async (request) => {
      await endSession();
      return configureProvider(request);
    },
    ValidateResourceConfig: lazy(({ validateResource }) => validateResource),
    UpgradeResourceState: lazy(({ upgradeState }) => upgradeState),
    ReadResource: lazy(({ readResource }) => readResource),
    PlanResourceChange: lazy(({ planChange }) => planChange),
    ApplyResourceChange: lazy(({ applyChange }) => applyChange),
    ImportResourceState: lazy(({ importResource }) => importResource),
    MoveResourceState: lazy(({ moveState }) => moveState),
    ValidateDataResourceConfig: lazy(({ validateDataSource }) => validateDataSource),
    ReadDataSource: lazy(({ readDataSource }) => readDataSource),
    ValidateEphemeralResourceConfig: lazy(
      ({ validateEphemeralResource }) => validateEphemeralResource,
    ),
    ValidateListResourceConfig: lazy(({ validateList }) => validateList),
    ListResource: async function* (request) {
      yield* (await loadRequests()).list(await getSession(), request as ListRequest);
    },
    OpenEphemeralResource: lazy(({ openEphemeral }) => openEphemeral),
    RenewEphemeralResource: async () => ({}),
    CloseEphemeralResource: lazy(({ closeEphemeral }) => closeEphemeral),
    CallFunction: lazy(({ callFunction }) => callFunction),
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
