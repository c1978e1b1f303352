// Resolves the recipients of a request: looks up users, tenants, groups and attributes in sets, and finds every email
// address.
import { chunksOf } from "../../../core/chunks.ts";
import { matchesType } from "../../../core/spec/attribute-types.ts";
import { isEmailAddress } from "../../../core/text/email-address.ts";
import { canonical } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { fieldError } from "../shared/field-error.ts";
import type { Db } from "../../store/schema.ts";
import { isInternalUser } from "../../store/sql-conditions.ts";
import { accountScope } from "../user-groups/groups.ts";
import {
  type RecipientRequests,
  type EmbedUserRecipientRequest,
  type UserRecipientRequest,
  recipientError,
} from "./recipient-request.ts";

/** A resolved recipient. Undefined members of an external user keep the stored value. */
export interface ResolvedRecipient {
  readonly at: number;
  /** Undefined if the external user does not exist yet. */
  readonly userId: number | undefined;
  readonly username: string;
  /** The delivery address. */
  readonly email: string;
  /** Undefined for the account's own users. */
  readonly external: ExternalRecipient | undefined;
}

/** The data of a new external user. */
export interface ExternalRecipient {
  readonly tenant: string;
  /** Undefined if the tenant does not exist yet. */
  readonly tenantId: number | undefined;
  readonly externalId: string;
  /** The new email of the user; undefined if it does not change. */
  readonly newEmail: string | undefined;
  /** JSON, in the form of the store. */
  readonly groups: string | undefined;
  readonly attributes: string | undefined;
  readonly securityContext: string | undefined;
}

/**
 * Returns all recipients of the request, each once and in request order. Throws `invalid` if one cannot be resolved.
 * Reads only.
 */
export async function resolveRecipients(
  db: Db,
  requests: RecipientRequests,
): Promise<readonly ResolvedRecipient[]> {
  const found = [
    ...(await resolveUsers(db, requests.users)),
    ...(await resolveEmbedUsers(db, requests.embedUsers)),
  ];
  return deduplicate(found.toSorted((left, right) => left.at - right.at));
}

/** Merges recipients that are given twice with the same values. Throws `invalid` if the values differ. */
function deduplicate(recipients: readonly ResolvedRecipient[]): readonly ResolvedRecipient[] {
  const byIdentity = new Map<string, ResolvedRecipient>();
  for (const one of recipients) {
    const { external } = one;
    const identity = external ? `${external.tenant}/${external.externalId}` : String(one.userId);
    const before = byIdentity.get(identity);
    if (before === undefined) byIdentity.set(identity, one);
    else if (recipientFingerprint(before) !== recipientFingerprint(one)) {
      throw recipientError(
        one.at,
        `repeats recipients[${before.at}], but with different values; send each recipient once`,
      );
    }
  }
  return [...byIdentity.values()];
}

function recipientFingerprint({ email, external }: ResolvedRecipient): string {
  return canonical([email, external ? { ...external } : null]);
}

async function resolveUsers(
  db: Db,
  asks: readonly UserRecipientRequest[],
): Promise<readonly ResolvedRecipient[]> {
  if (asks.length === 0) return [];
  const ids = asks.flatMap(({ userId }) => userId ?? []);
  const emails = asks.flatMap(({ email }) => email ?? []);
  const among = db
    .selectFrom("users")
    .select(["id", "username", "email", "email_key"])
    .where(isInternalUser);
  // Two queries, each with its own index. A single query with OR would use neither.
  const rows = [
    ...(ids.length > 0 ? await among.where("id", "in", ids).execute() : []),
    ...(emails.length > 0 ? await among.where("email_key", "in", emails).execute() : []),
  ];
  const byId = new Map(rows.map((row) => [row.id, row]));
  const byEmail = new Map(rows.map((row) => [row.email_key, row]));
  return asks.map(({ at, userId, email }) => {
    const user = userId === undefined ? byEmail.get(email ?? "") : byId.get(userId);
    const member = userId === undefined ? "email" : "userId";
    if (!user)
      throw recipientError(
        at,
        `the account has no user ${JSON.stringify(userId ?? email)}`,
        member,
      );
    if (!isEmailAddress(user.email))
      throw recipientError(
        at,
        "the user has no valid email address; set one on the user first",
        member,
      );
    return { at, userId: user.id, username: user.username, email: user.email, external: undefined };
  });
}

