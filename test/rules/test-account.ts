// Calls the handlers of the service for an account in memory, without HTTP and with a clock that tests control.
import type {
  AnswerOf,
  Input,
  Operation,
  Page,
  RequestOf,
} from "../../core/operation/operation.ts";
import { readAccount } from "../../service/accounts/account.ts";
import { JsonDocument } from "../../service/areas/shared/json-document.ts";
import type { OperationHandler, Call } from "../../service/areas/shared/operation-handler.ts";
import { embed } from "../../service/areas/embed/index.ts";
import { embedTenants } from "../../service/areas/embed-tenants/index.ts";
import { userAttributes } from "../../service/areas/user-attributes/index.ts";
import { userGroups } from "../../service/areas/user-groups/index.ts";
import { servicePrincipal } from "../../service/security/principal.ts";
import type { Db, Row } from "../../service/store/schema.ts";
import { createTokenEndpoints } from "../../service/git/token-endpoint.ts";
import { createRemotes } from "../../service/git/remote.ts";
import { createSeedCheck } from "../../service/engine/check-seeds.ts";
import { createCompiler } from "../../service/model/compiler.ts";
import { makeSealer } from "../../service/security/seal.ts";
import { inTransaction } from "../../service/store/transaction.ts";
import { makeTokens, type Tokens } from "../../service/security/tokens.ts";
import { createViewLog } from "../../service/areas/usage-analytics/view-log.ts";
import { loadCatalogue } from "../../service/accounts/version-catalogue.ts";
import { Secret } from "../../core/secret.ts";
import { createTestDatabase, openTestDatabase } from "../support/test-database.ts";

const handlers: readonly OperationHandler[] = [
  ...embed,
  ...embedTenants,
  ...userAttributes,
  ...userGroups,
];

/** The operator's settings that a test changes. */
export type AccountSettings = Partial<
  Pick<Row<"account">, "use_creator_mode" | "embedding_enabled" | "external_user_limit">
>;

/** An open account with one deployment, 1, and one internal user, `ann`. */
export interface TestAccount {
  readonly db: Db;
  readonly tokens: Tokens;
  /** Executes an operation; a refused write changes nothing. */
  run<O extends Operation>(operation: O, input: Input<RequestOf<O>>): Promise<AnswerOf<O>>;
  /** Reads the first page of a list. */
  list<O extends Operation>(operation: O, input: Input<RequestOf<O>>): Promise<AnswerOf<O>[]>;
  changeSettings(settings: AccountSettings): Promise<void>;
  /** Moves the clock. */
  advanceClock(seconds: number): void;
  /** Returns the time of the clock. */
  now(): Date;
  close(): Promise<void>;
}

/** A service without deployments that are connected to a Git remote. */
const withoutGit: Pick<
  Call,
  | "headers"
  | "gitPushes"
  | "syncs"
  | "github"
  | "remotes"
  | "tokenEndpoints"
  | "checkQuery"
  | "statementReader"
  | "rollupFailures"
> = {
  headers: {},
  gitPushes: { push: async () => undefined, wake: () => undefined },
  syncs: { wake: () => undefined, cancel: () => undefined },
  github: undefined,
  checkQuery: async () => ({}),
  statementReader: async () => () => ({}),
  rollupFailures: () => new Map(),
  remotes: createRemotes({ folders: [], privateHosts: [] }),
  tokenEndpoints: createTokenEndpoints({ folders: [], privateHosts: [] }),
};

/** Opens an account. */
export async function openAccount(settings: AccountSettings = {}): Promise<TestAccount> {
  const place = await createTestDatabase();
  const store = await openTestDatabase(place);
  const { db } = store;
  let time = Date.parse("2026-01-01T00:00:00.000Z");
  const root = new Secret(Buffer.alloc(32, 7).toString("base64url"));
  const tokens = makeTokens(root, () => time);
  const catalogue = loadCatalogue();
  await seedAccount(db);
  const set = async (changed: AccountSettings): Promise<void> => {
    await db.updateTable("account").set(changed).execute();
  };
  if (Object.keys(settings).length > 0) await set(settings);
  const run = async (operation: Operation, input: unknown): Promise<unknown> => {
    const behaviour = handlers.find((candidate) => candidate.operation === operation);
    if (!behaviour) throw new Error(`no handler for ${operation.id}`);
    const callOn = (on: Db): Call => ({
      params: {},
      query: {},
      body: undefined,
      ...(input as object),
      operation,
      paging: {},
      principal: servicePrincipal,
      origin: () => ({ url: "https://account.example", hasHosts: true }),
      isAccountHost: () => false,
      db: on,
      tokens,
      catalogue,
      sealer: makeSealer(root),
      compiler: createCompiler(createSeedCheck()),
      builds: { wake: () => undefined },
      views: createViewLog(() => undefined),
      deliveries: { wake: () => undefined, unsentReason: undefined },
      now: () => new Date(time),
      account: () => readAccount(on),
      description: () => new JsonDocument({}),
      bodyText: "",
      ...withoutGit,
    });
    const prepared = await behaviour.prepare?.(callOn(db));
    if (operation.effect === "read") return behaviour.run(callOn(db), prepared);
    const draft = await inTransaction(db, (tx) => behaviour.run(callOn(tx), prepared));
    return behaviour.finish ? behaviour.finish(draft, callOn(db)) : draft;
  };
  return {
    db,
    tokens,
    run: run as TestAccount["run"],
    list: (async (operation: Operation, input: unknown) =>
      ((await run(operation, input)) as Page<unknown>).items) as TestAccount["list"],
    changeSettings: set,
    advanceClock: (seconds) => (time += seconds * 1000),
    now: () => new Date(time),
    close: async () => {
      await store.close();
      await place.drop();
    },
  };
}

async function seedAccount(db: Db): Promise<void> {
  const created_at = "2026-01-01T00:00:00.000Z";
  await db.deleteFrom("account").execute();
  await db
    .insertInto("account")
    .values({
      id: 1,
      name: "account",
      use_creator_mode: 1,
      embedding_enabled: 1,
      external_user_limit: 10_000,
      created_at,
    })
    .execute();
  await db.insertInto("regions").values({ name: "here", is_public: 1 }).execute();
  await db
    .insertInto("deployments")
    .values({
      name: "analytics",
      region: "here",
      cloud_provider: "aws",
      target_platform: "aws",
      is_managed: 1,
      creation_step: "ready",
      created_at,
    })
    .execute();
  await db
    .insertInto("users")
    .values({
      username: "ann",
      email: "ann@example.com",
      email_key: "ann@example.com",
      is_admin: 1,
      is_external: 0,
      created_at,
    })
    .execute();
}
