// Reads the objects of an audit entry, for the types that no operation of the API reads by ID: in one query, or two, for all
// objects of a call.
import { policyEntryType } from "../../../api/resource-policies.ts";
import { isId } from "../../../api/schemas.ts";
import { isFailure } from "../../../core/errors.ts";
import type { JsonObject, JsonValue } from "../../../core/json.ts";
import { policyTypes, type ResourceKind } from "../../../core/operation/permission-actions.ts";
import { fromJson } from "../../store/codec.ts";
import { variableSealContext } from "../../security/sealed-columns.ts";
import type { Db, Row } from "../../store/schema.ts";
import { showSettings } from "../deployments/settings.ts";
import { selectSessions, showSession } from "../embed/live-sessions.ts";
import { showExternalUser } from "../embed-tenants/external-users.ts";
import { type Call, omitNullish } from "../shared/operation-handler.ts";
import { showAttribute } from "../user-attributes/definitions.ts";
import { policyGroupsOf } from "../user-groups/membership.ts";
import { showUsers } from "../users/users.ts";
import { showWorkbooks } from "../workbooks/workbooks.ts";

/** Reads objects by their IDs in the audit log. Those that do not exist are left out. */
export type ObjectReader = (
  call: Call,
  ids: readonly string[],
) => Promise<ReadonlyMap<string, JsonObject>>;

/** The readers by type. */
export const objectReaders: Readonly<Record<string, ObjectReader>> = {
  users: byNumber(readUsers),
  deployments: byNumber(readDeployments),
  workbooks: byNumber(async (db, ids) => {
    const rows = await db.selectFrom("workbooks").selectAll().where("id", "in", ids).execute();
    return withIds(await showWorkbooks(db, rows));
  }),
  "user-attributes": byNumber(async (db, ids) => {
    const rows = await db
      .selectFrom("user_attributes")
      .selectAll()
      .where("id", "in", ids)
      .execute();
    return withIds(rows.map(showAttribute));
  }),
  "embed-tenants": async ({ db }, names) => {
    const rows = await db
      .selectFrom("embed_tenants")
      .selectAll()
      .where("name", "in", names)
      .execute();
    return new Map(
      rows.map(({ id, name, display_name: displayName }) => [
        name,
        { id, name, ...omitNullish({ displayName }) },
      ]),
    );
  },
  "env-vars": readVariables,
  state: async ({ db }, names) => {
    const rows = await db.selectFrom("states").selectAll().where("name", "in", names).execute();
    return new Map(rows.map(({ name, version, bytes }) => [name, { name, version, bytes }]));
  },
  comments: byNumber(async (db, ids) => {
    const rows = await db
      .selectFrom("dashboard_comments")
      .selectAll()
      .where("id", "in", ids)
      .execute();
    return withIds(rows.map(showComment));
  }),
  "embed-sessions": byNumber(async (db, ids, { now }) =>
    withIds(
      (await selectSessions(db, now()).where("embed_sessions.id", "in", ids).execute()).map(
        showSession,
      ),
    ),
  ),
  uploads: async ({ db }, ids) => {
    const rows = await db.selectFrom("uploads").selectAll().where("id", "in", ids).execute();
    return new Map(rows.map((row) => [row.id, { files: row.file_count, bytes: row.file_bytes }]));
  },
  branches: byNumber(readBranches),
  "staging-environments": byNumber(readBranches),
  "data-models": byNumber(async (db, ids) => {
    const rows = await selectBranches(db)
      .innerJoin("deployments", (on) =>
        on
          .onRef("deployments.id", "=", "branches.deployment_id")
          .onRef("deployments.deploy_branch_name", "=", "branches.name"),
      )
      .select("deployments.id as deployment")
      .where("deployments.id", "in", ids)
      .execute();
    return new Map(
      rows.map(({ deployment, name, hash, message }) => [
        String(deployment),
        { branchName: name, lastHash: hash, message },
      ]),
    );
  }),
  "user-group-members": pairs(readMembers),
  "embed-group-members": pairs(readMembers),
  "role-users": pairs(readAssignments),
  "user-attribute-values": pairs(readAttributeValues),
  "notification-recipients": pairs(readRecipients),
  "embed-access": readEmbedAccess,
  ...Object.fromEntries(
    policyTypes.flatMap((type) =>
      (["user", "group"] as const).map((subject) => [
        policyEntryType(type, subject),
        policyReader(type.toLowerCase() as ResourceKind, `${subject}_id`),
      ]),
    ),
  ),
};

