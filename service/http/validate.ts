// Validates requests and responses against the operations' schemas. Compiles each schema on first use.
import { Ajv2020, type AnySchema, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { Failure } from "../../core/errors.ts";
import { isIri } from "../../core/text/text-patterns.ts";
import { memberRulesDefinition, memberRulesKeyword } from "../../core/schema/member-rules.ts";
import { traitKeywords } from "../../core/schema/traits.ts";
import { quickCode } from "../../core/schema/validate.ts";
import { validationErrors, type ValidationError } from "./validation-errors.ts";

/** For values with longer JSON only the first error is reported, because collecting all errors could exhaust memory. */
const collectBelowBytes = 65_536;

const firstErrorAjv = createAjv({ allErrors: false });
const allErrorsAjv = createAjv({ allErrors: true });

function createAjv({ allErrors }: { allErrors: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    allErrors,
    verbose: true,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
    validateSchema: false,
    code: quickCode,
  });
  ajv.addKeyword(memberRulesDefinition);
  ajv.addVocabulary(traitKeywords.filter((keyword) => keyword !== memberRulesKeyword));
  formats.default(ajv);
  ajv.addFormat("iri", isIri);
  return ajv;
}

/** Parts of a request by name, each with its schema. */
export interface SchemaCheck {
  readonly name: string;
  readonly schema: AnySchema;
  readonly value: unknown;
}

/** Throws `invalid` with all errors of all parts. Each names its position, the problem and the fix. */
export function check(parts: readonly SchemaCheck[], bodyBytes: number): void {
  const wrong = parts.filter(({ schema, value }) => !compile(firstErrorAjv, schema)(value));
  if (wrong.length === 0) return;
  const all = wrong.flatMap((part) => validationErrorsOf(part, bodyBytes));
  throw new Failure("invalid", joinMessages(all), {
    details: { errors: all.map(({ path, message }) => ({ path, message })) },
  });
}

/** Returns the errors of a value as one text, or undefined. */
export function mismatchMessage(schema: AnySchema, value: unknown): string | undefined {
  if (compile(firstErrorAjv, schema)(value)) return undefined;
  return joinMessages(validationErrorsOf({ name: "answer", schema, value }, 0));
}

function validationErrorsOf(
  { name, schema, value }: SchemaCheck,
  bytes: number,
): readonly ValidationError[] {
  const ajv = bytes <= collectBelowBytes ? allErrorsAjv : firstErrorAjv;
  const errorsAgainst = (against: AnySchema) => (part: unknown) => {
    const validate = compile(ajv, against);
    return validate(part) ? [] : (validate.errors ?? []);
  };
  return validationErrors(name, errorsAgainst(schema)(value), errorsAgainst);
}

function joinMessages(all: readonly ValidationError[]): string {
  return all.map(({ path, message }) => `${path} ${message}`).join("; ");
}

/** Ajv caches compiled schemas by schema object. */
function compile(ajv: Ajv2020, schema: AnySchema): ValidateFunction {
  return ajv.compile(schema);
}
