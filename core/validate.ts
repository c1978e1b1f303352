// Validates values against schemas.
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
