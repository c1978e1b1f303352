// Creates, changes and deletes users for an identity provider.
import { parseId } from "../../../api/schemas.ts";
import { endDeactivated } from "../../identity/end-access.ts";
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject, type JsonValue } from "../../../core/json.ts";
import { httpUrlPattern, trimmedPattern } from "../../../core/text/text-patterns.ts";
import { userType } from "../../scim/attributes.ts";
import { normalizeResource } from "../../scim/normalize.ts";
import { applyChanges, attributeChanges, patchOperations } from "../../scim/patch.ts";
import { scimError } from "../../scim/scim-error.ts";
import { toFlag, toShortJson, toTimestamp } from "../../store/codec.ts";
import type { Db } from "../../store/schema.ts";
import { isInternalUser } from "../../store/sql-conditions.ts";
import { guardChange, guardDelete } from "../users/guards.ts";
import { dropUser } from "../users/users.ts";
import {
  callerIntegration,
  refuseAdministratorChange,
  requireOwn,
  requireOwned,
} from "./ownership.ts";
import { requireVersion, type ScimCall, scimBase } from "./scim-call.ts";
import { emailKey, type ScimUser, userById, userResource, userVersion } from "./user-store.ts";

/** Bytes of the attributes that SCIM keeps for a user. */
const attributesBytes = 65_536;

