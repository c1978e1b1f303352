// The object that an operation changes, as the audit log names it: derived from the operation's path.
import type { Operation } from "../core/operation.ts";

/** The type of an object, and the path parameter with its ID; without one, the object is new or the call changes several. */
export interface AuditedObject {
  readonly type: string;
  readonly idParameter: string | undefined;
}

/** Returns the path of the object that an operation changes. SCIM changes the same users and groups as the API. */
export function auditedPath({ path }: Pick<Operation, "path">): string {
  return path
    .replace(/^\/api\/scim\/v2\/Users\b/u, "/api/v1/users")
    .replace(/^\/api\/scim\/v2\/Groups\b/u, "/api/v1/user-groups");
}

/**
 * Returns the object that an operation changes. `isCollection` tells whether objects have paths below that of the
 * operation: then its type is the collection, otherwise the object with the last ID in the path.
 */
export function auditedObject(
  operation: Pick<Operation, "path">,
  isCollection: boolean,
): AuditedObject {
  const segments = auditedPath(operation).split("/").slice(1);
  const last = segments.findLastIndex((segment) => segment.startsWith("{"));
  if (isCollection || last < 1) return { type: segments.at(-1) ?? "", idParameter: undefined };
  return { type: segments[last - 1] ?? "", idParameter: segments[last]?.slice(1, -1) };
}
