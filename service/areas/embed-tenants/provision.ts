// Provisions external users, one by one or in bulk.
import type { CredentialLimits } from "../../../core/operation/authorize.ts";
import { Failure } from "../../../core/errors.ts";
import type { Account } from "../../accounts/account.ts";
import type { Db } from "../../store/schema.ts";
import { writeInBulk } from "../shared/bulk.ts";
import { accountScope } from "../user-groups/groups.ts";
import {
  checkExternalId,
  createExternalUser,
  findExternalUser,
  type ExternalUserInput,
  selectExternalUsers,
  showExternalUser,
  updateExternalUser,
} from "./external-users.ts";
import { replaceMemberships } from "./memberships.ts";
import { ensureTenant } from "./tenants.ts";

/** The desired state of an external user. */
export interface DesiredExternalUser extends ExternalUserInput {
  readonly externalId: string;
  /** Account-wide memberships; unchanged if absent. */
  readonly groups?: readonly string[] | null;
  /** Memberships in the embed tenant; unchanged if absent. */
  readonly tenantGroups?: readonly string[] | null;
}

/** The embed tenant to provision users in. */
export interface ProvisionContext {
  readonly db: Db;
  readonly account: Account;
  /** Created if it does not exist. */
  readonly tenantName: string;
  readonly at: string;
  /** Limits of the credential that provisions. */
  readonly limits: CredentialLimits;
}

/**
 * Creates or updates the user and returns its API form. Throws `invalid` for a bad external id or unknown groups, and
 * `limit_reached` at the account's limit.
 */
export async function provision(place: ProvisionContext, desired: DesiredExternalUser) {
  const { db, tenantName, at, account, limits } = place;
  checkExternalId(desired.externalId);
  const tenantId = await ensureTenant(db, tenantName, at);
  const { externalId } = desired;
  const user = await findExternalUser(db, tenantId, externalId);
  if (user) await updateExternalUser(db, user, desired);
  const newUser = {
    tenantId,
    externalId,
    input: desired,
    limit: account.externalUserLimit,
    createdAt: at,
  };
  const userId = user?.id ?? (await createExternalUser(db, newUser));
  const { groups, tenantGroups } = desired;
  const join = async (scope: number, names: readonly string[] | null | undefined) =>
    names && replaceMemberships(db, { userId, scope, names, limits });
  await join(accountScope, groups);
  await join(tenantId, tenantGroups);
  const shown = selectExternalUsers(db, tenantId).where("users.id", "=", userId);
  return showExternalUser(await shown.executeTakeFirstOrThrow());
}

/** Provisions the users in order. If one fails, only that user is rolled back. */
export async function provisionMany(
  place: ProvisionContext,
  desiredUsers: readonly DesiredExternalUser[],
) {
  const seen = new Set<string>();
  const { succeeded, failed } = await writeInBulk(place.db, desiredUsers, async (desired) => {
    refuseDuplicate(seen, desired.externalId);
    return provision(place, desired);
  });
  const named = failed.map(({ index, error }) => ({
    externalId: desiredUsers[index]?.externalId ?? "",
    error,
  }));
  return { succeeded, failed: named };
}

/** Creates the users in order. A user that exists is reported as `conflict` and not changed. */
export function createMany(place: ProvisionContext, desiredUsers: readonly DesiredExternalUser[]) {
  return writeInBulk(place.db, desiredUsers, async (desired) => {
    checkExternalId(desired.externalId);
    await refuseExisting(place, desired.externalId);
    return provision(place, desired);
  });
}

async function refuseExisting(
  { db, tenantName, at }: ProvisionContext,
  externalId: string,
): Promise<void> {
  const tenantId = await ensureTenant(db, tenantName, at);
  if ((await findExternalUser(db, tenantId, externalId)) === undefined) return;
  throw new Failure(
    "conflict",
    `an external user ${JSON.stringify(externalId)} already exists in the embed tenant`,
  );
}

function refuseDuplicate(seen: Set<string>, externalId: string): void {
  if (seen.has(externalId)) {
    throw new Failure(
      "invalid",
      "externalId is repeated in this request; only its first occurrence was processed",
    );
  }
  seen.add(externalId);
}
