// Changing the secret key of a database: every account in it that is under the key, while no server uses the database.
import { existsSync } from "node:fs";
import { Failure } from "../../core/errors.ts";
import {
  type AccountKeyState,
  findRootKey,
  ensureSharedOperatorKey,
} from "../security/operator-key.ts";
import {
  rotateKeyFile,
  type ResealResult,
  type RotationOptions,
  type RotationResult,
} from "./key-rotation.ts";
import { makeSealer } from "../security/seal.ts";
import { resealAll } from "../security/sealed-columns.ts";
import { type KeyRing, loadOrCreateKeyRing, accountKeyRing } from "../security/secret-key.ts";
import { openAdminDatabase, requireNoConnectedServers } from "./admin-database.ts";
import type { Database, Stores } from "../store/stores.ts";

/** A database, and the file of the key that all of its servers are given. */
export interface DatabaseKey {
  readonly database: string;
  readonly keyFile: string;
}

/** What a rotation of a database's key did. */
export interface DatabaseRotationResult extends RotationResult {
  /** The schemas of the accounts that are under the new key. */
  readonly schemas: readonly string[];
  /** The schemas of accounts that are under another key, which were left as they are. */
  readonly skippedSchemas: readonly string[];
}

/**
 * Gives the servers of a database a new secret key, in their key file, and brings every account of the database that is under
 * the old one under the new: what is sealed, and the operator's key, which another replaces. The old key stays beside the new
 * one, as {@link rotateKeyFile} says; killed at any moment, it is run again. A server that is started with both keys in between takes
 * over what is left, and one that knows the old one only can write nothing. Fails with `locked` while a server is connected,
 * `usage` where there is no key or no account under it, `corrupt` for a value that no key opens: then both keys stay.
 */
export async function rotateDatabaseKey(
  { database: url, keyFile }: DatabaseKey,
  how: RotationOptions = {},
): Promise<DatabaseRotationResult> {
  // Made where it is missing, it would be the key of nothing.
  if (!existsSync(keyFile)) {
    throw new Failure("usage", `there is no key in ${keyFile}`, {
      remedy: "Name the file that the servers of the database are given with --secret-key-file.",
    });
  }
  const { stores, database } = await openAdminDatabase(url);
  try {
    await requireNoConnectedServers(database);
    const { ours, others } = await findAccountsUsingKey(loadOrCreateKeyRing(keyFile), database);
    if (ours.length === 0) {
      throw new Failure("usage", `no account of the database is under the key in ${keyFile}`, {
        remedy: "Name the key file of its servers; a schema gets its key with their first start.",
      });
    }
    const reseal = (ring: KeyRing): Promise<ResealResult> => resealAccounts(stores, ours, ring);
    const done = await rotateKeyFile(keyFile, reseal, how);
    return { ...done, schemas: ours.map(({ schema }) => schema), skippedSchemas: others };
  } finally {
    await stores.close();
  }
}

/** An account of the database, and which keys are its own of those that all servers are given. */
interface AccountUsingKey {
  readonly schema: string;
  readonly keyRingOf: (ring: KeyRing) => KeyRing;
}

async function findAccountsUsingKey(
  ring: KeyRing,
  database: Database,
): Promise<{ ours: readonly AccountUsingKey[]; others: readonly string[] }> {
  const ours: AccountUsingKey[] = [];
  const others: string[] = [];
  for (const schema of await accountSchemas(database)) {
    const held = await readSchemaKeyState(database, schema);
    const named = schema.replace(/^svc_/, "").replaceAll("_", "-");
    const forms = [(of: KeyRing) => of, (of: KeyRing) => accountKeyRing(of, named)];
    // One that was never served is under no key, and has nothing under one.
    const isServed = held.prefix !== null || held.hash !== undefined;
    const ringOf = forms.find((form) => isServed && findRootKey(held, form(ring)) !== undefined);
    if (ringOf) ours.push({ schema, keyRingOf: ringOf });
    else others.push(schema);
  }
  return { ours, others };
}

/** The schemas that hold an account, as far as their names can be those of ours. */
async function accountSchemas(database: Database): Promise<readonly string[]> {
  const rows = await database.query(
    `select n.nspname as name from pg_namespace n
      where n.nspname ~ '^[a-z_][a-z0-9_]{0,44}$' and 4 = (select count(*) from pg_class c
        where c.relnamespace = n.oid and c.relkind = 'r'
          and c.relname in ('account', 'api_keys', 'deployment_variables', 'migrations'))
      order by 1`,
    [],
  );
  return (rows as readonly { name: string }[]).map(({ name }) => name);
}

/** Read as it is: opened, a schema of an older version would be brought up to date, whosever it is. */
async function readSchemaKeyState(database: Database, schema: string): Promise<AccountKeyState> {
  const [account] = (await database.query(`select * from ${schema}.account`, [])) as readonly {
    operator_salt?: string | null;
    seal_prefix?: string | null;
  }[];
  const [key] = (await database.query(
    `select secret_hash from ${schema}.api_keys where is_bootstrap = 1`,
    [],
  )) as readonly { secret_hash: string }[];
  const { operator_salt: salt = null, seal_prefix: prefix = null } = account ?? {};
  return { prefix, salt, hash: key?.secret_hash };
}

async function resealAccounts(
  stores: Stores,
  accounts: readonly AccountUsingKey[],
  shared: KeyRing,
): Promise<ResealResult> {
  let values = 0;
  let isBehind = false;
  for (const { schema, keyRingOf: ringOf } of accounts) {
    const ring = ringOf(shared);
    const store = await stores.open({ schema });
    const { db } = store;
    try {
      const { prefix } = await db
        .selectFrom("account")
        .select("seal_prefix as prefix")
        .executeTakeFirstOrThrow();
      const seal = makeSealer(ring.current, ring.earlier);
      // First, so that a server with the old key alone seals nothing behind our back.
      await ensureSharedOperatorKey(db, ring, new Date());
      const resealed = await resealAll(db, seal);
      values += resealed;
      isBehind ||= resealed > 0 || (prefix !== null && prefix !== seal.prefix);
    } finally {
      await store.close();
    }
  }
  return { values, hadEarlierKey: isBehind };
}
