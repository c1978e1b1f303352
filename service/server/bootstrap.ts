// Creates the initial content of an account and applies the operator's settings.
import { Failure } from "../../core/errors.ts";
import { limits } from "../../core/limits/limits.ts";
import { addDeployment } from "../areas/deployments/create-deployment.ts";
import { assignMissingVersions } from "../areas/deployments/versions.ts";
import { toFlag, toTimestamp } from "../store/codec.ts";
import { endLeases } from "../store/end-leases.ts";
import type { Db } from "../store/schema.ts";
import type { OpenStore } from "../store/stores.ts";
import { inTransaction } from "../store/transaction.ts";
import type { Catalogue } from "../accounts/version-catalogue.ts";

/**
 * The operator's settings of the account. Absent members keep their value or its default. Creator mode, embedding and
 * personal keys are tenant settings: the options are only their initial values.
 */
export interface AccountOptions {
  readonly name?: string;
  readonly useCreatorMode?: boolean;
  readonly embeddingEnabled?: boolean;
  readonly externalUserLimit?: number;
  readonly personalKeys?: boolean;
}

/** The environment of a bootstrap. */
export interface BootstrapContext {
  readonly catalogue: Catalogue;
  readonly now: Date;
  /** The error for an empty store; if absent, an account is created in it. */
  readonly emptyError?: Failure | undefined;
}

const regions = [
  { name: "aws-us-east-1", title: "US East (N. Virginia)", provider: "aws" },
  { name: "aws-eu-central-1", title: "Europe (Frankfurt)", provider: "aws" },
  { name: "gcp-us-central1", title: "US Central (Iowa)", provider: "gcp" },
] as const;

/**
 * Fills an empty store, applies the operator's settings, and ends the leases of a killed server. Throws `emptyError` for an empty store if it is set.
 */
export async function bootstrap(
  { db, dialect }: Pick<OpenStore, "db" | "dialect">,
  options: AccountOptions,
  { catalogue, now, emptyError }: BootstrapContext,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    const account = await tx.selectFrom("account").select("id").executeTakeFirst();
    if (!account && emptyError) throw emptyError;
    if (!account) await insertInitialData(tx, { catalogue, at: toTimestamp(now) });
    await assignMissingVersions(tx, catalogue);
    const settings = settingsColumns(options, account === undefined);
    if (Object.keys(settings).length > 0) await tx.updateTable("account").set(settings).execute();
  });
  // On SQLite, no other server can have the account open.
  if (dialect === "sqlite") await endLeases(db, new Date());
}

/** Returns the error for a folder or schema without an account. */
export function noAccountError(): Failure {
  return new Failure("refused", "the store contains no account", {
    remedy:
      "Check that this is the right folder or schema and that its disk is mounted, or restore a backup. To create a new account, start without --existing on an empty folder or schema.",
  });
}

async function insertInitialData(
  tx: Db,
  { catalogue, at: createdAt }: { catalogue: Catalogue; at: string },
): Promise<void> {
  await tx
    .insertInto("account")
    .values({
      id: 1,
      name: "embedded",
      use_creator_mode: toFlag(true),
      embedding_enabled: toFlag(true),
      external_user_limit: limits.externalUsers,
      created_at: createdAt,
    })
    .execute();
  await tx
    .insertInto("regions")
    .values(regions.map((region) => ({ ...region, is_public: toFlag(true) })))
    .execute();
  await tx
    .insertInto("users")
    .values({
      username: "admin",
      name_key: "admin",
      email: "admin@svc.localhost",
      email_key: "admin@svc.localhost",
      display_name: "Administrator",
      is_admin: toFlag(true),
      is_external: toFlag(false),
      created_at: createdAt,
    })
    .execute();
  const now = new Date(createdAt);
  await addDeployment(tx, { name: "main", region: regions[0].name }, { catalogue, now });
}

/** Administrators change the tenant settings later, so the options are only their initial values. */
function settingsColumns(options: AccountOptions, isNew: boolean) {
  const { name, useCreatorMode, embeddingEnabled, externalUserLimit, personalKeys } = options;
  return {
    ...(name === undefined ? {} : { name }),
    ...(useCreatorMode === undefined || !isNew ? {} : { use_creator_mode: toFlag(useCreatorMode) }),
    ...(embeddingEnabled === undefined || !isNew
      ? {}
      : { embedding_enabled: toFlag(embeddingEnabled) }),
    ...(externalUserLimit === undefined ? {} : { external_user_limit: externalUserLimit }),
    ...(personalKeys === undefined || !isNew ? {} : { personal_keys: toFlag(personalKeys) }),
  };
}
