// Validates a request for recipients without the store: checks the members that each type requires and allows.
import type { Static } from "typebox";
import type { NotificationRecipientInput } from "../../../api/notifications.ts";
import { Failure } from "../../../core/errors.ts";
import { canonical, type JsonValue } from "../../../core/json.ts";
import { fieldError } from "../shared/field-error.ts";
import { checkExternalId } from "../embed-tenants/external-users.ts";

/** One element of the request. */
export type RecipientInput = Static<typeof NotificationRecipientInput>;

/** An attribute value of an embed user for rendering the notification. */
export type AttributeInput = NonNullable<RecipientInput["userAttributes"]>[number];

/** One of the account's own users, identified by exactly one of the two members. */
export interface UserRecipientRequest {
  readonly at: number;
  readonly userId: number | undefined;
  /** In lower case. */
  readonly email: string | undefined;
}

/** An external user. Undefined members were not given. */
export interface EmbedUserRecipientRequest {
  readonly at: number;
  readonly tenant: string;
  readonly externalId: string;
  readonly email: string | undefined;
  readonly groups: readonly string[] | undefined;
  readonly attributes: readonly AttributeInput[] | undefined;
  /** Canonical JSON. */
  readonly securityContext: string | undefined;
}

/** A recipient in a request, with its index. */
export interface RecipientRequests {
  readonly users: readonly UserRecipientRequest[];
  readonly embedUsers: readonly EmbedUserRecipientRequest[];
}

const embedUserMembers = [
  "embedTenantName",
  "externalId",
  "groups",
  "securityContext",
  "userAttributes",
] as const satisfies readonly (keyof RecipientInput)[];

const slackMembers = [
  "channelId",
  "channelName",
] as const satisfies readonly (keyof RecipientInput)[];

/** Parses a request. Throws `invalid` for a request that no account can accept. A `null` member counts as absent. */
export function parseRecipients(recipients: readonly RecipientInput[]): RecipientRequests {
  if (recipients.some(({ type }) => type === "SLACK")) {
    throw new Failure(
      "invalid",
      "recipients of type SLACK are not supported; use USER or EMBED_USER",
    );
  }
  const users: UserRecipientRequest[] = [];
  const embedUsers: EmbedUserRecipientRequest[] = [];
  for (const [at, input] of recipients.entries()) {
    if (input.type === "USER") users.push(parseUserRecipient(input, at));
    else embedUsers.push(parseEmbedUserRecipient(input, at));
  }
  return { users, embedUsers };
}

/** Returns the error for one element, or for one of its members. */
export function recipientError(at: number, what: string, member?: keyof RecipientInput): Failure {
  const element = `recipients[${at}]`;
  const path = member === undefined ? element : `${element}.${member}`;
  return fieldError(path, ["invalid", `${element}: ${what}`]);
}

function parseUserRecipient(input: RecipientInput, at: number): UserRecipientRequest {
  refuseMembers(input, at, [...embedUserMembers, ...slackMembers]);
  const { userId, email } = input;
  if ((userId == null) === (email == null)) {
    throw recipientError(at, "a recipient of type USER needs exactly one of userId and email");
  }
  return { at, userId: userId ?? undefined, email: email?.toLowerCase() };
}

function parseEmbedUserRecipient(input: RecipientInput, at: number): EmbedUserRecipientRequest {
  refuseMembers(input, at, ["userId", ...slackMembers]);
  const { embedTenantName: tenant, externalId, email, groups, securityContext } = input;
  if (tenant == null || externalId == null) {
    throw recipientError(at, "a recipient of type EMBED_USER needs embedTenantName and externalId");
  }
  checkExternalId(externalId);
  return {
    at,
    tenant,
    externalId,
    email: email ?? undefined,
    groups: groups == null ? undefined : [...new Set(groups)].toSorted(),
    attributes:
      input.userAttributes == null ? undefined : parseAttributes(input.userAttributes, at),
    securityContext: securityContext == null ? undefined : canonical(securityContext as JsonValue),
  };
}

function refuseMembers(
  input: RecipientInput,
  at: number,
  members: readonly (keyof RecipientInput)[],
): void {
  const given = members.filter((member) => input[member] != null);
  if (given.length === 0) return;
  throw recipientError(
    at,
    `not allowed for a recipient of type ${input.type}: ${given.join(", ")}`,
  );
}

/** Normalizes attribute values and sorts them by name. Drops `null` values. */
function parseAttributes(values: readonly AttributeInput[], at: number): readonly AttributeInput[] {
  const names = new Set<string>();
  for (const { name } of values) {
    if (names.has(name)) {
      throw recipientError(
        at,
        `userAttributes contains ${JSON.stringify(name)} more than once; send each name once`,
      );
    }
    names.add(name);
  }
  return values.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
