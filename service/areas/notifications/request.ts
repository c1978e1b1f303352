// A request for recipients by itself: what its members allow and forbid each other, before the store is asked anything.
import type { Static } from "typebox";
import type { NotificationRecipientInput } from "../../../api/notifications.ts";
import { Failure } from "../../../core/errors.ts";
import { canonical, type JsonValue } from "../../../core/json.ts";
import { refusal } from "../../refusal.ts";
import { checkExternalId } from "../embed-tenants/external-users.ts";

/** One element of the request. */
export type Input = Static<typeof NotificationRecipientInput>;

/** A value that an embed user has of an attribute while the notification is rendered. */
export type AttributeWish = NonNullable<Input["userAttributes"]>[number];

/** One of the account's own users, by exactly one of the two. */
export interface UserAsk {
  readonly at: number;
  readonly userId: number | undefined;
  /** In lower case. */
  readonly email: string | undefined;
}

/** An external user; what is undefined was not said. */
export interface EmbedAsk {
  readonly at: number;
  readonly tenant: string;
  readonly externalId: string;
  readonly email: string | undefined;
  readonly groups: readonly string[] | undefined;
  readonly attributes: readonly AttributeWish[] | undefined;
  /** JSON in canonical form. */
  readonly securityContext: string | undefined;
}

/** What a request asks for, each with its place in it. */
export interface Asked {
  readonly users: readonly UserAsk[];
  readonly embedUsers: readonly EmbedAsk[];
}

const forEmbedUsers = [
  "embedTenantName",
  "externalId",
  "groups",
  "securityContext",
  "userAttributes",
] as const satisfies readonly (keyof Input)[];

const forSlack = ["channelId", "channelName"] as const satisfies readonly (keyof Input)[];

/** Reads a request; `invalid` for one that can be right in no account. A `null` member is an absent one. */
export function readRequest(recipients: readonly Input[]): Asked {
  if (recipients.some(({ type }) => type === "SLACK")) {
    throw new Failure("invalid", "recipients of type SLACK are not supported");
  }
  const users: UserAsk[] = [];
  const embedUsers: EmbedAsk[] = [];
  for (const [at, input] of recipients.entries()) {
    if (input.type === "USER") users.push(readUser(input, at));
    else embedUsers.push(readEmbedUser(input, at));
  }
  return { users, embedUsers };
}

/** The failure of one element, or of a member of it. */
export function wrong(at: number, what: string, member?: keyof Input): Failure {
  const element = `recipients[${at}]`;
  const path = member === undefined ? element : `${element}.${member}`;
  return refusal(path, ["invalid", `${element}: ${what}`]);
}

function readUser(input: Input, at: number): UserAsk {
  refuse(input, at, [...forEmbedUsers, ...forSlack]);
  const { userId, email } = input;
  if ((userId == null) === (email == null)) {
    throw wrong(at, "a recipient of type USER needs exactly one of userId and email");
  }
  return { at, userId: userId ?? undefined, email: email?.toLowerCase() };
}

function readEmbedUser(input: Input, at: number): EmbedAsk {
  refuse(input, at, ["userId", ...forSlack]);
  const { embedTenantName: tenant, externalId, email, groups, securityContext } = input;
  if (tenant == null || externalId == null) {
    throw wrong(at, "a recipient of type EMBED_USER needs embedTenantName and externalId");
  }
  checkExternalId(externalId);
  return {
    at,
    tenant,
    externalId,
    email: email ?? undefined,
    groups: groups == null ? undefined : [...new Set(groups)].toSorted(),
    attributes: input.userAttributes == null ? undefined : readValues(input.userAttributes, at),
    securityContext: securityContext == null ? undefined : canonical(securityContext as JsonValue),
  };
}

function refuse(input: Input, at: number, members: readonly (keyof Input)[]): void {
  const given = members.filter((member) => input[member] != null);
  if (given.length === 0) return;
  throw wrong(at, `${given.join(", ")} cannot be given for a recipient of type ${input.type}`);
}

/** By name; a value of `null` is none. */
function readValues(values: readonly AttributeWish[], at: number): readonly AttributeWish[] {
  const names = new Set<string>();
  for (const { name } of values) {
    if (names.has(name)) {
      throw wrong(at, `userAttributes names ${JSON.stringify(name)} more than once`);
    }
    names.add(name);
  }
  return values.toSorted((left, right) => (left.name < right.name ? -1 : 1));
}
