// Recipients of a notification: subscribe in a fixed number of statements for any number of recipients, list, and
// remove.
import type { Static } from "typebox";
import type { NotificationRecipient, removeRecipients } from "../../../api/notifications.ts";
import { parseId } from "../../../api/schemas.ts";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation/operation.ts";
import { omitNullish } from "../shared/operation-handler.ts";
import { toFlag } from "../../store/codec.ts";
import type { Db, Row } from "../../store/schema.ts";
import type { Catalogue } from "../user-groups/membership.ts";
import { ensureUsers, type ExistingRecipient, type EnsureUsersContext } from "./embed-users.ts";
import { type NotificationKey, notificationNotFound, readNotification } from "./notifications.ts";
import {
  parseRecipients,
  recipientError,
  type RecipientInput,
  type RecipientRequests,
} from "./recipient-request.ts";
import { mixedNames, resolveRecipients } from "./resolve-recipients.ts";

type ApiRecipient = Static<typeof NotificationRecipient>;

/** The notification and limits of a subscription. */
export interface SubscriptionContext extends EnsureUsersContext {
  readonly notification: NotificationKey;
}

/** Recipients that were added, updated or unchanged, each in request order. */
export interface SubscriptionResult {
  readonly createdRecipients: ApiRecipient[];
  readonly updatedRecipients: ApiRecipient[];
  readonly unchangedRecipients: ApiRecipient[];
}

/**
 * Subscribes recipients. Validates the whole request before the first write: throws `invalid`, `not_found` for the
 * notification, or `limit_reached` at the account's limit of external users.
 */
export async function subscribe(
  place: SubscriptionContext,
  inputs: readonly RecipientInput[],
): Promise<SubscriptionResult> {
  const { db, notification } = place;
  const requests = parseRecipients(inputs);
  const { embed_tenant_name: tenant } = await readNotification(db, notification);
  if (tenant !== null) requireTenant(tenant, requests);
  const resolved = await resolveRecipients(db, requests);
  const recipients = await ensureUsers(resolved, place);
  await lockNotification(db, notification);
  const known = await existingSubscriptions(db, notification.id, recipients);
  const answer: SubscriptionResult = {
    createdRecipients: [],
    updatedRecipients: [],
    unchangedRecipients: [],
  };
  const rows: NewRow[] = [];
  for (const recipient of recipients) {
    const before = known.get(recipient.userId);
    const row = recipientRow(place, recipient, before);
    const changed = before === undefined || recipient.emailChanged || differs(row, before);
    if (before === undefined || differs(row, before)) rows.push(row);
    const list = before ? (changed ? "updated" : "unchanged") : "created";
    answer[`${list}Recipients`].push(showResolvedRecipient(recipient));
  }
  await storeRecipients(db, rows);
  return answer;
}

/** Throws `invalid` for a recipient outside of the embed tenant. */
function requireTenant(tenant: string, { users, embedUsers }: RecipientRequests): void {
  const [other] = [...users, ...embedUsers.filter((one) => one.tenant !== tenant)];
  if (other === undefined) return;
  const text = `the notification is for users of the embed tenant ${JSON.stringify(tenant)} only`;
  throw recipientError(other.at, text);
}

/** Locks the notification without changing it, so that concurrent writers of one notification wait for each other. */
async function lockNotification(db: Db, { id }: NotificationKey): Promise<void> {
  const taken = await db
    .updateTable("notifications")
    .set((eb) => ({ deployment_id: eb.ref("deployment_id") }))
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  if (!taken) throw notificationNotFound(id);
}

type NewRow = Omit<Row<"recipients">, "id">;

async function existingSubscriptions(
  db: Db,
  notificationId: number,
  recipients: readonly ExistingRecipient[],
): Promise<ReadonlyMap<number, Row<"recipients">>> {
  const rows = await db
    .selectFrom("recipients")
    .selectAll()
    .where("notification_id", "=", notificationId)
    .where(
      "user_id",
      "in",
      recipients.map(({ userId }) => userId),
    )
    .execute();
  return new Map(rows.map((row) => [row.user_id, row]));
}

/** Absent members keep the stored value. */
function recipientRow(
  { notification, at }: SubscriptionContext,
  recipient: ExistingRecipient,
  before: Row<"recipients"> | undefined,
): NewRow {
  const { userId, external } = recipient;
  return {
    names_of_tenant: toFlag(catalogueOf(recipient, before) === "tenant"),
    notification_id: notification.id,
    user_id: userId,
    user_groups: external?.groups ?? before?.user_groups ?? null,
    security_context: external?.securityContext ?? before?.security_context ?? null,
    user_attributes: external?.attributes ?? before?.user_attributes ?? null,
    created_at: before?.created_at ?? at,
    unsubscribed_at: before?.unsubscribed_at ?? null,
  };
}

/**
 * Returns the catalogue of the names of a recipient: that of stored names, if some are kept, else the preferred one.
 * Throws `invalid` if the new names are not in the catalogue of the kept ones.
 */
