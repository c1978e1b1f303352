// The provider: which function answers which request. Nothing but the way to them is loaded before the handshake.
import type { Session } from "./session.ts";
import { log } from "./wire/log.ts";
import type { Handlers } from "./wire/plugin.ts";

/** One provider for one run of the engine. */
export interface Provider {
  readonly handlers: Handlers;
  /** Deletes what was made for the run alone and is still there, and ends the connections. */
  close(): Promise<void>;
}

/** Makes a provider; nothing is read or sent before it is asked to. */
export function createProvider(): Provider {
  let session: Promise<Session> | undefined;
  const begun = (): Promise<Session> =>
    (session ??= import("./session.ts").then(({ createSession }) => createSession()));
  const later =
    <Request>(load: () => Promise<(session: Session, request: Request) => Promise<object>>) =>
    async (request: object): Promise<object> =>
      (await load())(await begun(), request as Request);
  const nothing = async (): Promise<object> => ({});
  const answers = () => import("./provider-requests.ts");
  const resources = () => import("./resource-requests.ts");
  const ephemerals = () => import("./ephemeral-requests.ts");
  const handlers: Handlers = {
    GetMetadata: later(async () => (await answers()).metadata),
    GetProviderSchema: later(async () => (await answers()).allSchemas),
    GetFunctions: later(async () => (await answers()).allFunctions),
    GetResourceIdentitySchemas: later(async () => (await answers()).allIdentitySchemas),
    UpgradeResourceIdentity: later(async () => (await resources()).upgradeIdentity),
    ValidateProviderConfig: later(async () => (await answers()).validateProvider),
    ConfigureProvider: later(async () => (await answers()).configure),
    ValidateResourceConfig: later(async () => (await resources()).validateResource),
    UpgradeResourceState: later(async () => (await resources()).upgradeState),
    ReadResource: later(async () => (await resources()).readResource),
    PlanResourceChange: later(async () => (await resources()).planChange),
    ApplyResourceChange: later(async () => (await resources()).applyChange),
    ImportResourceState: later(async () => (await resources()).importResource),
    MoveResourceState: later(async () => (await resources()).moveState),
    ValidateDataResourceConfig: nothing,
    ReadDataSource: later(async () => (await answers()).readDataSource),
    ValidateEphemeralResourceConfig: later(
      async () => (await ephemerals()).validateEphemeralResource,
    ),
    OpenEphemeralResource: later(async () => (await ephemerals()).openEphemeral),
    RenewEphemeralResource: nothing,
    CloseEphemeralResource: later(async () => (await ephemerals()).closeEphemeral),
    CallFunction: later(async () => (await answers()).callFunction),
    StopProvider: async () => {
      (await begun()).stopping.abort();
      return {};
    },
  };
  const close = async (): Promise<void> => {
    if (session === undefined) return;
    const { openEphemerals: open, configured } = await session;
    const left = [...open.values()].map((discard) => discard());
    open.clear();
    for (const { status, ...rest } of await Promise.allSettled(left)) {
      if (status === "rejected" && "reason" in rest) log("error", String(rest.reason));
    }
    await configured?.bridge.close().catch(() => undefined);
  };
  return { handlers, close };
}
