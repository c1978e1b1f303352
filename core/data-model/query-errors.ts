// The errors of members in queries. Manifests, plans and the data API describe them with the same words.
import { calendarUnits, isCalendarUnit } from "../text/calendar-units.ts";
import { suggestion } from "../text/naming.ts";
import type { MemberKind } from "./query-members.ts";

/** Returns the error of a cube or view that does not exist. `names`: those that may be meant. */
export function unknownCube(member: string, names: Iterable<string>): string {
  const [owner = "", own = ""] = member.split(".");
  return notFound(
    owner,
    member,
    suggestion(owner, names, (one) => `${one}.${own}`),
  );
}

/** Returns the error of a member that its cube or view does not have. `names`: the members that may be meant. */
export function unknownMember(member: string, names: Iterable<string>): string {
  const [owner = "", own = ""] = member.split(".");
  return notFound(
    own,
    member,
    suggestion(own, names, (one) => `${owner}.${one}`),
  );
}

function notFound(part: string, member: string, hint: string): string {
  return `'${part}' not found for path '${member}'${hint}`;
}

/** Returns the error of a member of another kind than the query can use there. */
export function wrongKind(member: string, kind: MemberKind, kinds: readonly MemberKind[]): string {
  return `${member} is a ${kind}, not a ${kinds.join(" or ")}`;
}

/** Returns the error of a member that no query can name. */
export function hiddenMember(member: string): string {
  return `${member} is hidden: it, its cube or its view is not public, as primary keys by default`;
}

/** Returns the error of a granularity; undefined if the dimension has it. `own`: its custom granularities. */
export function granularityError(
  granularity: string,
  member: string,
  { type, own }: { readonly type: string; readonly own: readonly string[] },
): string | undefined {
  if (type !== "time") return `${member} is of type ${type} and has no granularity`;
  if (isCalendarUnit(granularity) || own.includes(granularity)) return undefined;
  const hint = suggestion(granularity, [...own, ...calendarUnits]);
  return `Granularity "${granularity}" does not exist in dimension ${member}${hint}`;
}
