// A request for recipients by itself: what its members allow and forbid each other, before the store is asked anything.
import type { Static } from "typebox";
import type { NotificationRecipientInput } from "../../../api/notifications.ts";
import { Failure } from "../../../core/errors.ts";
import { canonical, type JsonValue } from "../../../core/json.ts";
import { fieldError } from "../field-error.ts";
import { checkExternalId } from "../embed-tenants/external-users.ts";

/** One element of the request. */
export type RecipientInput = Static<typeof NotificationRecipientInput>;

/** A value that an embed user has of an attribute while the notification is rendered. */
export type AttributeInput = NonNullable<RecipientInput["userAttributes"]>[number];

/** One of the account's own users, by exactly one of the two. */
export interface UserRecipientRequest {
  readonly at: number;
  readonly userId: number | undefined;
  /** In lower case. */
  readonly email: string | undefined;
}

/** An external user; what is undefined was not said. */
export interface EmbedUserRecipientRequest {
  readonly at: number;
  readonly tenant: string;
  readonly externalId: string;
  readonly email: string | undefined;
  readonly groups: readonly string[] | undefined;
  readonly attributes: readonly AttributeInput[] | undefined;
  /** JSON in canonical form. */
  readonly securityContext: string | undefined;
}

/** What a request asks for, each with its place in it. */
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

/** Reads a request; `invalid` for one that can be right in no account. A `null` member is an absent one. */
export function parseRecipients(recipients: readonly RecipientInput[]): RecipientRequests {
  if (recipients.some(({ type }) => type === "SLACK")) {
    throw new Failure("invalid", "recipients of type SLACK are not supported");
  }
  const users: UserRecipientRequest[] = [];
  const embedUsers: EmbedUserRecipientRequest[] = [];
  for (const [at, input] of recipients.entries()) {
    if (input.type === "USER") users.push(parseUserRecipient(input, at));
    else embedUsers.push(parseEmbedUserRecipient(input, at));
  }
  return { users, embedUsers };
}

/** The failure of one element, or of a member of it. */
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
    `${given.join(", ")} cannot be given for a recipient of type ${input.type}`,
  );
}

/** By name; a value of `null` is none. */
function parseAttributes(values: readonly AttributeInput[], at: number): readonly AttributeInput[] {
  const names = new Set<string>();
  for (const { name } of values) {
    if (names.has(name)) {
      throw recipientError(at, `userAttributes names ${JSON.stringify(name)} more than once`);
    }
    names.add(name);
  }
  return values.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
