// Who receives a notification: subscribed in a fixed number of statements however many they are, listed, and removed.
import type { Static } from "typebox";
import type { NotificationRecipient, removeRecipients } from "../../../api/notifications.ts";
import { idMax } from "../../../api/schemas.ts";
import { Failure } from "../../../core/errors.ts";
import type { RequestOf } from "../../../core/operation.ts";
import { present } from "../../area.ts";
import type { Db, Row } from "../../store/schema.ts";
import { ensureUsers, type Existing, type Users } from "./embed-users.ts";
import { type Named, noNotification } from "./notifications.ts";
import { type Input, readRequest } from "./request.ts";
import { resolve } from "./resolve.ts";

type Shown = Static<typeof NotificationRecipient>;

/** What a subscription works with. */
export interface Place extends Users {
  readonly notification: Named;
}

/** Who was subscribed now, who was changed, and who was there already, each in the order of the request. */
export interface Subscribed {
  readonly createdRecipients: Shown[];
  readonly updatedRecipients: Shown[];
  readonly unchangedRecipients: Shown[];
}

/**
 * Subscribes recipients. Everything that can be wrong with the request is found before the first write: `invalid`,
 * `not_found` for the notification, `limit_reached` where the account may not have so many external users.
 */
export async function subscribe(place: Place, inputs: readonly Input[]): Promise<Subscribed> {
  const { db, notification } = place;
  const asked = readRequest(inputs);
  await requireNotification(db, notification);
  const resolved = await resolve(db, asked);
  const recipients = await ensureUsers(resolved, place);
  await takeTurn(db, notification);
  const known = await subscriptionsOf(db, notification.id, recipients);
  const answer: Subscribed = {
    createdRecipients: [],
    updatedRecipients: [],
    unchangedRecipients: [],
  };
  const rows: NewRow[] = [];
  for (const recipient of recipients) {
    const before = known.get(recipient.userId);
    const row = rowFor(place, recipient, before);
    const changed = before === undefined || recipient.emailChanged || differs(row, before);
    if (before === undefined || differs(row, before)) rows.push(row);
    const list = before ? (changed ? "updated" : "unchanged") : "created";
    answer[`${list}Recipients`].push(showResolved(recipient));
  }
  await store(db, rows);
  return answer;
}

async function requireNotification(db: Db, { id, deploymentId }: Named): Promise<void> {
  const found = await db
    .selectFrom("notifications")
    .select("id")
    .where("id", "=", id)
    .where("deployment_id", "=", deploymentId)
    .executeTakeFirst();
  if (!found) throw noNotification(id);
}

/** Changes nothing, but makes writers of one notification wait for each other on every database. */
async function takeTurn(db: Db, { id }: Named): Promise<void> {
  const taken = await db
    .updateTable("notifications")
    .set((eb) => ({ deployment_id: eb.ref("deployment_id") }))
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  if (!taken) throw noNotification(id);
}

type NewRow = Omit<Row<"recipients">, "id">;

async function subscriptionsOf(
  db: Db,
  notificationId: number,
  recipients: readonly Existing[],
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

/** What is not said of a recipient stays as it is. */
function rowFor(
  { notification, at }: Place,
  { userId, external }: Existing,
  before: Row<"recipients"> | undefined,
): NewRow {
  return {
    notification_id: notification.id,
    user_id: userId,
    user_groups: external?.groups ?? before?.user_groups ?? null,
    security_context: external?.securityContext ?? before?.security_context ?? null,
    user_attributes: external?.attributes ?? before?.user_attributes ?? null,
    created_at: before?.created_at ?? at,
  };
}

function differs(row: NewRow, before: NewRow): boolean {
  return (
    row.user_groups !== before.user_groups ||
    row.security_context !== before.security_context ||
    row.user_attributes !== before.user_attributes
  );
}

async function store(db: Db, rows: readonly NewRow[]): Promise<void> {
  if (rows.length === 0) return;
  await db
    .insertInto("recipients")
    .values(rows)
    .onConflict((on) =>
      on.columns(["notification_id", "user_id"]).doUpdateSet((eb) => ({
        user_groups: eb.ref("excluded.user_groups"),
        security_context: eb.ref("excluded.security_context"),
        user_attributes: eb.ref("excluded.user_attributes"),
      })),
    )
    .execute();
}

function showResolved({ userId, username, email, external }: Existing): Shown {
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

/** The recipients of a notification; `not_found` where its deployment has none of the id. */
export async function selectRecipients(db: Db, notification: Named) {
  await requireNotification(db, notification);
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
}

/** A recipient as the API shows it. */
export function showRecipient(row: RecipientRow): Shown {
  const { user_id: userId, username, email, external_id: externalId, tenant } = row;
  if (externalId === null) return { type: "USER", userId, username, ...present({ email }) };
  return {
    type: "EMBED_USER",
    embedUserId: userId,
    username,
    email: email ?? externalId,
    ...present({ embedTenantName: tenant }),
    externalId,
  };
}

type Removal = RequestOf<typeof removeRecipients>["body"]["recipients"][number];

/** Removes recipients; who is none is passed over, and so is an embed user of another tenant than the one that is named. */
export async function unsubscribe(
  db: Db,
  notification: Named,
  removals: readonly Removal[],
): Promise<void> {
  const found = await selectRecipients(db, notification);
  const asked = new Map(removals.map((one) => [`${one.type} ${one.id}`, one]));
  const ids = removals.map(({ id, type }) => idOf(id, type));
  const rows = await found
    .where("users.id", "in", [0, ...ids.filter((id) => id !== undefined)])
    .execute();
  const gone = rows.filter(({ user_id, external_id, tenant }) => {
    const one = asked.get(`${external_id === null ? "USER" : "EMBED_USER"} ${user_id}`);
    return one !== undefined && (one.embedTenantName == null || one.embedTenantName === tenant);
  });
  if (gone.length === 0) return;
  await db
    .deleteFrom("recipients")
    .where(
      "id",
      "in",
      gone.map(({ id }) => id),
    )
    .execute();
}

/** Undefined for a channel, which is never a recipient. `invalid` for a text that is no user's id. */
function idOf(id: Removal["id"], type: Removal["type"]): number | undefined {
  if (type === "SLACK") return undefined;
  if (typeof id === "number") return id;
  if (/^[1-9][0-9]{0,9}$/.test(id) && Number(id) <= idMax) return Number(id);
  throw new Failure("invalid", `a recipient of type ${type} is removed by its numeric id`);
}