function catalogueOf(
  { at, external }: ExistingRecipient,
  before: Row<"recipients"> | undefined,
): Catalogue {
  if (external === undefined) return "account";
  const { tenant, groups, attributes, catalogues } = external;
  const kept = [
    groups === undefined ? before?.user_groups : null,
    attributes === undefined ? before?.user_attributes : null,
  ];
  if (!kept.some((names) => names != null && names !== "[]")) return catalogues[0];
  const stored = before?.names_of_tenant === 1 ? "tenant" : "account";
  if (catalogues.includes(stored)) return stored;
  throw mixedNames({ at, tenant });
}

function differs(row: NewRow, before: NewRow): boolean {
  return (
    row.user_groups !== before.user_groups ||
    row.security_context !== before.security_context ||
    row.user_attributes !== before.user_attributes ||
    row.names_of_tenant !== before.names_of_tenant
  );
}

async function storeRecipients(db: Db, rows: readonly NewRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto("recipients")
    .values(rows)
    .onConflict((on) =>
      on.columns(["notification_id", "user_id"]).doUpdateSet((eb) => ({
        user_groups: eb.ref("excluded.user_groups"),
        security_context: eb.ref("excluded.security_context"),
        user_attributes: eb.ref("excluded.user_attributes"),
        names_of_tenant: eb.ref("excluded.names_of_tenant"),
      })),
    )
    .execute();
}

function showResolvedRecipient({
  userId,
  username,
  email,
  external,
}: ExistingRecipient): ApiRecipient {
  if (external === undefined) return { type: "USER", userId, username, email };
  const { tenant, externalId } = external;
  return {
    type: "EMBED_USER",
    embedUserId: userId,
    username,
    email,
    embedTenantName: tenant,
    externalId,
  };
}

/** Lists the recipients of a notification. Throws `not_found` if the deployment does not have it. */
export async function selectRecipients(db: Db, notification: NotificationKey) {
  await readNotification(db, notification);
  return db
    .selectFrom("recipients")
    .innerJoin("users", "users.id", "recipients.user_id")
    .leftJoin("embed_tenants", "embed_tenants.id", "users.embed_tenant_id")
    .select([
      "recipients.id as id",
      "users.id as user_id",
      "users.username",
      "users.email",
      "users.external_id",
      "embed_tenants.name as tenant",
      "recipients.unsubscribed_at",
    ])
    .where("recipients.notification_id", "=", notification.id);
}

/** A row of {@link selectRecipients}. */
export interface RecipientRow {
  readonly id: number;
  readonly user_id: number;
  readonly username: string;
  readonly email: string | null;
  readonly external_id: string | null;
  readonly tenant: string | null;
  readonly unsubscribed_at: string | null;
}

/** Converts a recipient to the API form. */
export function showRecipient(row: RecipientRow): ApiRecipient {
  const { user_id: userId, username, email, external_id: externalId, tenant } = row;
  const { unsubscribed_at: unsubscribedAt } = row;
  if (externalId === null) {
    return { type: "USER", userId, username, ...omitNullish({ email, unsubscribedAt }) };
  }
  return {
    type: "EMBED_USER",
    embedUserId: userId,
    username,
    email: email ?? externalId,
    ...omitNullish({ embedTenantName: tenant, unsubscribedAt }),
    externalId,
  };
}

type Removal = RequestOf<typeof removeRecipients>["body"]["recipients"][number];

/** Removes recipients. Ignores ids that are not recipients, and embed users of other tenants than the given one. */
export async function unsubscribe(
  db: Db,
  notification: NotificationKey,
  removals: readonly Removal[],
): Promise<void> {
  const found = await selectRecipients(db, notification);
  const requested = new Map(removals.map((one) => [`${one.type} ${one.id}`, one]));
  const ids = removals.map(({ id, type }) => numericUserId(id, type));
  const rows = await found
    .where("users.id", "in", [0, ...ids.filter((id) => id !== undefined)])
    .execute();
  const removed = rows.filter(({ user_id, external_id, tenant }) => {
    const one = requested.get(`${external_id === null ? "USER" : "EMBED_USER"} ${user_id}`);
    return one !== undefined && (one.embedTenantName == null || one.embedTenantName === tenant);
  });
  if (removed.length === 0) return;
  await db
    .deleteFrom("recipients")
    .where(
      "id",
      "in",
      removed.map(({ id }) => id),
    )
    .execute();
}

/**
 * Returns the id of a user; undefined for a channel, which is never a recipient. Throws `invalid` if the text is not a
 * user id.
 */
function numericUserId(id: Removal["id"], type: Removal["type"]): number | undefined {
  if (type === "SLACK") return undefined;
  if (typeof id === "number") return id;
  const parsed = parseId(id);
  if (parsed !== undefined) return parsed;
  throw new Failure(
    "invalid",
    `a recipient of type ${type} is removed by its numeric id; send that as id`,
  );
}
