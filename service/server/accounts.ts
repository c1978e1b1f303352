// The accounts of a server: each a store, a secret key and an operator's key of its own, and each found by its hosts.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Failure, isFailure } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { Secret } from "../../core/secret.ts";
import type { Services } from "../areas/operation-handler.ts";
import { type AccountOptions, bootstrap } from "./bootstrap.ts";
import { normalizeHost } from "../accounts/hosts.ts";
import { makeIdempotency } from "../http/idempotency.ts";
import type { RequestContext } from "../http/request-context.ts";
import { ensureOperatorKey, ensureSharedOperatorKey } from "../security/operator-key.ts";
import { makeSealer } from "../security/seal.ts";
import {
  generateKey,
  secretKeyPath,
  type KeyRing,
  loadOrCreateKeyRing,
  accountKeyRing,
} from "../security/secret-key.ts";
import { isPostgres, type Stores } from "../store/stores.ts";
import type { Db } from "../store/schema.ts";
import { makeTokens } from "../security/tokens.ts";

/** True for what can be an account's name, which is also that of an embed tenant. */
export function isAccountName(text: string): boolean {
  return /^(?=.{5,36}$)[a-z][a-z0-9-]*[a-z0-9]$/.test(text);
}

/** One account as its operator declares it. */
export interface AccountDeclaration {
  /** Also the first label of its host, and the name of its folder or schema. */
  readonly name: string;
  /** Hosts that replace the whole of its own one. */
  readonly domains: readonly string[];
  readonly settings: Omit<AccountOptions, "name">;
}

/** Several accounts of one server. */
export interface AccountsDeclaration {
  /** Accounts answer on `{name}.{host}`. */
  readonly host: string;
  readonly accounts: readonly AccountDeclaration[];
}

