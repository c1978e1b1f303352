// Rotates the secret key of a database: re-encrypts every account under that key while no server is running.
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

/** A database and the key file of all its servers. */
export interface DatabaseKey {
  readonly database: string;
  readonly keyFile: string;
}

/** The result of a rotation. */
export interface DatabaseRotationResult extends RotationResult {
  /** Schemas of the accounts under the new key. */
  readonly schemas: readonly string[];
  /** Schemas of accounts under another key, which were skipped. */
  readonly skippedSchemas: readonly string[];
}

/**
 * Gives the servers of a database a new secret key in their key file and moves every account under the old key to the
 * new one: encrypted values and the operator's key, which is replaced. The old key stays beside the new one, see
 * {@link rotateKeyFile}. An interrupted rotation can be run again. A server that starts in between with both keys
 * finishes it, and a server with only the old key cannot write. Throws `locked` while a server is connected, `usage`
 * if there is no key or no account under it, and `corrupt` for a value that no key decrypts; then both keys stay.
 */
export async function rotateDatabaseKey(
  { database: url, keyFile }: DatabaseKey,
  how: RotationOptions = {},
): Promise<DatabaseRotationResult> {
  // Do not create a missing key file here: a new key would decrypt nothing.
  if (!existsSync(keyFile)) {
    throw new Failure("usage", `there is no key in ${keyFile}`, {
      remedy: "Pass the key file of the database's servers with --secret-key-file.",
    });
  }
  const { stores, database } = await openAdminDatabase(url);
  try {
    await requireNoConnectedServers(database);
    const { ours, others } = await findAccountsUsingKey(loadOrCreateKeyRing(keyFile), database);
    if (ours.length === 0) {
      throw new Failure("usage", `no account in the database uses the key in ${keyFile}`, {
        remedy:
          "Pass the key file of its servers. A schema gets its key at the first start of a server.",
      });
    }
    const reseal = (ring: KeyRing): Promise<ResealResult> => resealAccounts(stores, ours, ring);
    const done = await rotateKeyFile(keyFile, reseal, how);
    return { ...done, schemas: ours.map(({ schema }) => schema), skippedSchemas: others };
  } finally {
    await stores.close();
  }
}

/** An account of the database, and its own keys, derived from the servers' keys. */
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
    // An account that was never served has no key and no secrets.
    const isServed = held.prefix !== null || held.hash !== undefined;
    const ringOf = forms.find((form) => isServed && findRootKey(held, form(ring)) !== undefined);
    if (ringOf) ours.push({ schema, keyRingOf: ringOf });
    else others.push(schema);
  }
  return { ours, others };
}

/** Returns the schemas that contain an account, among valid schema names. */
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

/** Reads the schema without opening it: opening would migrate it, even if it belongs to another server. */
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
      const sealer = makeSealer(ring.current, ring.earlier);
      // Update the account first, so that a server with only the old key stops encrypting new values.
      await ensureSharedOperatorKey(db, ring, new Date());
      const resealed = await resealAll(db, sealer);
      values += resealed;
      isBehind ||= resealed > 0 || (prefix !== null && prefix !== sealer.prefix);
    } finally {
      await store.close();
    }
  }
  return { values, hadEarlierKey: isBehind };
}
