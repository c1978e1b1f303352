// Finds the objects of a write whose IDs are neither in the request nor in the response, for the audit log: by name, or
// by other members of the request.
import { isId } from "../../../api/schemas.ts";
import type { ChangedObject } from "../../../core/operation/changed-objects.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { memberNamed } from "../../scim/patch.ts";
import type { Call } from "../shared/operation-handler.ts";
import { selectReferencedUsers, type UserReference } from "../user-groups/membership.ts";
import { findBySlug } from "../workbooks/workbooks.ts";

/** Finds the IDs of objects before a write, without a response, or after it. An object may name its own type. */
export type ObjectLookup = (
  call: Pick<Call, "db" | "params" | "query" | "body" | "principal">,
  answer: unknown,
) => Promise<readonly (string | ChangedObject)[]>;

/** The lookups by name. */
export const objectLookups: Readonly<Record<string, ObjectLookup>> = {
  async branch({ db, params, query, body, principal }, answer) {
    const { deploymentId = 0 } = params as { readonly deploymentId?: number };
    const created = isObject(answer) ? answer["answer"] : undefined;
    const name = firstText(
      isObject(created) ? created["branchName"] : undefined,
      memberOf(body, "name"),
      memberOf(body, "branchName"),
      memberOf(query, "branchName"),
    );
    const id = memberOf(body, "branchId");
    const named = db
      .selectFrom("branches")
      .select("branches.id")
      .where("branches.deployment_id", "=", deploymentId);
    const found =
      name !== undefined
        ? named.where("branches.name", "=", name)
        : typeof id === "number"
          ? named.where("branches.id", "=", id)
          : named
              .innerJoin("dev_sessions", "dev_sessions.branch_id", "branches.id")
              .where("dev_sessions.deployment_id", "=", deploymentId)
              .where("dev_sessions.credential", "=", principal.credentialId);
    return idsOf(await found.execute());
  },
  async reportByPublicId({ db, params }) {
    const { deploymentId, publicId } = params as { deploymentId: number; publicId: string };
    const found = db
      .selectFrom("reports")
      .select("id")
      .where("deployment_id", "=", deploymentId)
      .where("public_id", "=", publicId);
    return idsOf(await found.execute());
  },
  async workbookBySlug({ db, params }) {
    const { deploymentId, slug } = params as { deploymentId: number; slug: string };
    const workbook = await findBySlug(db, deploymentId, slug);
    return workbook ? [String(workbook.id)] : [];
  },
  async workbookOfDashboard({ db, params }) {
    const { publicId } = params as { readonly publicId: string };
    const found = db
      .selectFrom("dashboards")
      .select("workbook_id as id")
      .where("public_id", "=", publicId);
    return idsOf(await found.execute());
  },
  async members({ db, params, body }) {
    const { id } = params as { readonly id: number };
    const { members } = body as { readonly members: readonly UserReference[] };
    const { withId, withEmail } = await selectReferencedUsers(db, members);
    return [...new Set(idsOf([...withId, ...withEmail]))].map((user) => `${id}/${user}`);
  },
  async embedMembers({ db, params, body }) {
    const { id, embedTenantName } = params as { id: number; embedTenantName: string };
    const list = itemsOf(body, "members");
    const externalIds = list.flatMap((one) => texts(one["externalId"]));
    const users = [
      ...list.flatMap((one) => numbers(one["embedUserId"]).map(String)),
      ...(await externalUsers(db, embedTenantName, externalIds)),
    ];
    return users.map((user) => `${id}/${user}`);
  },
  async memberships({ db, params }) {
    const { id: userId } = params as { readonly id: number };
    const rows = await db
      .selectFrom("group_members")
      .select("group_id as id")
      .where("user_id", "=", userId)
      .execute();
    return rows.map(({ id }) => `${id}/${userId}`);
  },
  async attributeValues({ db, params }) {
    const { userId } = params as { readonly userId: number };
    const rows = await db
      .selectFrom("user_attribute_values")
      .select("attribute_id as id")
      .where("user_id", "=", userId)
      .execute();
    return rows.map(({ id }) => `${userId}/${id}`);
  },
  async embedUsers({ db, params, body }) {
    const { embedTenantName } = params as { readonly embedTenantName: string };
    const list = [...itemsOf(body, "users"), ...(isObject(body) ? [body] : [])];
    const externalIds = list.flatMap((one) => texts(one["externalId"]));
    return externalUsers(db, embedTenantName, externalIds);
  },
  async recipients({ db, params, body }) {
    const { id } = params as { readonly id: number };
    const list = itemsOf(body, "recipients");
    const isExternal = (one: JsonObject) => one["type"] === "EMBED_USER";
    const own = list.filter((one) => !isExternal(one)).map((one) => ownReference(one));
    const known = own.filter((one) => one !== undefined);
    const { withId, withEmail } = await selectReferencedUsers(db, known);
    const byTenant = Map.groupBy(list.filter(isExternal), (one) => one["embedTenantName"] ?? null);
    const external: string[] = list
      .filter(isExternal)
      .flatMap((one) => [...numbers(one["embedUserId"]), ...numbers(one["id"])].map(String));
    for (const [tenant, some] of byTenant) {
      if (typeof tenant !== "string") continue;
      const externalIds = some.flatMap((one) => texts(one["externalId"]));
      external.push(...(await externalUsers(db, tenant, externalIds)));
    }
    const all = [...idsOf([...withId, ...withEmail]), ...external];
    return [...new Set(all)].map((user) => `${id}/${user}`);
  },
  async scimBulk({ body }, answer) {
    const reply = isObject(answer) ? answer["body"] : undefined;
    const listed = isObject(reply) ? reply["Operations"] : memberOf(body, "operations");
    const operations: readonly JsonValue[] = Array.isArray(listed) ? listed : [];
    return operations.flatMap((one: JsonValue): ChangedObject[] => {
      const path = firstText(memberOf(one, "location"), memberOf(one, "path"));
      const [, kind, id] = /\/(users|groups)\/([1-9][0-9]*)$/i.exec(path ?? "") ?? [];
      if (kind === undefined || id === undefined) return [];
      return [{ type: kind.toLowerCase() === "users" ? "users" : "user-groups", id }];
    });
  },
};