/** Wraps a reader of rows with a numeric ID. */
function byNumber(
  read: (db: Db, ids: readonly number[], call: Call) => Promise<ReadonlyMap<string, JsonObject>>,
): ObjectReader {
  return async (call, ids) => {
    const numbers = ids.map(Number).filter((id) => isId(id));
    return numbers.length === 0 ? new Map() : read(call.db, numbers, call);
  };
}

/** Returns the IDs at a position between slashes, without IDs that no object can have. */
function partsOf(ids: readonly string[], index: number): readonly number[] {
  return [...new Set(ids.map((id) => Number(id.split("/")[index])))].filter((id) => isId(id));
}

function withIds(objects: readonly { readonly id: number }[]): ReadonlyMap<string, JsonObject> {
  return new Map(objects.map((one) => [String(one.id), one as object as JsonObject]));
}

/** A password is compared by its hash, and never shown. */
async function readUsers(db: Db, ids: readonly number[]) {
  const rows = await db.selectFrom("users").selectAll().where("id", "in", ids).execute();
  const passwords = await db
    .selectFrom("user_passwords")
    .select(["user_id", "password_hash"])
    .where("user_id", "in", ids)
    .execute();
  const hashes = new Map(passwords.map((row) => [row.user_id, row.password_hash]));
  const internal = rows.filter((row) => row.is_external === 0);
  const shown = internal.length === 0 ? [] : await showUsers(db, internal);
  const external = rows.filter((row) => row.is_external === 1);
  const groups = external.length === 0 ? new Map() : await policyGroupsOf(db, ids);
  return withIds(
    [
      ...shown,
      ...external.map((row) => ({ ...showExternalUser(row), groups: groups.get(row.id) ?? [] })),
    ].map((user) => ({
      ...user,
      ...omitNullish({ password: hashes.get(user.id) }),
    })),
  );
}