/** Creates a user and returns its ID. Throws `conflict` if its name is in use. Users may share an email. */
export async function createUser(call: ScimCall, input: JsonObject): Promise<number> {
  const resource = normalizeResource(userType, { active: true, ...input });
  const columns = await columnsOf(call.db, resource, undefined);
  const { id } = await call.db
    .insertInto("users")
    .values({
      ...columns,
      is_admin: toFlag(false),
      is_external: toFlag(false),
      default_roles: call.principal.scimIntegration?.default_roles ?? null,
      created_at: toTimestamp(call.now()),
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await keepAttributes(call, { id, integration_id: null }, resource);
  return id;
}

/** Replaces the attributes of a user. Keeps `active` if the request omits it. */
export async function replaceUser(call: ScimCall, id: string, input: JsonObject): Promise<number> {
  const user = await findScimUser(call, id);
  const active = user.is_deactivated === 0;
  return saveUser(call, user, normalizeResource(userType, { active, ...input }));
}

/** Applies a patch to a user. */
export async function patchUser(call: ScimCall, id: string, body: JsonObject): Promise<number> {
  const user = await findScimUser(call, id);
  const changes = attributeChanges(userType, patchOperations(body));
  const resource = userResource(user, scimBase(call));
  return saveUser(call, user, applyChanges(userType, resource, changes));
}

/** Deletes a user. */
export async function deleteUser(call: ScimCall, id: string): Promise<void> {
  const user = await findScimUser(call, id);
  await guardDelete(call.db, { callerId: call.principal.userId, user });
  await dropUser(call.db, user.id);
}

/** Returns a user whose version the request accepts. Throws `not_found` or `precondition_failed`. */
async function findScimUser(call: ScimCall, id: string): Promise<ScimUser> {
  const [row] = await userById(call.db, { id: parseId(id) ?? 0 });
  if (row === undefined) throw userNotFound(id);
  const { id: userId, scim_attributes: attributes, integration_id: owner } = row;
  await requireOwn(call, { what: `user ${userId}`, isManaged: attributes !== null, owner });
  requireVersion(call.headers, userVersion(row));
  return row;
}

/** Returns the error for a user that does not exist. */
export function userNotFound(id: string): Failure {
  return new Failure("not_found", `there is no user ${JSON.stringify(id)}`);
}

async function saveUser(call: ScimCall, user: ScimUser, resource: JsonObject): Promise<number> {
  const columns = await columnsOf(call.db, resource, user.id);
  refuseAdministratorChange(user, columns);
  const isDeactivated = columns.is_deactivated === 1;
  if (isDeactivated !== (user.is_deactivated === 1)) {
    await guardChange(call.db, {
      callerId: call.principal.userId,
      user,
      changes: { isDeactivated },
    });
  }
  await call.db
    .updateTable("users")
    .set({ ...columns, updated_at: toTimestamp(call.now()) })
    .where("id", "=", user.id)
    .execute();
  if (isDeactivated) await endDeactivated(call.db, user.id, call.now());
  await keepAttributes(call, user, resource);
  return user.id;
}

/** Returns the columns that a resource determines. Throws `invalidValue` or `conflict`. */
async function columnsOf(db: Db, resource: JsonObject, id: number | undefined) {
  const username = textOf(resource["userName"]) ?? "";
  if (username.length > 255 || !new RegExp(trimmedPattern).test(username)) {
    throw scimError(
      "invalidValue",
      "userName must have at most 255 characters and no white space around it",
    );
  }
  const email = emailOf(resource, username);
  await requireFree(db, { username, id });
  return {
    username,
    name_key: username.toLowerCase(),
    email,
    email_key: email?.toLowerCase() ?? null,
    display_name: displayNameOf(resource)?.slice(0, 255) ?? null,
    title: textOf(resource["title"])?.slice(0, 255) ?? null,
    picture: pictureOf(resource),
    external_id: externalIdOf(resource),
    is_deactivated: toFlag(resource["active"] === false),
  };
}

interface Identity {
  readonly username: string;
  /** The user that already has it. */
  readonly id: number | undefined;
}

/** Throws `conflict` if another user has the name, compared without regard to case. */
async function requireFree(db: Db, { username, id = 0 }: Identity): Promise<void> {
  const other = await db
    .selectFrom("users")
    .select("id")
    .where(isInternalUser)
    .where("id", "!=", id)
    .where("name_key", "=", username.toLowerCase())
    .executeTakeFirst();
  if (other === undefined) return;
  throw new Failure(
    "conflict",
    `a user with the userName ${JSON.stringify(username)} already exists`,
  );
}

/** Attributes that are columns of a user's row, or that the service derives. */
const derived = new Set(["schemas", "id", "externalId", "userName", "active", "meta", "groups"]);

async function keepAttributes(
  call: Pick<ScimCall, "db" | "principal">,
  { id: userId, integration_id: owner }: Pick<ScimUser, "id" | "integration_id">,
  resource: JsonObject,
): Promise<void> {
  const { db } = call;
  const kept = Object.fromEntries(Object.entries(resource).filter(([name]) => !derived.has(name)));
  const attributes = toShortJson(kept, { name: "a user", most: attributesBytes });
  const columns = { attributes, integration_id: callerIntegration(call) };
  const written = await db
    .insertInto("scim_users")
    .values({ user_id: userId, ...columns })
    .onConflict((on) =>
      on
        .column("user_id")
        .doUpdateSet(columns)
        .where("scim_users.integration_id", "is not distinct from", owner),
    )
    .returning("user_id")
    .executeTakeFirst();
  requireOwned(written, `user ${userId}`);
  await db.deleteFrom("scim_emails").where("user_id", "=", userId).execute();
  const keys = new Set(
    valuesOf(kept["emails"]).flatMap(({ value }) => emailKey(textOf(value) ?? "") ?? []),
  );
  if (keys.size === 0) return;
  await db
    .insertInto("scim_emails")
    .values([...keys].map((key) => ({ user_id: userId, email_key: key })))
    .execute();
}

/** The account knows a user by one email: the primary one, the first, or a user name that is an email. */
function emailOf(resource: JsonObject, username: string): string | null {
  const email = primaryOf(resource["emails"]) ?? username;
  return email.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(email) ? email : null;
}

/** Characters of texts that an index contains; PostgreSQL limits the size of index entries. */
const indexedMax = 255;

/** Returns the ID of a resource at the identity provider. Throws `invalidValue` if it is too long. */
export function externalIdOf(resource: JsonObject): string | null {
  const given = textOf(resource["externalId"]) ?? null;
  if (given === null || given.length <= indexedMax) return given;
  throw scimError("invalidValue", `externalId must have at most ${indexedMax} characters`);
}

const pictureUrl = new RegExp(httpUrlPattern);

/** The account shows a picture only from an HTTP or HTTPS URL. */
function pictureOf(resource: JsonObject): string | null {
  const url = primaryOf(resource["photos"]) ?? "";
  return url.length <= 2048 && pictureUrl.test(url) && URL.canParse(url) ? url : null;
}

function displayNameOf(resource: JsonObject): string | undefined {
  const name = isObject(resource["name"]) ? resource["name"] : {};
  const parts = [name["givenName"], name["familyName"]].flatMap((part) => textOf(part) ?? []);
  return (
    textOf(resource["displayName"]) ?? textOf(name["formatted"]) ?? (parts.join(" ") || undefined)
  );
}

function primaryOf(list: JsonValue | undefined): string | undefined {
  const elements = valuesOf(list);
  return textOf((elements.find(({ primary }) => primary === true) ?? elements[0])?.["value"]);
}

function valuesOf(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? (list as readonly JsonValue[]).filter(isObject) : [];
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