async function resolveEmbedUsers(
  db: Db,
  asks: readonly EmbedUserRecipientRequest[],
): Promise<readonly ResolvedRecipient[]> {
  if (asks.length === 0) return [];
  const tenants = await tenantIds(db, asks);
  const known = await externalUsers(db, asks, tenants);
  const scopes = [accountScope, ...tenants.values()];
  const groups = await definitionsByScope(scopes, namesOf(asks, groupNames), (names) =>
    db
      .selectFrom("user_groups")
      .select(["tenant_scope as scope", "name", "name as type"])
      .where("tenant_scope", "in", scopes)
      .where("name", "in", names)
      .execute(),
  );
  const attributes = await definitionsByScope(scopes, namesOf(asks, attributeNames), (names) =>
    db
      .selectFrom("user_attributes")
      .select(["tenant_scope as scope", "name", "type"])
      .where("tenant_scope", "in", scopes)
      .where("name", "in", names)
      .execute(),
  );
  return asks.map((ask) => {
    const tenantId = tenants.get(ask.tenant);
    const user = known.get(`${tenantId}/${ask.externalId}`);
    refuseUnknown(ask, { groups, attributes, scope: tenantId ?? accountScope });
    const email = ask.email ?? user?.email ?? ask.externalId;
    if (!isEmailAddress(email)) {
      throw recipientError(
        ask.at,
        "no valid email address: send email, or an externalId that is an email address",
      );
    }
    return {
      at: ask.at,
      userId: user?.id,
      username: user?.username ?? ask.externalId,
      email,
      external: externalRecipientOf(ask, tenantId, user?.email),
    };
  });
}

function externalRecipientOf(
  ask: EmbedUserRecipientRequest,
  tenantId: number | undefined,
  email: string | null | undefined,
): ExternalRecipient {
  const { tenant, externalId, groups, attributes, securityContext } = ask;
  const values = attributes?.filter(({ value }) => value != null);
  return {
    tenant,
    tenantId,
    externalId,
    newEmail: ask.email === email ? undefined : ask.email,
    groups: groups && canonical(groups),
    attributes: values && canonical(values),
    securityContext,
  };
}

async function tenantIds(
  db: Db,
  asks: readonly EmbedUserRecipientRequest[],
): Promise<ReadonlyMap<string, number>> {
  const names = [...new Set(asks.map(({ tenant }) => tenant))];
  const rows = await db
    .selectFrom("embed_tenants")
    .select(["id", "name"])
    .where("name", "in", names)
    .execute();
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** Returns the existing external users by tenant id and external id. */
async function externalUsers(
  db: Db,
  asks: readonly EmbedUserRecipientRequest[],
  tenants: ReadonlyMap<string, number>,
) {
  const rows = await db
    .selectFrom("users")
    .select(["id", "username", "email", "embed_tenant_id", "external_id"])
    .where("embed_tenant_id", "in", [0, ...tenants.values()])
    .where("external_id", "in", [...new Set(asks.map(({ externalId }) => externalId))])
    .execute();
  return new Map(rows.map((row) => [`${row.embed_tenant_id}/${row.external_id}`, row]));
}

/** Attribute types by scope and name. */
type Definitions = ReadonlyMap<number, ReadonlyMap<string, string>>;

interface DefinitionRow {
  readonly scope: number;
  readonly name: string;
  readonly type: string;
}

async function definitionsByScope(
  scopes: readonly number[],
  names: readonly string[],
  read: (names: readonly string[]) => Promise<readonly DefinitionRow[]>,
): Promise<Definitions> {
  const found = new Map(scopes.map((scope) => [scope, new Map<string, string>()]));
  for (const part of chunksOf(names, limits.namesPerQuery)) {
    for (const { scope, name, type } of await read(part)) found.get(scope)?.set(name, type);
  }
  return found;
}

function namesOf(
  asks: readonly EmbedUserRecipientRequest[],
  names: (ask: EmbedUserRecipientRequest) => readonly string[],
): readonly string[] {
  return [...new Set(asks.flatMap(names))];
}

const groupNames = ({ groups = [] }: EmbedUserRecipientRequest) => groups;
const attributeNames = ({ attributes = [] }: EmbedUserRecipientRequest) =>
  attributes.map(({ name }) => name);

interface KnownNames {
  readonly groups: Definitions;
  readonly attributes: Definitions;
  /** The scopes in which names are resolved, in order. */
  readonly scope: number;
}

/** Resolves names in the embed tenant first, then account-wide. */
function refuseUnknown(
  ask: EmbedUserRecipientRequest,
  { groups, attributes, scope }: KnownNames,
): void {
  const typeOf = (all: Definitions, name: string) =>
    all.get(scope)?.get(name) ?? all.get(accountScope)?.get(name);
  const missing = groupNames(ask).filter((name) => typeOf(groups, name) === undefined);
  if (missing.length > 0) {
    const what = `recipients[${ask.at}]: Groups with names ${missing.join(", ")} not found`;
    const member = `recipients[${ask.at}].groups`;
    throw fieldError(member, ["invalid", what], { details: { missing } });
  }
  for (const { name, value } of ask.attributes ?? []) {
    const type = typeOf(attributes, name);
    if (type === undefined) {
      throw recipientError(ask.at, `User attributes not found: ${name}`, "userAttributes");
    }
    if (value == null || matchesType(type, value)) continue;
    const what = `the value of ${JSON.stringify(name)} must be of its type, ${type}`;
    throw recipientError(ask.at, what, "userAttributes");
  }
}
