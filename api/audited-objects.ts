// The objects that an operation changes, as the audit log names them. The operation declares them; by default, they are
// derived from its path.
import type { ChangedObjects } from "../core/operation/changed-objects.ts";
import type { Operation } from "../core/operation/operation.ts";
import { memoizePerObject } from "../core/memoize.ts";

/**
 * Returns the objects that an operation of a list changes, the main ones first. By default it is one: the object with
 * the last ID in the path, or a new object if other operations have paths below this one.
 */
export function auditedObjects(
  operation: Operation,
  operations: readonly Operation[],
): readonly ChangedObjects[] {
  const { changes } = operation;
  if (changes !== undefined) return "type" in changes ? [changes] : changes;
  const named = segmentsOf(operation.path);
  const last = named.findLastIndex((segment) => segment.startsWith("{"));
  const isNew = last < 1 || collections(operations).has(named.join("/"));
  if (isNew) return [{ type: named.at(-1) ?? "", id: ["answer.id"] }];
  const parameter = named[last]?.slice(1, -1) ?? "";
  return [{ type: named[last - 1] ?? "", id: [`params.${parameter}`] }];
}

/**
 * Returns the segments of the path of the objects. SCIM and `/groups` change the same users and groups as the other
 * operations.
 */
function segmentsOf(path: string): readonly string[] {
  return path
    .replace(/^\/api\/scim\/v2\/Users\b/u, "/api/v1/users")
    .replace(/^\/api\/scim\/v2\/Groups\b/u, "/api/v1/user-groups")
    .replace(/^\/api\/v1\/groups\b/u, "/api/v1/user-groups")
    .split("/")
    .slice(1);
}

/** Returns the paths that contain objects with their own paths. */
const collections = memoizePerObject((operations: readonly Operation[]): ReadonlySet<string> => {
  const parents = operations.flatMap(({ path }) =>
    path.endsWith("}") ? [segmentsOf(path).slice(0, -1).join("/")] : [],
  );
  return new Set(parents);
});
