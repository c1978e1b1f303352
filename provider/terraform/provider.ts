// Maps each protocol request to its handler.
import type { ListRequest } from "./request-types.ts";
import * as requests from "./requests.ts";
import type { Environment, Session } from "./session.ts";
import { log } from "./wire/log.ts";
import type { Provider } from "./wire/plugin.ts";
import type { Handlers } from "./wire/plugin-server.ts";

type Handler<Request> = (session: Session, request: Request) => Promise<object>;

/**
 * Creates a provider for one run of the engine. It sends no request until it is configured; `env` completes the configuration.
 * Closing it deletes the open ephemeral objects.
 */
export function createProvider(env: Environment = process.env): Provider {
  let session: Session | undefined;
  const getSession = (): Session => (session ??= requests.createSession(env));
  const inSession =
    <Request>(handle: Handler<Request>) =>
    async (request: object): Promise<object> =>
      handle(getSession(), request as Request);
  const configureProvider = inSession(requests.configure);
  /** Ends a session that another command used. An engine that attached to this process configures it again. */
  const endSession = async (): Promise<void> => {
    const { configured, stopping } = getSession();
    if (configured === undefined && !stopping.signal.aborted) return;
    await close();
    session = undefined;
  };
  const handlers: Handlers = {
    GetMetadata: inSession(requests.metadata),
    GetProviderSchema: inSession(requests.allSchemas),
    GetFunctions: inSession(requests.allFunctions),
    GetResourceIdentitySchemas: inSession(requests.allIdentitySchemas),
    UpgradeResourceIdentity: inSession(requests.upgradeIdentity),
    ValidateProviderConfig: inSession(requests.validateProvider),
    ConfigureProvider: async (request) => {
      await endSession();
      return configureProvider(request);
    },
    ValidateResourceConfig: inSession(requests.validateResource),
    UpgradeResourceState: inSession(requests.upgradeState),
    ReadResource: inSession(requests.readResource),
    PlanResourceChange: inSession(requests.planChange),
    ApplyResourceChange: inSession(requests.applyChange),
    ImportResourceState: inSession(requests.importResource),
    MoveResourceState: inSession(requests.moveState),
    ValidateDataResourceConfig: inSession(requests.validateDataSource),
    ReadDataSource: inSession(requests.readDataSource),
    ValidateEphemeralResourceConfig: inSession(requests.validateEphemeralResource),
    ValidateListResourceConfig: inSession(requests.validateList),
    ListResource: async function* (request) {
      yield* requests.list(getSession(), request as ListRequest);
    },
    OpenEphemeralResource: inSession(requests.openEphemeral),
    RenewEphemeralResource: async () => ({}),
    CloseEphemeralResource: inSession(requests.closeEphemeral),
    CallFunction: inSession(requests.callFunction),
    StopProvider: async () => {
      getSession().stopping.abort();
      return {};
    },
  };
  const close = async () => session && closeSession(session);
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
