// Who may put an object into a folder, where it inherits other policies.
import type { Refusal } from "../../../core/authorize.ts";
import { sharingAction } from "../../../core/permission-actions.ts";
import { authorizeResource, requireResourcePermission } from "../../security/policies.ts";
import type { Principal } from "../../security/principal.ts";
import { refuse } from "../../security/require-permission.ts";
import { type Resource, withParents } from "../../store/resources.ts";
import type { Db } from "../../store/schema.ts";

interface Caller {
  readonly db: Db;
  readonly principal: Principal;
}

/** Returns why the caller may not create an object in the folder; undefined if it may. `null` is the root. */
export async function authorizePlacement(
  caller: Caller,
  folderId: number | null,
): Promise<Refusal | undefined> {
  if (folderId === null) return undefined;
  return authorizeResource(caller, "FolderEdit", { type: "folder", id: folderId });
}

/**
 * Throws `forbidden` unless the caller may put an object into the folder; `null` is the root. It takes the permission to edit the
 * folder, and to manage an object that would inherit other policies there: that shares the object, or ends its sharing.
 * `current`: the object; undefined for a new one.
 */
export async function requirePlacement(
  caller: Caller,
  folderId: number | null | undefined,
  current?: Resource,
): Promise<void> {
  if (folderId === undefined) return;
  const { db } = caller;
  const before = current === undefined ? [] : await foldersOf(db, current);
  if (folderId === (before[0] ?? null)) return;
  refuse(await authorizePlacement(caller, folderId));
  const action = current && sharingAction(current.type);
  if (current === undefined || action === undefined) return;
  const outer = folderId === null ? [] : await foldersOf(db, { type: "folder", id: folderId });
  const after = folderId === null ? [] : [folderId, ...outer];
  if (!(await haveOtherPolicies(db, before, after))) return;
  await requireResourcePermission(caller, action, current);
}

/** Returns the folders that contain an object, the innermost first. */
async function foldersOf(db: Db, object: Resource): Promise<readonly number[]> {
  const [, ...around] = await withParents(db, object);
  return around.filter(({ type }) => type === "folder").map(({ id }) => id);
}

async function haveOtherPolicies(
  db: Db,
  before: readonly number[],
  after: readonly number[],
): Promise<boolean> {
  const changed = [...before, ...after].filter((id) => !before.includes(id) || !after.includes(id));
  if (changed.length === 0) return false;
  const policy = await db
    .selectFrom("resource_policies")
    .select("id")
    .where("resource_type", "=", "folder")
    .where("resource_id", "in", changed)
    .limit(1)
    .executeTakeFirst();
  return policy !== undefined;
}
