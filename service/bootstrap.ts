// What a fresh account starts with, and the operator's settings.
import { limits } from "../core/limits.ts";
import { insertDeployment } from "./areas/deployments/deployments.ts";
import { settleVersions } from "./areas/deployments/versions.ts";
import { flag, moment } from "./store/codec.ts";
import type { Db } from "./store/schema.ts";
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
