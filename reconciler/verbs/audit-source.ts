// Finds how the audit log names an object of a resource type, derived from the operations that change it.
import { auditedObject } from "../../api/audited-object.ts";
import type { Kind } from "../../core/kind.ts";
import type { Operation } from "../../core/operation.ts";

/** How the audit log names the objects of a resource type. */
export interface AuditSource {
  readonly objectType: string;
  /** The path parameter with the ID or name of the object; undefined if there is one object in the account. */
  readonly idParameter: string | undefined;
  /** The operations that change the object, if the ID is that of its parent; undefined if the ID is its own. */
  readonly eventNames: readonly string[] | undefined;
}

/**
 * Returns how the audit log names the objects of a resource type. Undefined where it names only what the object belongs
 * to, as for memberships and access policies: its last entry may be about another object. `kinds` are all of them.
 */
export function auditSourceOf(kind: Kind, kinds: readonly Kind[]): AuditSource | undefined {
  const operations = operationsThatChange(kind);
  if (kind.shape === "item") {
    const own = operations.find(isOnOneObject);
    if (own === undefined) return undefined;
    const { type: objectType, idParameter } = auditedObject(own, false);
    return { objectType, idParameter, eventNames: undefined };
  }
  const named = namedObject(kind, operations);
  if (named !== undefined) return { ...named, eventNames: undefined };
  const isOnlyChild = kind.key.every((name) => kind.scope.includes(name));
  const names = operations.map((operation) => auditedObject(operation, false));
  const [first] = names;
  const isAlike = names.every(
    ({ type, idParameter }) => type === first?.type && idParameter === first.idParameter,
  );
  const isShared = kinds.some(
    (other) =>
      other.name !== kind.name &&
      operationsThatChange(other).some((one) => operations.includes(one)),
  );
  if (!isOnlyChild || isShared || first === undefined || !isAlike) return undefined;
  const eventNames = operations.map(({ id }) => id);
  return { objectType: first.type, idParameter: first.idParameter, eventNames };
}

/** Returns the object of an operation whose path ends with a key field, which names it among those of its parent. */
function namedObject(
  { key, scope }: Kind,
  operations: readonly Operation[],
): { readonly objectType: string; readonly idParameter: string } | undefined {
  const own = operations.find(isOnOneObject);
  const { type, idParameter = "" } = own ? auditedObject(own, false) : { type: "" };
  const isName = key.includes(idParameter) && !scope.includes(idParameter);
  return isName ? { objectType: type, idParameter } : undefined;
}

/** Returns the operations that create, update and delete objects of a kind; the delete first. */
export function operationsThatChange({ bindings }: Kind): readonly Operation[] {
  const all = [...bindings.delete, ...bindings.update, ...bindings.create];
  return [...new Set(all.map(({ operation }) => operation))];
}

/** Returns whether the path of an operation ends with the ID of an object. */
function isOnOneObject({ path }: Operation): boolean {
  return path.endsWith("}");
}
