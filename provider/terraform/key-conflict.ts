// Explains key conflicts of creates that replace an object.
import { Failure } from "../../core/errors.ts";
import { fieldsOf } from "../../core/kind/fields.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { snakeCase } from "../../core/text/naming.ts";

/** Explains a key conflict: the remedy begins with an import, because a replacement causes it only with one setting. Terraform does not report that a create belongs to a replacement. */
export function explainKeyConflict(kind: Kind, failure: Failure): Failure {
  const replacing = fieldsOf(kind).find(
    ({ name, traits }) => traits.onChange === "replace" && !kind.key.includes(name),
  );
  if (replacing === undefined) return failure;
  const { code, message, remedy = "", validationErrors } = failure;
  return new Failure(code, message, {
    cause: failure,
    validationErrors,
    remedy: `${remedy} If a resource with create_before_destroy replaces that object, as for a change of ${snakeCase(replacing.name)}, both cannot have the same ${kind.key.at(-1)}: remove create_before_destroy from its lifecycle and from the resources that depend on it.`,
  });
}
