// Groups in either scope: selection, creation and deletion.
import { Failure } from "../../../core/errors.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { fieldError } from "../shared/field-error.ts";
import { writeInBulk } from "../shared/bulk.ts";
import { emptyToNull } from "../../store/codec.ts";
import { preparedQuery } from "../../store/prepared-query.ts";
import type { Db } from "../../store/schema.ts";

/** The scope of account-wide groups and attributes. The scope of an embed tenant is its id. */
export const accountScope = 0;

/** Selects the groups of a scope, each with its number of members. */
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
  /** Some drivers return a count as text. */
  readonly members: number | string | null;
}

/** Converts a group to the API form. */
export function showGroup({ id, name, description, members }: GroupRow) {
  return { id, name, ...omitNullish({ description }), userCount: Number(members ?? 0) };
}

const groupById = preparedQuery((db: Db, value: { scope: number; id: number }) =>
  selectGroups(db, value.scope).where("user_groups.id", "=", value.id),
);

/** Returns one group of a scope in its API form. Throws `not_found` if it does not exist. */
export async function readGroup(db: Db, scope: number, id: number) {
  const [row] = await groupById(db, { scope, id });
  if (!row) throw groupNotFound(id);
  return showGroup(row);
}

/** Returns the error for a group that is not in the scope. */
export function groupNotFound(id: number): Failure {
  return new Failure("not_found", `there is no group ${id}`);
}

/** The scope and the time of new groups. `tenantId` is null for account-wide groups. */
export interface GroupPlace {
  readonly tenantId: number | null;
  readonly createdAt: string;
}

/** The members of a new group. */
export interface NewGroup {
  readonly name: string;
  readonly description?: string | null;
}

/** Creates a group and returns it. Throws `conflict` if the name is taken in its scope. */
export async function addGroup(
  db: Db,
  { tenantId, createdAt }: GroupPlace,
  { name, description }: NewGroup,
) {
  const created = await db
    .insertInto("user_groups")
    .values({
      embed_tenant_id: tenantId,
      name,
      name_key: name.toLowerCase(),
      description: emptyToNull(description),
      created_at: createdAt,
    })
    .onConflict((on) => on.columns(["tenant_scope", "name"]).doNothing())
    .returning(["id", "name", "description"])
    .executeTakeFirst();
  if (!created) throw groupNameConflict(name);
  return showGroup({ ...created, members: 0 });
}

/** Creates groups, and reports each group that it cannot create. */
export function addGroups(db: Db, place: GroupPlace, groups: readonly NewGroup[]) {
  return writeInBulk(db, groups, (group) => addGroup(db, place, group));
}

/** Returns the error for a name that is already in use. */
export function groupNameConflict(name: string): Failure {
  return fieldError("name", [
    "conflict",
    `a group named ${JSON.stringify(name)} already exists; choose another name`,
  ]);
}

/** Deletes a group and its memberships. Throws `not_found` if it is not in the scope. */
export async function dropGroup(db: Db, scope: number, id: number): Promise<void> {
  const deleted = await db
    .deleteFrom("user_groups")
    .where("id", "=", id)
    .where("tenant_scope", "=", scope)
    .returning("id")
    .executeTakeFirst();
  if (!deleted) throw groupNotFound(id);
}
