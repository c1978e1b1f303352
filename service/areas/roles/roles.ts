// Roles that administrators define: select, create, and convert to the API form.
import type { createRole, RolePolicy } from "../../../api/roles.ts";
import type { Static } from "typebox";
import { Failure } from "../../../core/errors.ts";
import { limits } from "../../../core/limits/limits.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import {
  builtInRoles,
  hasObjects,
  isGrantable,
} from "../../../core/operation/permission-actions.ts";
import { grantsOf } from "../../security/roles.ts";
import { countRows } from "../../store/keyset.ts";
import { emptyToNull } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import { fieldError } from "../shared/field-error.ts";
import { omitNullish } from "../shared/operation-handler.ts";

type Policies = readonly Static<typeof RolePolicy>[];

/** Selects the roles, each with its number of users. */
export function selectRoles(db: Db) {
  return db
    .selectFrom("roles")
    .selectAll("roles")
    .select((eb) =>
      eb
        .selectFrom("role_users")
        .whereRef("role_users.role_id", "=", "roles.id")
        .select((count) => count.fn.countAll<number | string>().as("users"))
        .as("users"),
    );
}

/** A row of {@link selectRoles}. */
export interface RoleRow extends Row<"roles"> {
  /** Some drivers return a count as text. */
  readonly users: number | string | null;
}

/** Converts a role to the API form. */
export function showRole(row: RoleRow) {
  const { id, name, description, users, created_at: createdAt, updated_at: updatedAt } = row;
  return {
    id,
    name,
    policies: grantsOf(row).map(({ resourceType, actions, resources }) => ({
      resourceType,
      actions: [...actions],
      resources: resources === "All" ? ("All" as const) : [...resources],
    })),
    userCount: Number(users ?? 0),
    createdAt,
    ...omitNullish({ description, updatedAt }),
  };
}

/** Returns a role. Throws `not_found` if there is none. */
export async function findRole(db: Db, id: number): Promise<RoleRow> {
  const row = await selectRoles(db).where("roles.id", "=", id).executeTakeFirst();
  if (row) return row;
  throw roleNotFound(id);
}

/** Returns the error for a missing role. */
export function roleNotFound(id: number): Failure {
  return new Failure(
    "not_found",
    `there is no role ${id}; built-in roles are set with defaultRoles`,
  );
}

/** Creates a role and returns its ID. Throws `conflict` if the name is taken. */
export async function insertRole(
  db: Db,
  { name, description, policies }: RequestOf<typeof createRole>["body"],
  createdAt: string,
): Promise<number> {
  await refuseName(db, name);
  const count = await countRows(db.selectFrom("roles"));
  if (count >= limits.roles) {
    throw new Failure("invalid", `the account has ${limits.roles} roles, which is the limit`);
  }
  const created = await db
    .insertInto("roles")
    .values({
      name,
      name_key: name.toLowerCase(),
      description: emptyToNull(description),
      policies: policiesColumn(policies),
      created_at: createdAt,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  return created.id;
}

/** Throws `invalid` for the name of a built-in role, and `conflict` for the name of another role. */
export async function refuseName(db: Db, name: string, except = 0): Promise<void> {
  const key = name.toLowerCase();
  if (Object.keys(builtInRoles).some((one) => one.toLowerCase() === key)) {
    throw fieldError("name", [
      "invalid",
      `${JSON.stringify(name)} is the name of a built-in role; choose another name`,
    ]);
  }
  const other = await db
    .selectFrom("roles")
    .select("id")
    .where("name_key", "=", key)
    .where("id", "!=", except)
    .executeTakeFirst();
  if (!other) return;
  throw fieldError("name", [
    "conflict",
    `a role named ${JSON.stringify(name)} already exists; choose another name`,
  ]);
}

/** Returns the IDs of a policy's objects. A list that contains `All` means all objects. */
function objectsOf({ resources }: Policies[number]): Policies[number]["resources"] {
  return resources.includes("All") ? "All" : resources;
}

/** Converts policies to their column. Throws `invalid` for actions of administrators, and for too many IDs. */
export function policiesColumn(requested: Policies): string {
  const policies = requested.map((policy) => ({ ...policy, resources: objectsOf(policy) }));
  for (const [index, { actions, resourceType, resources }] of policies.entries()) {
    const reserved = actions.find((action) => !isGrantable(action));
    if (reserved !== undefined) {
      const what = `only administrators have ${reserved}, so no role can grant it`;
      throw fieldError(`policies[${index}].actions`, ["invalid", what]);
    }
    if (!hasObjects(resourceType)) {
      const what = `no operation of this server has objects of the type ${resourceType}, so the policy would permit nothing`;
      throw fieldError(`policies[${index}].resourceType`, ["invalid", what]);
    }
    if (resourceType === "Global" && resources !== "All") {
      const what = 'a policy on Global is for the whole account; its resources must be "All"';
      throw fieldError(`policies[${index}].resources`, ["invalid", what]);
    }
  }
  const named = policies.flatMap(({ resources }) => (resources === "All" ? [] : resources));
  if (named.length > limits.roleResources) {
    const what = `the policies of a role can name ${limits.roleResources} objects; these name ${named.length}`;
    throw fieldError("policies", ["invalid", what]);
  }
  return JSON.stringify(policies);
}
