// Finds how the audit log names an object of a resource type.
import type { Kind } from "../../core/kind/kind.ts";
import { isSingleton } from "../../core/kind/shape.ts";

/** How the audit log names the objects of a resource type. */
export interface AuditSource {
  readonly objectType: string;
  /**
   * The ID of the object, or of one of the objects that it connects; its name in the deployment or the account; or
   * nothing, if an account has exactly one such object.
   */
  readonly names: "id" | "name" | "nothing";
}

/** Returns how the audit log names the objects of a resource type. */
export function auditSourceOf(kind: Kind): AuditSource {
  const { recordedAs: objectType = kind.plural, bindings } = kind;
  if (isSingleton(kind)) return { objectType, names: "nothing" };
  const isName = bindings.delete.some(({ operation }) => /name\}$/iu.test(operation.path));
  return { objectType, names: isName ? "name" : "id" };
}
