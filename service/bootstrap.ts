// What a fresh account starts with, the operator's settings, and the operator's own key.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Failure } from "../core/errors.ts";
import { isObject, type JsonValue } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { Secret } from "../core/secret.ts";
import { insertDeployment } from "./areas/deployments/deployments.ts";
import { settleVersions } from "./areas/deployments/versions.ts";
import { readPrivate, writePrivate } from "./files.ts";
import { keySecret, mintKey } from "./keys.ts";
import { secretHash } from "./principal.ts";
import { derivedKey } from "./secret-key.ts";
import { flag, moment } from "./store/codec.ts";
import type { Db } from "./store/schema.ts";
import { own } from "./store/search.ts";
import { inTransaction } from "./store/transaction.ts";
import type { Catalogue } from "./versions.ts";

/** What the operator says about the account; what is left out stays as it is, or as a fresh account has it. */
export interface AccountOptions {
  readonly name?: string;
  readonly useCreatorMode?: boolean;
  readonly embeddingEnabled?: boolean;
  readonly externalUserLimit?: number;
  readonly personalKeys?: boolean;
}

const regions = [
  { name: "aws-us-east-1", title: "US East (N. Virginia)", provider: "aws" },
  { name: "aws-eu-central-1", title: "Europe (Frankfurt)", provider: "aws" },
  { name: "gcp-us-central1", title: "US Central (Iowa)", provider: "gcp" },
] as const;

/** Fills a store that holds no account, and brings the account's settings to what the operator says. */
export async function bootstrap(
  db: Db,
  options: AccountOptions,
  { catalogue, now }: { catalogue: Catalogue; now: Date },
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const account = await tx.selectFrom("account").select("id").executeTakeFirst();
    if (!account) await fill(tx, { catalogue, at: moment(now) });
    await settleVersions(tx, catalogue, moment(now));
    const settings = settingsOf(options);
    if (Object.keys(settings).length > 0) await tx.updateTable("account").set(settings).execute();
  });
}

async function fill(
  tx: Db,
  { catalogue, at: createdAt }: { catalogue: Catalogue; at: string },
): Promise<void> {
  await tx
    .insertInto("account")
    .values({
      id: 1,
      name: "embedded",
      use_creator_mode: flag(true),
      embedding_enabled: flag(true),
      external_user_limit: limits.externalUsers,
      created_at: createdAt,
    })
    .execute();
  await tx
    .insertInto("regions")
    .values(regions.map((region) => ({ ...region, is_public: flag(true) })))
    .execute();
  await tx
    .insertInto("users")
    .values({
      username: "admin",
      email: "admin@svc.localhost",
      email_key: "admin@svc.localhost",
      display_name: "Administrator",
      is_admin: flag(true),
      is_external: flag(false),
      created_at: createdAt,
    })
    .execute();
  await insertDeployment(
    tx,
    { name: "main", region: regions[0].name },
    { catalogue, at: createdAt },
  );
}

function settingsOf(options: AccountOptions) {
  const { name, useCreatorMode, embeddingEnabled, externalUserLimit, personalKeys } = options;
  return {
    ...(name === undefined ? {} : { name }),
    ...(useCreatorMode === undefined ? {} : { use_creator_mode: flag(useCreatorMode) }),
    ...(embeddingEnabled === undefined ? {} : { embedding_enabled: flag(embeddingEnabled) }),
    ...(externalUserLimit === undefined ? {} : { external_user_limit: externalUserLimit }),
    ...(personalKeys === undefined ? {} : { personal_keys: flag(personalKeys) }),
  };
}

/**
 * The operator's unscoped administrator key. It is kept in `admin-key.json` of the data folder, mode 0600; where that file
 * is missing, or its key was deleted, a new key takes the place of the old one. Without a folder a new key is made.
 */
