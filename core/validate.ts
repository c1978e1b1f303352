// Validates values against schemas.
import type { TSchema } from "typebox";
import { compile } from "./ajv.ts";
import { memoizePerSchema } from "./schema.ts";
import { schemaErrors, type SchemaValidationError } from "./validation-messages.ts";

/** Returns all violations of a value; an empty list if it is valid. Never throws for a JSON value. */
export type Validator = (value: unknown) => readonly SchemaValidationError[];

const compiled = memoizePerSchema(compile);

/** Returns the validator of a schema. It is compiled on first use and cached with the schema object. */
export const validator = memoizePerSchema(
  (schema): Validator =>
    (value) =>
      schemaErrors(compiled(schema)(value), compiled),
);

const declared = new Set<TSchema>();

/** Returns the validator of a schema that modules declare. The build compiles it, so that no run has to. */
export function declaredValidator(schema: TSchema): Validator {
  declared.add(schema);
  return validator(schema);
}

/** Returns the schemas of the loaded modules that {@link declaredValidator} was called with. */
export function declaredSchemas(): ReadonlySet<TSchema> {
  return declared;
}
