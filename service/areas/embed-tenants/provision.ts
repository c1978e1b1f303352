// Provisioning external users: the state they are to have, one by one or in bulk.
import { statusOf } from "../../../api/problems.ts";
import { Failure } from "../../../core/errors.ts";
import type { Account } from "../../accounts/account.ts";
import { inSavepoint } from "../../store/transaction.ts";
import type { Db } from "../../store/schema.ts";
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

/** The state that an external user is to have. */
export interface DesiredExternalUser extends ExternalUserInput {
  readonly externalId: string;
  /** Account-wide memberships; kept where they are left out. */
  readonly groups?: readonly string[] | null;
  /** Memberships in the embed tenant; kept where they are left out. */
  readonly tenantGroups?: readonly string[] | null;
}

/** Where users are provisioned. */
export interface ProvisionContext {
  readonly db: Db;
  readonly account: Account;
  /** Made where it is missing. */
  readonly tenantName: string;
  readonly at: string;
}

/** Makes the user what is wished and shows it; `invalid` for a bad external id or unknown groups, or `limit_reached`. */
export async function provision(place: ProvisionContext, wish: DesiredExternalUser) {
  const { db, tenantName, at, account } = place;
  checkExternalId(wish.externalId);
  const tenantId = await ensureTenant(db, tenantName, at);
  const { externalId } = wish;
  const user = await findExternalUser(db, tenantId, externalId);
  if (user) await updateExternalUser(db, user, wish);
  const limit = account.externalUserLimit;
  const newcomer = { tenantId, externalId, input: wish, limit, createdAt: at };
  const userId = user?.id ?? (await createExternalUser(db, newcomer));
  const { groups, tenantGroups } = wish;
  if (groups) await replaceMemberships(db, { userId, scope: accountScope, names: groups });
  if (tenantGroups) await replaceMemberships(db, { userId, scope: tenantId, names: tenantGroups });
  const shown = selectExternalUsers(db, tenantId).where("users.id", "=", userId);
  return showExternalUser(await shown.executeTakeFirstOrThrow());
}

/** Provisions each of them in turn; the failure of one undoes what was done for it, and no more. */
export async function provisionMany(
  place: ProvisionContext,
  wishes: readonly DesiredExternalUser[],
) {
  const succeeded: Awaited<ReturnType<typeof provision>>[] = [];
  const failed: { externalId: string; error: { status: number; message: string } }[] = [];
  const seen = new Set<string>();
  for (const wish of wishes) {
    const { externalId } = wish;
    try {
      refuseDuplicate(seen, externalId);
      succeeded.push(await inSavepoint(place.db, () => provision(place, wish)));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      failed.push({
        externalId,
        error: { status: statusOf(error.code), message: error.message },
      });
    }
  }
  return { succeeded, failed };
}

function refuseDuplicate(seen: Set<string>, externalId: string): void {
  if (seen.has(externalId)) {
    throw new Failure("invalid", "externalId is given twice; only the first was looked at");
  }
  seen.add(externalId);
}
