// Finds how the audit log names an object of a resource type, from the declarations of the operations that change it.
import { auditedObjects } from "../../api/audited-objects.ts";
import { operations } from "../../api/index.ts";
import { onlyType } from "../../core/operation/changed-objects.ts";
import type { Kind } from "../../core/kind/kind.ts";
import type { Operation } from "../../core/operation/operation.ts";
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

/** Returns how the audit log names the objects of a resource type; undefined if it records no object of the type. */
export function auditSourceOf(kind: Kind): AuditSource | undefined {
  const declared = operationsThatChange(kind).flatMap((operation) =>
    auditedObjects(operation, operations).slice(0, 1),
  );
  const main = declared.find((one) => onlyType(one) !== undefined);
  const objectType = kind.recordedAs ?? (main && onlyType(main));
  if (objectType === undefined) return undefined;
  if (isSingleton(kind)) return { objectType, names: "nothing" };
  const fields = main === undefined || "lookup" in main.id ? [] : main.id;
  const isName = fields.length === 1 && /name$/iu.test(fields[0] ?? "");
  return { objectType, names: isName ? "name" : "id" };
}

/** Returns the operations that create, update and delete objects of a kind; the delete first. */
export function operationsThatChange({ bindings }: Kind): readonly Operation[] {
  const all = [...bindings.delete, ...bindings.update, ...bindings.create];
  return [...new Set(all.map(({ operation }) => operation))];
}