function ownReference(one: JsonObject): UserReference | undefined {
  const [userId] = [...numbers(one["userId"]), ...numbers(one["id"])];
  if (userId !== undefined) return { userId };
  const [email] = texts(one["email"]);
  return email === undefined ? undefined : { email };
}

async function externalUsers(
  db: Call["db"],
  tenant: string,
  externalIds: readonly string[],
): Promise<readonly string[]> {
  if (externalIds.length === 0) return [];
  const rows = await db
    .selectFrom("users")
    .select("id")
    .where("embed_tenant_id", "=", (eb) =>
      eb.selectFrom("embed_tenants").select("id").where("name", "=", tenant),
    )
    .where("external_id", "in", externalIds)
    .execute();
  return idsOf(rows);
}

function idsOf(rows: readonly { readonly id: number }[]): readonly string[] {
  return rows.map(({ id }) => String(id));
}

/** Returns a member by its name without regard to case, as SCIM requires. */
function memberOf(value: unknown, name: string): unknown {
  const object = value as JsonValue | undefined;
  if (!isObject(object)) return undefined;
  return object[name] ?? memberNamed(object, name.toLowerCase());
}

function itemsOf(body: unknown, name: string): readonly JsonObject[] {
  const list = memberOf(body, name);
  return Array.isArray(list) ? list.filter((one: JsonValue) => isObject(one)) : [];
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === "string" && value !== "");
}

function texts(value: unknown): readonly string[] {
  return typeof value === "string" ? [value] : [];
}

function numbers(value: unknown): readonly number[] {
  const number = typeof value === "string" ? Number(value) : value;
  return isId(number) ? [number] : [];
}
