// Creates a store with many policies and folders, to test that permission checks do not slow down with their number.
import { getFolder } from "../../api/folders.ts";
import { limits } from "../../core/limits/limits.ts";
import { authorizeOperation } from "../../service/security/authorize-call.ts";
import { anonymousPrincipal } from "../../service/security/principal.ts";
import type { Db } from "../../service/store/schema.ts";

/** Number of folders that {@link fillWithPolicies} creates by default. */
export const folderCount = 10_000;

const policiesPerFolder = 10;

const at = "2030-01-01T00:00:00.000Z";
const viewer = 2;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/**
 * Fills a fresh store: chains of folders of the maximum depth, with ten policies on each. User 2 has one at the top.
 */
export async function fillWithPolicies(db: Db, count: number = folderCount): Promise<void> {
  const users = numbers(100).map((one) => ({
    username: `user-${one}`,
    is_admin: 0,
    is_external: 0,
    created_at: at,
  }));
  const folders = numbers(count).map((id) => ({
    id,
    deployment_id: 1,
    parent_id: id % limits.folderDepth === 1 ? null : id - 1,
    name: `f${id}`,
    name_key: `f${id}`,
    position: id,
    created_at: at,
    updated_at: at,
  }));
  const policies = numbers(count * policiesPerFolder).map((one) => ({
    resource_type: "folder",
    resource_id: ((one - 1) % count) + 1,
    user_id: viewer + 1 + Math.floor((one - 1) / count),
    group_id: null,
    action: "FolderRead",
  }));
  await db.transaction().execute(async (tx) => {
    await insertAll(users, (batch) => tx.insertInto("users").values(batch));
    await insertAll(folders, (batch) => tx.insertInto("folders").values(batch));
    await insertAll(policies, (batch) => tx.insertInto("resource_policies").values(batch));
    const top = { resource_type: "folder", resource_id: 1, user_id: viewer, group_id: null };
    await tx
      .insertInto("resource_policies")
      .values({ ...top, action: "FolderRead" })
      .execute();
  });
}

/** Inserts rows in batches that fit into a statement. */
async function insertAll<Row>(
  rows: readonly Row[],
  insert: (batch: Row[]) => { execute(): Promise<unknown> },
): Promise<void> {
  for (let from = 0; from < rows.length; from += 1000) {
    await insert(rows.slice(from, from + 1000)).execute();
  }
}

/** The deepest folder below the one with the policy of user 2. */
export const permittedFolder = limits.folderDepth;

/** The deepest folder below another one. */
export const refusedFolder = limits.folderDepth * 2;

const principal = { ...anonymousPrincipal, userId: viewer };

/** Decides whether user 2 may read a folder. */
export function decideOnFolder(db: Db, folderId: number) {
  return authorizeOperation({ db, principal }, getFolder, {
    params: { deploymentId: 1, folderId },
  });
}
