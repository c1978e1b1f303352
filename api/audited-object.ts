// The object that an operation changes, as the audit log names it: derived from the operation's path.
import type { Operation } from "../core/operation.ts";

/** The type of an object, and the path parameter with its ID; without one, the object is new or the call changes several. */
export interface AuditedObject {
  readonly type: string;
  readonly idParameter: string | undefined;
}

/** Returns the path of the object that an operation changes. SCIM and `/groups` change the same users and groups. */
export function auditedPath({ path }: Pick<Operation, "path">): string {
  return path
    .replace(/^\/api\/scim\/v2\/Users\b/u, "/api/v1/users")
    .replace(/^\/api\/scim\/v2\/Groups\b/u, "/api/v1/user-groups")
    .replace(/^\/api\/v1\/groups\b/u, "/api/v1/user-groups");
}

/**
 * Returns the object that an operation changes. `isCollection` tells whether objects have paths below that of the
 * operation: then its type is the collection, otherwise the object with the last ID in the path.
 */
export function auditedObject(
  operation: Pick<Operation, "path">,
  isCollection: boolean,
): AuditedObject {
  const named = auditedPath(operation).split("/").slice(1);
  // `/workbooks/by-slug/{slug}` and `/user-groups/bulk` are other paths of a collection.
  const segments = named.slice(0, collectionLength(named));
  const isWhole = isCollection || segments.length < named.length;
  const last = segments.findLastIndex((segment) => segment.startsWith("{"));
  if (isWhole || last < 1) return { type: segments.at(-1) ?? "", idParameter: undefined };
  return { type: segments[last - 1] ?? "", idParameter: segments[last]?.slice(1, -1) };
}

function collectionLength(segments: readonly string[]): number {
  if (segments.at(-1) === "bulk") return segments.length - 1;
  return segments.at(-2)?.startsWith("by-") === true ? segments.length - 2 : segments.length;
}
