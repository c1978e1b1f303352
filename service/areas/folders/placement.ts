// Decides who may create an object in a folder or at the root, or move it there, where it inherits other policies.
import type { Refusal } from "../../../core/operation/authorize.ts";
import {
  type PermissionAction,
  sharingAction,
} from "../../../core/operation/permission-actions.ts";
import { authorizeResource, requireResourcePermission } from "../../security/authorize-call.ts";
import type { Principal } from "../../security/principal.ts";
import { refuse } from "../../security/require-permission.ts";
import { type Resource, withParents } from "../../store/resources.ts";
import type { Db } from "../../store/schema.ts";

interface Caller {
  readonly db: Db;
  readonly principal: Principal;
}

/**
 * The action on a deployment that permits creating objects of the type at its root. FolderEdit on a folder includes
 * them.
 */
const creating = {
  folder: "FolderEdit",
  workbook: "WorkbookEdit",
  report: "ReportEdit",
} as const satisfies Readonly<Record<string, PermissionAction>>;

/** The place of an object. */
interface Placement {
  readonly type: keyof typeof creating;
  readonly deploymentId: number;
  /** `null` is the root. */
  readonly folderId: number | null;
}

/** Returns why the caller may not create an object there; undefined if it may. */
export async function authorizePlacement(
  caller: Caller,
  { type, deploymentId, folderId }: Placement,
): Promise<Refusal | undefined> {
  return folderId === null
    ? authorizeResource(caller, creating[type], { type: "deployment", id: deploymentId })
    : authorizeResource(caller, "FolderEdit", { type: "folder", id: folderId });
}

/** Throws `forbidden` unless the caller may create an object there. */
export async function requirePlacement(caller: Caller, placement: Placement): Promise<void> {
  refuse(await authorizePlacement(caller, placement));
}

/**
 * Throws `forbidden` unless the caller may move an object there. Requires the permission to create such an object. If
 * the object would inherit other policies there, which changes its sharing, also requires the permission to manage it.
 * Without a folder, the object stays.
 */
export async function requireMove(
  caller: Caller,
  id: number,
  to: Omit<Placement, "folderId"> & { readonly folderId: number | null | undefined },
): Promise<void> {
  const { folderId, type } = to;
  if (folderId === undefined) return;
  const { db } = caller;
  const current = { type, id };
  const before = await foldersOf(db, current);
  if (folderId === (before[0] ?? null)) return;
  await requirePlacement(caller, { ...to, folderId });
  const action = sharingAction(type);
  if (action === undefined) return;
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