/** A value is compared by a keyed hash, and never shown: each write of it is encrypted differently. */
async function readVariables(
  { db, params, sealer, tokens }: Call,
  names: readonly string[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const { deploymentId } = params as { readonly deploymentId: number };
  const rows = await db
    .selectFrom("deployment_variables")
    .select(["deployment_id", "name", "sealed_value"])
    .where("deployment_id", "=", deploymentId)
    .where("name", "in", names)
    .execute();
  const hashOf = (row: (typeof rows)[number]): string => {
    const place = variableSealContext(row);
    try {
      return tokens.shortHmac(`${place} ${sealer.open(row.sealed_value, place)}`);
    } catch (error) {
      // A damaged value can be replaced and deleted.
      if (isFailure(error, "corrupt")) return row.sealed_value;
      throw error;
    }
  };
  return new Map(rows.map((row) => [row.name, { name: row.name, value: hashOf(row) }]));
}

async function readDeployments(
  db: Db,
  ids: readonly number[],
  { catalogue, origin }: Call,
): Promise<ReadonlyMap<string, JsonObject>> {
  const rows = await db.selectFrom("deployments").selectAll().where("id", "in", ids).execute();
  return withIds(rows.map((row) => showSettings(row, { catalogue, origin: origin() })));
}

function showComment(row: Row<"dashboard_comments">) {
  return {
    id: row.id,
    body: row.body,
    mentions: fromJson(row.mentions),
    ...omitNullish({
      threadId: row.thread_id,
      widgetId: row.widget_id,
      resolvedAt: row.resolved_at,
    }),
  };
}

function selectBranches(db: Db) {
  return db
    .selectFrom("branches")
    .innerJoin("model_trees", "model_trees.id", "branches.tree_id")
    .innerJoin("model_commits", "model_commits.id", "branches.head_id")
    .select(["branches.id", "branches.name", "branches.staging_enabled"])
    .select(["model_trees.hash", "model_commits.message"]);
}

async function readBranches(db: Db, ids: readonly number[]) {
  const rows = await selectBranches(db).where("branches.id", "in", ids).execute();
  return new Map(
    rows.map(({ id, name, staging_enabled: enabled, hash }) => [
      String(id),
      { name, isStagingEnvironmentEnabled: enabled === 1, lastHash: hash },
    ]),
  );
}

function valueOf(text: string | null): JsonValue {
  return text === null ? null : fromJson(text);
}

/** A row that connects two objects, with their IDs. */
interface Pair {
  readonly first: number;
  readonly second: number;
}

/** Wraps a reader of rows that connect two objects, whose ID joins the IDs of both: `5/9`. */
function pairs(
  read: (
    db: Db,
    firsts: readonly number[],
    seconds: readonly number[],
  ) => Promise<readonly (Pair & { readonly values: JsonObject })[]>,
): ObjectReader {
  return async ({ db }, ids) => {
    const [firsts, seconds] = [partsOf(ids, 0), partsOf(ids, 1)];
    if (firsts.length === 0 || seconds.length === 0) return new Map();
    const idSet = new Set(ids);
    const rows = (await read(db, firsts, seconds)).map(
      ({ first, second, values }) => [`${first}/${second}`, values] as const,
    );
    return new Map(rows.filter(([id]) => idSet.has(id)));
  };
}

async function readMembers(db: Db, groups: readonly number[], users: readonly number[]) {
  const rows = await db
    .selectFrom("group_members")
    .selectAll()
    .where("group_id", "in", groups)
    .where("user_id", "in", users)
    .execute();
  return rows.map(({ group_id: groupId, user_id: userId }) => ({
    first: groupId,
    second: userId,
    values: { groupId, userId },
  }));
}

async function readAssignments(db: Db, roles: readonly number[], users: readonly number[]) {
  const rows = await db
    .selectFrom("role_users")
    .selectAll()
    .where("role_id", "in", roles)
    .where("user_id", "in", users)
    .execute();
  return rows.map(({ role_id: roleId, user_id: userId }) => ({
    first: roleId,
    second: userId,
    values: { roleId, userId },
  }));
}

async function readAttributeValues(
  db: Db,
  users: readonly number[],
  attributes: readonly number[],
) {
  const rows = await db
    .selectFrom("user_attribute_values")
    .selectAll()
    .where("user_id", "in", users)
    .where("attribute_id", "in", attributes)
    .execute();
  return rows.map(({ user_id: userId, attribute_id: attributeId, value }) => ({
    first: userId,
    second: attributeId,
    values: { userId, attributeId, value: fromJson(value) },
  }));
}

async function readRecipients(db: Db, notifications: readonly number[], users: readonly number[]) {
  const rows = await db
    .selectFrom("recipients")
    .selectAll()
    .where("notification_id", "in", notifications)
    .where("user_id", "in", users)
    .execute();
  return rows.map((row) => ({
    first: row.notification_id,
    second: row.user_id,
    values: {
      notificationId: row.notification_id,
      userId: row.user_id,
      ...omitNullish({
        groups: valueOf(row.user_groups),
        userAttributes: valueOf(row.user_attributes),
        securityContext: valueOf(row.security_context),
      }),
    },
  }));
}

/** Reads policies by the ID of the object and the ID of the subject. A policy for all users has no subject ID. */
function policyReader(type: ResourceKind, subject: "user_id" | "group_id"): ObjectReader {
  return async ({ db }, ids) => {
    const [objects, subjects] = [partsOf(ids, 0), partsOf(ids, 1)];
    if (objects.length === 0) return new Map();
    const other = subject === "user_id" ? "group_id" : "user_id";
    const rows = await db
      .selectFrom("resource_policies")
      .selectAll()
      .where("resource_type", "=", type)
      .where("resource_id", "in", objects)
      .where(other, "is", null)
      .where((eb) =>
        eb.or([
          eb(subject, "is", null),
          ...(subjects.length === 0 ? [] : [eb(subject, "in", subjects)]),
        ]),
      )
      .execute();
    const idSet = new Set(ids);
    const found = rows.map((row) => {
      const named = { resourceId: row.resource_id, ...omitNullish({ [subject]: row[subject] }) };
      return [Object.values(named).join("/"), { action: row.action }] as const;
    });
    return new Map(found.filter(([id]) => idSet.has(id)));
  };
}

/** Reads the access of an embed tenant to a workbook, `5/acme`, or the access of all tenants: `5`. */
async function readEmbedAccess(
  { db }: Pick<Call, "db">,
  ids: readonly string[],
): Promise<ReadonlyMap<string, JsonObject>> {
  const workbooks = partsOf(ids, 0);
  if (workbooks.length === 0) return new Map();
  const rows = await db
    .selectFrom("workbook_embed_access")
    .leftJoin("embed_tenants", "embed_tenants.id", "workbook_embed_access.embed_tenant_id")
    .select(["workbook_embed_access.workbook_id", "embed_tenants.name"])
    .where("workbook_embed_access.workbook_id", "in", workbooks)
    .execute();
  const published = await db
    .selectFrom("dashboards")
    .select(["workbook_id", "allow_embed"])
    .where("workbook_id", "in", workbooks)
    .where("status", "=", "published")
    .execute();
  const allowed = new Map(published.map((row) => [row.workbook_id, row.allow_embed === 1]));
  const granted = new Set(
    rows.map(({ workbook_id: id, name }) => (name === null ? String(id) : `${id}/${name}`)),
  );
  return new Map(
    ids.map((id) => [
      id,
      {
        action: granted.has(id) ? "read" : "none",
        allowEmbed: allowed.get(Number(id.split("/")[0])) ?? false,
      },
    ]),
  );
}
