// SQL conditions for both databases: case-insensitive search, prefixes, own users.
import { type RawBuilder, sql, type SqlBool } from "kysely";

/** True for rows where `column` contains `part`, ignoring case. */
export function contains(column: string, part: string): RawBuilder<SqlBool> {
  const pattern = `%${part.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`;
}

/** True for rows where `column`, a list of numbers as JSON, contains `one`. */
export function listContains(column: string, one: number): RawBuilder<SqlBool> {
  const pattern = `%,${one},%`;
  return sql<SqlBool>`replace(replace(${sql.ref(column)}, '[', ','), ']', ',') like ${pattern}`;
}

/** True for rows where `column` begins with `start`, case-sensitive. */
export function beginsWith(column: string, start: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`substr(${sql.ref(column)}, 1, ${start.length}) = ${start}`;
}

/** True for rows where `column` is `pattern`, or begins with it if it ends with `*`. */
export function matches(column: string, pattern: string): RawBuilder<SqlBool> {
  return pattern.endsWith("*")
    ? beginsWith(column, pattern.slice(0, -1))
    : sql<SqlBool>`${sql.ref(column)} = ${pattern}`;
}

/** True for rows where `column` is `prefix` followed by the value of `other`. */
export function isPrefixed(column: string, prefix: string, other: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} = ${prefix} || ${sql.ref(other)}`;
}

/** True for entries of the audit log about a change, or for entries of calls that changed nothing. */
export function isAuditedChange(isChange: boolean): RawBuilder<SqlBool> {
  const isUnchanged = sql<SqlBool>`(coalesce(before_values, '') = '{}' and coalesce(after_values, '') = '{}')`;
  return isChange ? sql<SqlBool>`not ${isUnchanged}` : isUnchanged;
}

/** A text that almost certainly changes with the members of a group: their number and two sums over their IDs. */
export const membersDigest = sql<string>`count(*) || '-' || coalesce(sum(users.id), 0) || '-' ||
  coalesce(sum((users.id % 65521) * (users.id % 65519)), 0)`;

/** True for the account's own users. A literal, because SQLite uses partial indexes only for literals. */
export const isInternalUser = sql<SqlBool>`is_external = 0`;

/** True for users that exist only as long as they have a session. A literal, as {@link isInternalUser}. */
export const isEphemeralUser = sql<SqlBool>`is_ephemeral = 1`;

/** 1 for rows of `users` that are in a group, otherwise 0. */
export const isInGroup = sql<number>`case when exists (
  select 1 from group_members where group_members.user_id = users.id) then 1 else 0 end`;