/** Where the accounts lie, and what all of them share. */
export interface AccountEnvironment {
  /** The stores at `data`. */
  readonly stores: Stores;
  /** A folder, `:memory:`, or the URL of a database. */
  readonly data: string;
  /** The schema of an account without a name. */
  readonly schema?: string;
  /** The file of the secret key, for accounts in a database. */
  readonly secretKeyFile?: string;
  readonly shared: Omit<Services, "tokens" | "sealer">;
  readonly checkAnswers: boolean;
  /** Whether idempotency keys are known. */
  readonly idempotencyEnabled: boolean;
  /** The clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** An account that answers. */
export interface OpenAccount {
  /** Undefined for the one account of a server that was not told of several. */
  readonly name: string | undefined;
  /** The hosts that it answers on; empty where it answers on all. */
  readonly hosts: readonly string[];
  readonly requestContext: RequestContext;
  readonly db: Db;
  /** An administrator's key that reaches everything in the account. */
  readonly adminKey: Secret;
  /** The folder that keeps it; undefined where none does. */
  readonly folder: string | undefined;
  close(): Promise<void>;
}

/** Opens the one account of a server that was not told of several; it answers on every host. */
export function openSingleAccount(
  settings: AccountOptions,
  on: AccountEnvironment,
): Promise<OpenAccount> {
  return openAccount({ name: undefined, hosts: [], folder: folderOf(on.data), settings }, on);
}

/**
 * Opens every account, one after the other. Where one cannot be opened none is, and the failure names all that could not, so
 * that a start tells what is broken before anybody is served.
 */
export async function openAllAccounts(
  { host, accounts }: AccountsDeclaration,
  on: AccountEnvironment,
): Promise<readonly OpenAccount[]> {
  refuseSingleAccountFolder(on.data);
  const opened: OpenAccount[] = [];
  const failed: { name: string; error: unknown }[] = [];
  for (const { name, domains, settings } of accounts) {
    const folder = folderOf(on.data, name);
    const hosts = [`${name}.${host}`, ...domains].map(normalizeHost);
    try {
      opened.push(await openAccount({ name, hosts, folder, settings: { ...settings, name } }, on));
    } catch (error) {
      failed.push({ name, error });
    }
  }
  if (failed.length === 0) return opened;
  await closeAllAccounts(opened);
  throw combineFailures(failed);
}

/** The one account of an earlier start would silently be left out. */
function refuseSingleAccountFolder(data: string): void {
  const folder = folderOf(data);
  if (folder === undefined || !existsSync(join(folder, "account.db"))) return;
  throw new Failure(
    "refused",
    `${folder} holds one account itself, which no file of accounts names`,
    {
      remedy: `Choose another folder, or move what is in it into ${folder}/NAME, with NAME as in the file.`,
    },
  );
}

function combineFailures(failed: readonly { name: string; error: unknown }[]): unknown {
  const bug = failed.find(({ error }) => !isFailure(error));
  if (bug) return bug.error;
  const failures = failed.map(({ error }) => error).filter((error) => isFailure(error));
  const told = failed
    .slice(0, limits.diagnosticsShown)
    .map(({ name, error }) => `${name}: ${(error as Failure).message}`);
  const remedies = new Set(failures.map(({ remedy }) => remedy ?? ""));
  return new Failure(
    failures[0]?.code ?? "unavailable",
    `${failed.length === 1 ? "an account" : `${failed.length} accounts`} cannot be opened: ${told.join("; ")}`,
    { cause: failures[0], remedy: [...remedies].filter((text) => text !== "").join(" ") },
  );
}

/** Closes every one of them, also where one of them fails to. */
export async function closeAllAccounts(accounts: readonly OpenAccount[]): Promise<void> {
  const ends = await Promise.allSettled(accounts.map((account) => account.close()));
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason;
}

/** Finds an account by the host of a request. */
export function accountFinder(
  accounts: readonly OpenAccount[],
): (host: string) => RequestContext | undefined {
  const everywhere = accounts.find(({ hosts }) => hosts.length === 0);
  if (everywhere) return () => everywhere.requestContext;
  const byHost = new Map(
    accounts.flatMap(({ hosts, requestContext: ground }) =>
      hosts.map((host) => [host, ground] as const),
    ),
  );
  return (host) => byHost.get(normalizeHost(host));
}

/** The folder of an account; undefined where it lies in memory or in a database. */
function folderOf(data: string, name = ""): string | undefined {
  return data === ":memory:" || isPostgres(data) ? undefined : join(data, name);
}

interface AccountToOpen {
  readonly name: string | undefined;
  readonly hosts: readonly string[];
  readonly folder: string | undefined;
  readonly settings: AccountOptions;
}

async function openAccount(
  { name, hosts, folder, settings }: AccountToOpen,
  on: AccountEnvironment,
): Promise<OpenAccount> {
  const { shared, checkAnswers, idempotencyEnabled: keyed, now } = on;
  const schema = name === undefined ? on.schema : accountSchema(name);
  const store = await on.stores.open({ folder, schema });
  try {
    const { db } = store;
    const date = new Date(now());
    await bootstrap(db, settings, { catalogue: shared.catalogue, now: date });
    const ring = loadAccountKeyRing({ name, folder }, on);
    const { current: root } = ring;
    const adminKey =
      store.dialect === "postgres"
        ? await ensureSharedOperatorKey(db, ring, date)
        : await ensureOperatorKey(db, folder, date);
    const seal = makeSealer(root, ring.earlier);
    store.fenceWrites(seal.prefix);
    const ground: RequestContext = {
      ...shared,
      tokens: makeTokens(root, now, ring.earlier),
      sealer: seal,
      idempotency: keyed ? makeIdempotency(seal) : undefined,
      db,
      accountId: name ?? "",
      checkAnswers,
    };
    return {
      name,
      hosts,
      requestContext: ground,
      db,
      adminKey,
      folder,
      close: () => store.close(),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The schema of one of several accounts of a database: their names hold no underscores, so no two of them share one. */
export function accountSchema(name: string): string {
  return `svc_${name.replaceAll("-", "_")}`;
}

/** Every account has a root of its own, so nothing that was signed or sealed for one is worth anything in another. */
function loadAccountKeyRing(
  { name, folder }: Pick<AccountToOpen, "name" | "folder">,
  { data, secretKeyFile }: AccountEnvironment,
): KeyRing {
  if (folder !== undefined) return loadOrCreateKeyRing(secretKeyPath(folder));
  if (!isPostgres(data)) return { current: generateKey(), earlier: [] };
  if (secretKeyFile === undefined) {
    throw new Failure("usage", "a server on a database needs a file for its secret key", {
      remedy: "Say --secret-key-file FILE: the same key for every server of the database.",
    });
  }
  const ring = loadOrCreateKeyRing(secretKeyFile);
  return name === undefined ? ring : accountKeyRing(ring, name);
}