export async function operatorKey(db: Db, data: string | undefined, now: Date): Promise<Secret> {
  const path = data === undefined ? undefined : join(data, "admin-key.json");
  const kept = path === undefined ? undefined : keptKey(readPrivate(path));
  if (kept !== undefined && (await isKnown(db, kept))) return kept;
  const secret = await inTransaction(db, async (tx) => {
    await tx.deleteFrom("api_keys").where("is_bootstrap", "=", 1).execute();
    return mintOperatorKey(tx, now);
  });
  if (path !== undefined) writePrivate(path, `${JSON.stringify({ apiKey: secret.reveal() })}\n`);
  return secret;
}

/**
 * The operator's unscoped administrator key where several servers share a database: made from their secret key and a salt of
 * the database, so that each of them knows it and nothing has to be kept. Where it was deleted another takes its place. Fails
 * with `refused` where the database knows an operator's key that this secret key does not make.
 */
export async function sharedOperatorKey(db: Db, root: Secret, now: Date): Promise<Secret> {
  return inTransaction(db, async (tx) => {
    const found = await tx
      .selectFrom("api_keys")
      .select("secret_hash")
      .where("is_bootstrap", "=", 1)
      .executeTakeFirst();
    const { operator_salt: salt } = await tx
      .selectFrom("account")
      .select("operator_salt")
      .executeTakeFirstOrThrow();
    const known = keySecret(derivedKey(root, `operator ${salt}`));
    if (found?.secret_hash === secretHash(known.reveal())) {
      if (!(await isKnown(tx, known))) await rehome(tx, now);
      return known;
    }
    if (found) throw otherRoot();
    const fresh = randomBytes(16).toString("hex");
    await tx.updateTable("account").set({ operator_salt: fresh }).execute();
    const made = keySecret(derivedKey(root, `operator ${fresh}`));
    await mintOperatorKey(tx, now, made);
    return made;
  });
}

/** The operator's key goes to another administrator once its owner is none any more. */
async function rehome(tx: Db, now: Date): Promise<void> {
  await tx
    .updateTable("api_keys")
    .set({ owner_user_id: await operator(tx, moment(now)) })
    .where("is_bootstrap", "=", 1)
    .execute();
}

function otherRoot(): Failure {
  return new Failure("refused", "the secret key is not the one that this database is used with", {
    remedy: "Give every server of the database the same key file, and restore it with a backup.",
  });
}

async function mintOperatorKey(tx: Db, now: Date, secret?: Secret): Promise<Secret> {
  const minted = await mintKey(tx, {
    name: "operator",
    ownerUserId: await operator(tx, moment(now)),
    deploymentIds: null,
    isBootstrap: true,
    createdAt: moment(now),
    ...(secret === undefined ? {} : { secret }),
  });
  return minted.secret;
}

/** The oldest active administrator, or a new one where the account has none left. */
async function operator(tx: Db, createdAt: string): Promise<number> {
  const admin = await tx
    .selectFrom("users")
    .select("id")
    .where("is_admin", "=", 1)
    .where("is_deactivated", "=", 0)
    .where(own)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  if (admin) return admin.id;
  const name = `operator-${createdAt.replace(/\D/g, "")}`;
  const made = await tx
    .insertInto("users")
    .values({
      username: name,
      email: `${name}@svc.localhost`,
      email_key: `${name}@svc.localhost`,
      is_admin: flag(true),
      is_external: flag(false),
      created_at: createdAt,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return made.id;
}

function keptKey(text: string | undefined): Secret | undefined {
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text) as JsonValue;
    const key = isObject(kept) ? kept["apiKey"] : undefined;
    return typeof key === "string" ? new Secret(key) : undefined;
  } catch {
    // A torn file is as good as none: a new key takes its place.
    return undefined;
  }
}

async function isKnown(db: Db, key: Secret): Promise<boolean> {
  const found = await db
    .selectFrom("api_keys")
    .innerJoin("users", "users.id", "api_keys.owner_user_id")
    .select("api_keys.id")
    .where("secret_hash", "=", secretHash(key.reveal()))
    .where("users.is_admin", "=", 1)
    .where("users.is_deactivated", "=", 0)
    .executeTakeFirst();
  return found !== undefined;
}
