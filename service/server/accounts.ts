// Opens the accounts of a server, each with its own store, secret key and operator's key, and finds them by host.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import type { Secret } from "../../core/secret.ts";
import { createBuilder } from "../areas/data-model/builder.ts";
import { type MailLinks, mailLinks } from "../areas/notifications/mail-links.ts";
import { createGitSyncer } from "../areas/git/syncer.ts";
import { createSyncRunner } from "../areas/transform-sync/runner.ts";
import { createQueryChecker } from "../data-plane/check-query.ts";
import { createStatementReader } from "../data-plane/statement-reader.ts";
import { createDeliveryRunner } from "../delivery/delivery-runner.ts";
import type { DeliveryTools } from "../delivery/tools.ts";
import type { Services } from "../areas/shared/operation-handler.ts";
import { type AccountOptions, bootstrap, noAccountError } from "./bootstrap.ts";
import { normalizeHost } from "../accounts/hosts.ts";
import { createGithub, type GithubApp } from "../git/github.ts";
import type { ModelCompiler, ServerCompiler } from "../model/compiler.ts";
import { makeIdempotency } from "../http/request/idempotency.ts";
import type { RequestContext } from "../http/request/request-context.ts";
import {
  bindSecretKey,
  ensureOperatorKey,
  ensureSharedOperatorKey,
  isBoundToKey,
} from "../security/operator-key.ts";
import { isKeyAccount, listKeyAccount, lostAccountError } from "../security/key-accounts.ts";
import { makeSealer, type Sealer } from "../security/seal.ts";
import {
  generateKey,
  secretKeyPath,
  type KeyRing,
  loadKeyRing,
  loadOrCreateKeyRing,
  accountKeyRing,
} from "../security/secret-key.ts";
import {
  beginStart,
  completeStart,
  isEmptyDataFolder,
  refuseFolderOfAccounts,
  refuseSingleAccountFolder,
} from "../store/data-folder.ts";
import { defaultSchema, isPostgres, type OpenStore, type Stores } from "../store/stores.ts";
import { refuseDatabaseOfAccounts } from "../store/database-accounts.ts";
import type { Db } from "../store/schema.ts";
import { toStoreFailure } from "../store/transaction.ts";
import { makeTokens } from "../security/tokens.ts";

/** Returns true for a valid account name, which is also a valid embed tenant name. */
export function isAccountName(text: string): boolean {
  return /^(?=.{5,36}$)[a-z][a-z0-9-]*[a-z0-9]$/.test(text);
}

/** An account in the configuration. */
export interface AccountDeclaration {
  /** The name, which is also the first label of its host and the name of its folder or schema. */
  readonly name: string;
  /** Hosts that replace the default host. */
  readonly domains: readonly string[];
  readonly settings: Omit<AccountOptions, "name">;
  /** Installations of the operator's GitHub App that the account may use; none by default. */
  readonly githubInstallations?: readonly number[];
  /** Quota of all its users together, in units of cost; by default the server's quota, 0 for no limit. */
  readonly rateLimit?: number;
}

/** Several accounts of one server. */
export interface AccountsDeclaration {
  /** The default host of an account is `{name}.{host}`. */
  readonly host: string;
  readonly accounts: readonly AccountDeclaration[];
}

