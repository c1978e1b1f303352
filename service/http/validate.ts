// Checks requests and answers against the operations' schemas, each compiled when it is first needed.
import { Ajv2020, type AnySchema, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { Failure } from "../../core/errors.ts";
import { isIri } from "../../core/text-patterns.ts";
import { traitKeywords } from "../../core/traits.ts";
import { validationErrors, type ValidationError } from "./validation-errors.ts";

/** Values whose JSON is longer than this are told their first mistake only: collecting all could fill the memory. */
const collectBelowBytes = 65_536;

const firstErrorAjv = createAjv({ allErrors: false });
const allErrorsAjv = createAjv({ allErrors: true, verbose: true });

function createAjv(options: { allErrors: boolean; verbose?: boolean }): Ajv2020 {
  const ajv = new Ajv2020({
    ...options,
    strict: true,
    strictRequired: false,
    strictTypes: false,
    allowUnionTypes: true,
    validateSchema: false,
  });
  ajv.addVocabulary([...traitKeywords]);
  formats.default(ajv);
  ajv.addFormat("iri", isIri);
  return ajv;
}

/** Parts of a request by name, each with the schema that it has to meet. */
export interface SchemaCheck {
  readonly name: string;
  readonly schema: AnySchema;
  readonly value: unknown;
}

/** Fails with `invalid` and every complaint about every part; each names its place, what is wrong and what to do. */
export function check(parts: readonly SchemaCheck[], bodyBytes: number): void {
  const wrong = parts.filter(({ schema, value }) => !compile(firstErrorAjv, schema)(value));
  if (wrong.length === 0) return;
  const all = wrong.flatMap((part) => validationErrorsOf(part, bodyBytes));
  throw new Failure("invalid", joinMessages(all), {
    details: { errors: all.map(({ path, message }) => ({ path, message })) },
  });
}

/** What is wrong with a value, as one text; undefined when nothing is. */
export function mismatchMessage(schema: AnySchema, value: unknown): string | undefined {
  if (compile(firstErrorAjv, schema)(value)) return undefined;
  return joinMessages(validationErrorsOf({ name: "answer", schema, value }, 0));
}

function validationErrorsOf(
  { name, schema, value }: SchemaCheck,
  bytes: number,
): readonly ValidationError[] {
  const validate = compile(bytes <= collectBelowBytes ? allErrorsAjv : firstErrorAjv, schema);
  validate(value);
  return validationErrors(name, validate.errors ?? []);
}

function joinMessages(all: readonly ValidationError[]): string {
  return all.map(({ path, message }) => `${path} ${message}`).join("; ");
}

/** Ajv keeps what it compiled by the schema object itself. */
function compile(ajv: Ajv2020, schema: AnySchema): ValidateFunction {
  return ajv.compile(schema);
}
