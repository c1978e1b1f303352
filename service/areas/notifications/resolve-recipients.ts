// Resolves the recipients of a request: looks up users, tenants, groups and attributes in sets, and finds every email
// address.
import { chunksOf } from "../../../core/chunks.ts";
import { matchesType } from "../../../core/spec/attribute-types.ts";
import { isEmailAddress } from "../../../core/text/email-address.ts";
import { canonical } from "../../../core/json.ts";
import { limits } from "../../../core/limits/limits.ts";
import { fieldError } from "../shared/field-error.ts";
import { sharedEmail } from "../../identity/shared-email.ts";
import type { Db } from "../../store/schema.ts";
import { isInternalUser } from "../../store/sql-conditions.ts";
import { accountScope } from "../user-groups/groups.ts";
import type { Catalogue } from "../user-groups/membership.ts";
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
  /** The catalogues that have all names of groups and attributes, the preferred one first. */
  readonly catalogues: readonly [Catalogue, ...Catalogue[]];
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
  const named = ids.length > 0 ? await among.where("id", "in", ids).execute() : [];
  const addressed =
    emails.length > 0 ? await among.where("email_key", "in", emails).orderBy("id").execute() : [];
  const byId = new Map(named.map((row) => [row.id, row]));
  const byEmail = Map.groupBy(addressed, (row) => row.email_key);
  return asks.map(({ at, userId, email = "" }) => {
    const alike = byEmail.get(email) ?? [];
    if (userId === undefined && alike.length > 1)
      throw recipientError(at, sharedEmail(email, alike).message, "email");
    const user = userId === undefined ? alike[0] : byId.get(userId);
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
    const definitionsIn = (catalogue: Catalogue, scope: number): NamedDefinitions => ({
      catalogue,
      groups: groups.get(scope) ?? new Map(),
      attributes: attributes.get(scope) ?? new Map(),
    });
    const catalogues = cataloguesOf(ask, [
      ...(tenantId === undefined ? [] : [definitionsIn("tenant", tenantId)]),
      definitionsIn("account", accountScope),
    ]);
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
      external: { ...externalRecipientOf(ask, tenantId, user?.email), catalogues },
    };
  });
}

function externalRecipientOf(
  ask: EmbedUserRecipientRequest,
  tenantId: number | undefined,
  email: string | null | undefined,
): Omit<ExternalRecipient, "catalogues"> {
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

/** The groups of a catalogue, and the types of its attributes, by name. */
interface NamedDefinitions {
  readonly catalogue: Catalogue;
  readonly groups: ReadonlyMap<string, string>;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * Returns the catalogues that have all names of a recipient, in the order of `known`; without names, the account's first.
 * Throws `invalid` for unknown names, for names that no single catalogue has, and for values of another type.
 */
function cataloguesOf(
  ask: EmbedUserRecipientRequest,
  known: readonly NamedDefinitions[],
): ExternalRecipient["catalogues"] {
  const names = { groups: groupNames(ask), attributes: attributeNames(ask) };
  if (names.groups.length + names.attributes.length === 0) return ["account", "tenant"];
  refuseUnknown(ask, known);
  const complete = known.filter(
    ({ groups, attributes }) =>
      names.groups.every((name) => groups.has(name)) &&
      names.attributes.every((name) => attributes.has(name)),
  );
  const errors = complete.map(({ attributes }) => typeError(ask, attributes));
  const [error] = errors;
  if (error !== undefined) throw recipientError(ask.at, error, "userAttributes");
  const fitting = complete.filter((_, index) => errors[index] === undefined);
  const [preferred, ...others] = fitting.map(({ catalogue }) => catalogue);
  if (preferred !== undefined) return [preferred, ...others];
  throw mixedNames(ask);
}

/** Returns the error for a recipient with names of the account and names of its embed tenant. */
export function mixedNames({ at, tenant }: { readonly at: number; readonly tenant: string }) {
  const what = `some names in groups and userAttributes are of the account, and some of the embed tenant ${JSON.stringify(tenant)}`;
  return recipientError(at, `${what}; all names of a recipient must be of the same one`);
}

/** Throws `invalid` for names that no catalogue has. */
function refuseUnknown(ask: EmbedUserRecipientRequest, known: readonly NamedDefinitions[]): void {
  const missing = groupNames(ask).filter((name) => !known.some(({ groups }) => groups.has(name)));
  if (missing.length > 0) {
    const what = `recipients[${ask.at}]: Groups with names ${missing.join(", ")} not found`;
    const member = `recipients[${ask.at}].groups`;
    throw fieldError(member, ["invalid", what], { details: { missing } });
  }
  const attribute = attributeNames(ask).find(
    (name) => !known.some(({ attributes }) => attributes.has(name)),
  );
  if (attribute === undefined) return;
  throw recipientError(ask.at, `User attributes not found: ${attribute}`, "userAttributes");
}

/** Returns the error of the first value that has another type than its attribute; undefined if there is none. */
function typeError(
  { attributes = [] }: EmbedUserRecipientRequest,
  types: ReadonlyMap<string, string>,
): string | undefined {
  const wrong = attributes.find(
    ({ name, value }) => value != null && !matchesType(types.get(name) ?? "", value),
  );
  if (wrong === undefined) return undefined;
  return `the value of ${JSON.stringify(wrong.name)} must be of its type, ${types.get(wrong.name)}`;
}
