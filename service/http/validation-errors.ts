// Places the validation errors of a request: `body.groups[2].name`. Values are never repeated, because they may be secret.
import type { TSchema } from "typebox";
import { limits } from "../../core/limits/limits.ts";
import { memberPath } from "../../core/pointer.ts";
import {
  type Compiled,
  type SchemaError,
  schemaErrors,
} from "../../core/schema/validation-messages.ts";

/** One error in a request. */
export interface ValidationError {
  /** Such as `body.groups[2].name`. */
  readonly path: string;
  /** The requirement, with the fix if there is one. */
  readonly message: string;
}

/** Returns the errors of one part of a request, up to the limit. `compile` validates against a part of its schema. */
export function validationErrors(
  part: string,
  errors: readonly SchemaError[],
  compile: (schema: TSchema) => Compiled,
): readonly ValidationError[] {
  return schemaErrors(errors, compile)
    .slice(0, limits.diagnosticsShown)
    .map(({ path, keyword, message, remedy = requestRemedies[keyword] }) => ({
      path: memberPath(part, path),
      message: remedy === undefined ? message : `${message}. ${remedy}`,
    }));
}

/** Remedies that only apply to requests. */
const requestRemedies: Readonly<Record<string, string>> = {
  maxItems: "Split the list over several requests.",
};