/** The environment that accounts are opened in. */
export interface AccountEnvironment {
  /** The stores at `data`. */
  readonly stores: Stores;
  /** A folder, `:memory:`, or the URL of a database. */
  readonly data: string;
  /** The schema of the single account. */
  readonly schema?: string;
  /** The secret key file, for accounts in a database. */
  readonly secretKeyFile?: string;
  readonly shared: Omit<
    Services,
    | "compiler"
    | "tokens"
    | "sealer"
    | "builds"
    | "gitPushes"
    | "github"
    | "syncs"
    | "deliveries"
    | "checkQuery"
    | "statementReader"
    | "rollupFailures"
  >;
  readonly compiler: ServerCompiler;
  /** The tools that draw the dashboards of all accounts. */
  readonly delivery: DeliveryTools;
  /** The operator's GitHub App. */
  readonly githubApp: GithubApp | undefined;
  /** The address at which people reach the server; undefined if the operator did not configure one. */
  readonly publicUrl: string | undefined;
  readonly checkAnswers: boolean;
  /** True if idempotency keys are enabled. */
  readonly idempotencyEnabled: boolean;
  /** True if the accounts must exist already: an empty folder or schema is an error. */
  readonly existing: boolean;
  /** Logs a warning. */
  readonly warn: (message: string) => void;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** An open account. */
export interface OpenAccount {
  /** Undefined for the single account of a server without an accounts file. */
  readonly name: string | undefined;
  /** The hosts of the account; empty if it answers on all hosts. */
  readonly hosts: readonly string[];
  readonly requestContext: RequestContext;
  readonly db: Db;
  /** An unscoped administrator key. */
  readonly adminKey: Secret;
  /** Its data folder; undefined in memory or in a database. */
  readonly folder: string | undefined;
  /** Runs queued builds until there are none. */
  runBuilds(): Promise<void>;
  /** Pulls from and pushes to the Git remotes that are due. */
  syncGitRemotes(): Promise<void>;
  /** Runs syncs of transformation projects until none is waiting. */
  runSyncs(): Promise<void>;
  /** Makes the exports that wait, and sends the notifications that are due. */
  runDeliveries(): Promise<void>;
  /** Stops its builds, synchronizations, deliveries and syncs, which another server or the next start continues. */
  stopWork(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the single account of a server. It answers on every host. */
export async function openSingleAccount(
  settings: AccountOptions,
  on: AccountEnvironment,
): Promise<OpenAccount> {
  const folder = folderOf(on.data);
  if (folder !== undefined) refuseFolderOfAccounts(folder);
  if (on.schema === undefined) await refuseDatabaseOfAccounts(on.stores);
  // All installations belong to the only account.
  const only = { name: undefined, hosts: [], githubInstallations: undefined };
  return openAccount({ ...only, folder, settings }, on);
}

/** Opens all accounts in order. If any fails, closes the others and throws one error that names all failures. */
export async function openAllAccounts(
  { host, accounts }: AccountsDeclaration,
  on: AccountEnvironment,
): Promise<readonly OpenAccount[]> {
  const parent = folderOf(on.data);
  if (parent !== undefined) refuseSingleAccountFolder(parent);
  const opened: OpenAccount[] = [];
  const failed: { name: string; error: unknown }[] = [];
  for (const { name, domains, settings, githubInstallations = [], rateLimit } of accounts) {
    const folder = folderOf(on.data, name);
    const hosts = hostsOf({ name, domains }, host);
    try {
      const account = { name, hosts, folder, settings: { ...settings, name } };
      opened.push(await openAccount({ ...account, githubInstallations, rateLimit }, on));
    } catch (error) {
      failed.push({ name, error });
    }
  }
  if (failed.length === 0) return opened;
  await closeAllAccounts(opened);
  throw combineFailures(failed);
}

function combineFailures(failed: readonly { name: string; error: unknown }[]): unknown {
  const bug = failed.find(({ error }) => !isFailure(error));
  if (bug) return bug.error;
  const failures = failed.map(({ error }) => error).filter((error) => isFailure(error));
  const messages = failed
    .slice(0, limits.diagnosticsShown)
    .map(({ name, error }) => `${name}: ${(error as Failure).message}`);
  const remedies = new Set(failures.map(({ remedy }) => remedy ?? ""));
  return new Failure(
    failures[0]?.code ?? "unavailable",
    `${failed.length === 1 ? "an account" : `${failed.length} accounts`} cannot be opened: ${messages.join("; ")}`,
    { cause: failures[0], remedy: [...remedies].filter((text) => text !== "").join(" ") },
  );
}

/** Closes all accounts, even if closing one fails. */
export async function closeAllAccounts(accounts: readonly OpenAccount[]): Promise<void> {
  const ends = await Promise.allSettled(accounts.map((account) => account.close()));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
}

/** Returns the hosts of a declared account: the one below the host of the server, then its domains. */
export function hostsOf(
  { name, domains }: Pick<AccountDeclaration, "name" | "domains">,
  parent: string,
): readonly string[] {
  return [`${name}.${parent}`, ...domains].map(normalizeHost);
}

/** Returns the data folder of an account; undefined in memory or in a database. */
export function folderOf(data: string, name = ""): string | undefined {
  return data === ":memory:" || isPostgres(data) ? undefined : join(data, name);
}

interface AccountToOpen {
  readonly name: string | undefined;
  readonly hosts: readonly string[];
  readonly folder: string | undefined;
  readonly settings: AccountOptions;
  /** Undefined for all of them. */
  readonly githubInstallations: readonly number[] | undefined;
  /** Undefined for the server's quota. */
  readonly rateLimit?: number | undefined;
}

async function openAccount(
  { name, hosts, folder, settings, githubInstallations: allowed, rateLimit }: AccountToOpen,
  on: AccountEnvironment,
): Promise<OpenAccount> {
  const { shared, now } = on;
  const schema = name === undefined ? on.schema : accountSchema(name);
  const refusal = on.existing ? noAccountError() : findLostAccount({ name, schema }, on);
  if (refusal) await requireContent(on.stores, { folder, schema, refusal });
  let isNew = folder === undefined;
  const onLocked = (locked: string): void => {
    isNew = beginStart(locked);
  };
  const store = await on.stores.open({ folder, schema, onLocked });
  try {
    const { db } = store;
    const date = new Date(now());
    const emptyError = refusal ?? (isNew ? undefined : noAccountError());
    await bootstrap(store, settings, { catalogue: shared.catalogue, now: date, emptyError });
    const ring = await loadAccountKeyRing({ name, folder, db, isNew }, on);
    const { current: root } = ring;
    const adminKey = await ensureAdminKey(store, { folder, ring, date });
    if (folder !== undefined) completeStart(folder);
    recordAccount({ schema, ring }, on);
    const sealer = makeSealer(root, ring.earlier);
    store.fenceWrites(sealer.prefix);
    const tokens = makeTokens(root, now, ring.earlier);
    const links = mailLinks(on.publicUrl, { hosts, tokens });
    const accountId = name ?? "";
    const compiler = name === undefined ? on.compiler : on.compiler.forAccount();
    const workers = createWorkers(on, { ...store, sealer, compiler, allowed, accountId, links });
    const requestContext: RequestContext = {
      ...shared,
      ...workers.services,
      compiler,
      tokens,
      sealer,
      idempotency: on.idempotencyEnabled ? makeIdempotency(sealer) : undefined,
      db,
      hosts,
      accountId,
      ...(rateLimit !== undefined && { accountQuota: rateLimit }),
      checkAnswers: on.checkAnswers,
    };
    return {
      name,
      hosts,
      requestContext,
      db,
      adminKey,
      folder,
      ...workers.runs,
      stopWork: workers.stop,
      close: async () => {
        await workers.stop();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw toStoreFailure(error);
  }
}

/** The account of workers. */
interface WorkerAccount extends Pick<OpenStore, "db" | "leaseHolders"> {
  readonly sealer: Sealer;
  readonly compiler: ModelCompiler;
  readonly allowed: readonly number[] | undefined;
  readonly accountId: string;
  readonly links: MailLinks | undefined;
}

/** Creates the workers that run builds, Git synchronizations, deliveries and syncs of transformation projects of an account in this process. */
function createWorkers(
  { shared, githubApp, delivery }: AccountEnvironment,
  { db, leaseHolders, sealer, compiler, allowed, accountId, links }: WorkerAccount,
) {
  const { now, catalogue, remotes } = shared;
  const github = githubApp && createGithub(githubApp, { allowed, now });
  const builder = createBuilder({ db, compiler, now });
  const wakeBuilder = (): void => builder.wake();
  const syncer = createGitSyncer({ db, sealer, remotes, github, catalogue, now, wakeBuilder });
  const wakePush = (deploymentId: number): void => syncer.wake(deploymentId);
  const syncs = createSyncRunner({ db, sealer, remotes, compiler, catalogue, now, wakePush });
  const source = { db, sealer, compiler, now, accountId };
  const mails = { leaseHolders, links };
  const deliveries = createDeliveryRunner({ ...delivery, ...source, ...mails });
  const checkQuery = createQueryChecker({ ...source, queries: delivery.queries });
  const statementReader = createStatementReader({ ...source, queries: delivery.queries });
  const rollupFailures = (deploymentId: number) =>
    delivery.queries.rollupFailures(accountId, deploymentId);
  const queries = { checkQuery, statementReader, rollupFailures };
  return {
    services: { builds: builder, gitPushes: syncer, syncs, github, deliveries, ...queries },
    runs: {
      runBuilds: () => builder.runQueued(),
      syncGitRemotes: () => syncer.runDue(),
      runSyncs: () => syncs.runQueued(),
      runDeliveries: () => deliveries.runQueued(),
    },
    stop: async () => {
      await deliveries.stop();
      await syncs.stop();
      await syncer.stop();
      await builder.stop();
    },
  };
}

/** Returns the error for a schema whose account was lost; undefined for any other, and on SQLite. */
function findLostAccount(
  { name, schema = defaultSchema }: Pick<AccountToOpen, "name"> & { schema: string | undefined },
  { data, secretKeyFile: keyFile }: AccountEnvironment,
): Failure | undefined {
  if (!isPostgres(data) || keyFile === undefined || !existsSync(keyFile)) return undefined;
  const ring = namedKeyRing(loadKeyRing(keyFile), name);
  const account = { keyFile, schema, ring };
  return isKeyAccount(account) ? lostAccountError(account) : undefined;
}

/**
 * Throws the refusal before a missing schema is created or an empty folder is locked, so that a backup can be restored
 * to it.
 */
async function requireContent(
  { database }: Stores,
  {
    folder,
    schema = defaultSchema,
    refusal,
  }: Pick<AccountToOpen, "folder"> & { schema: string | undefined; refusal: Failure },
): Promise<void> {
  if (folder !== undefined && isEmptyDataFolder(folder)) throw refusal;
  if (database === undefined) return;
  const found = await database.query(
    "select 1 from pg_tables where schemaname = $1 and tablename = 'account'",
    [schema],
  );
  if (found.length === 0) throw refusal;
}

/** Lists the account of a database beside the key file, so that a later start detects its loss. */
function recordAccount(
  { schema = defaultSchema, ring }: { schema: string | undefined; ring: KeyRing },
  { data, secretKeyFile: keyFile, existing, warn }: AccountEnvironment,
): void {
  if (!isPostgres(data) || keyFile === undefined) return;
  try {
    listKeyAccount({ keyFile, schema, ring });
  } catch (error) {
    if (!isFailure(error)) throw error;
    // A mounted key may be in a folder that cannot be written.
    if (!existing) {
      warn(
        `${error.message}; start with --existing, so that a lost database is not replaced by an empty one`,
      );
    }
  }
}

/** Returns the operator's key, and binds the account and its secret key to each other. */
async function ensureAdminKey(
  { db, dialect }: OpenStore,
  { folder, ring, date }: { folder: string | undefined; ring: KeyRing; date: Date },
): Promise<Secret> {
  if (dialect === "postgres") return ensureSharedOperatorKey(db, ring, date);
  await bindSecretKey(db, ring);
  return ensureOperatorKey(db, folder, date);
}

/** Returns the schema of one of several accounts. Account names contain no underscores, so schemas are unique. */
export function accountSchema(name: string): string {
  return `svc_${name.replaceAll("-", "_")}`;
}

/** Returns the keys of an account: the servers' own for a single account. */
function namedKeyRing(ring: KeyRing, name: string | undefined): KeyRing {
  return name === undefined ? ring : accountKeyRing(ring, name);
}

/** Derives a separate root key per account: tokens and encrypted values of one account are useless in another. */
async function loadAccountKeyRing(
  { name, folder, db, isNew }: Pick<AccountToOpen, "name" | "folder"> & { db: Db; isNew: boolean },
  { data, secretKeyFile }: AccountEnvironment,
): Promise<KeyRing> {
  if (folder !== undefined) {
    const path = secretKeyPath(folder);
    return isNew ? loadOrCreateKeyRing(path) : loadKeyRing(path);
  }
  if (!isPostgres(data)) return { current: generateKey(), earlier: [] };
  if (secretKeyFile === undefined) {
    throw new Failure("usage", "a server on a database needs a secret key file", {
      remedy: "Pass --secret-key-file FILE, with the same key for every server of the database.",
    });
  }
  const isBound = await isBoundToKey(db);
  const ring = isBound ? loadKeyRing(secretKeyFile) : loadOrCreateKeyRing(secretKeyFile);
  return namedKeyRing(ring, name);
}
