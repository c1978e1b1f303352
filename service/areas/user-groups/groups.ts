// Groups wherever they live: the selection that shows them, and what both scopes do alike.
import { Failure } from "../../../core/errors.ts";
import { omitNullish } from "../operation-handler.ts";
import { fieldError } from "../field-error.ts";
import { emptyToNull } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";

/** The scope of account-wide groups and attributes; an embed tenant's is its id. */
export const accountScope = 0;

/** The groups of a scope, each with the number of its members. */
export function selectGroups(db: Db, scope: number) {
  return db
    .selectFrom("user_groups")
    .select((eb) => [
      "user_groups.id as id",
      "user_groups.name",
      "user_groups.description",
      eb
        .selectFrom("group_members")
        .whereRef("group_members.group_id", "=", "user_groups.id")
        .select((count) => count.fn.countAll<number | string>().as("members"))
        .as("members"),
    ])
    .where("user_groups.tenant_scope", "=", scope);
}

/** A row of {@link selectGroups}. */
export interface GroupRow {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  /** A database may spell a count as text. */
  readonly members: number | string | null;
}

/** A group as the API shows it. */
export function showGroup({ id, name, description, members }: GroupRow) {
  return { id, name, ...omitNullish({ description }), userCount: Number(members ?? 0) };
}

/** One group of a scope, as the API shows it; `not_found` where it is not there. */
export async function readGroup(db: Db, scope: number, id: number) {
  const row = await selectGroups(db, scope).where("user_groups.id", "=", id).executeTakeFirst();
  if (!row) throw groupNotFound(id);
  return showGroup(row);
}

/** The failure for a group that is not in its scope. */
export function groupNotFound(id: number): Failure {
  return new Failure("not_found", `there is no group ${id}`);
}

/** Makes a group and returns its id; `conflict` where the name is taken in its scope. */
export async function createGroup(
  db: Db,
  group: { tenantId: number | null; name: string; description: string | null; createdAt: string },
): Promise<number> {
  const made = await db
    .insertInto("user_groups")
    .values({
      embed_tenant_id: group.tenantId,
      name: group.name,
      description: emptyToNull(group.description),
      created_at: group.createdAt,
    })
    .onConflict((on) => on.columns(["tenant_scope", "name"]).doNothing())
    .returning("id")
    .executeTakeFirst();
  if (!made) throw groupNameConflict(group.name);
  return made.id;
}

/** The failure for a name that another group has. */
export function groupNameConflict(name: string): Failure {
  return fieldError("name", ["conflict", `a group named ${JSON.stringify(name)} exists`]);
}

/** Deletes a group with its memberships; `not_found` where it is not in its scope. */
export async function dropGroup(db: Db, scope: number, id: number): Promise<void> {
  const gone = await db
    .deleteFrom("user_groups")
    .where("id", "=", id)
    .where("tenant_scope", "=", scope)
    .returning("id")
    .executeTakeFirst();
  if (!gone) throw groupNotFound(id);
}
