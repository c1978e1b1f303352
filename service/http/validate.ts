// Checks requests and answers against the operations' schemas, each compiled when it is first needed.
import { Ajv2020, type AnySchema, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { Failure } from "../../core/errors.ts";
import { isIri } from "../../core/texts.ts";
import { traitKeywords } from "../../core/traits.ts";
import { complaints, type Complaint } from "./complaints.ts";

/** Values whose JSON is longer than this are told their first mistake only: collecting all could fill the memory. */
const collectBelowBytes = 65_536;

const quick = compiler({ allErrors: false });
const thorough = compiler({ allErrors: true, verbose: true });

function compiler(options: { allErrors: boolean; verbose?: boolean }): Ajv2020 {
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
export interface Check {
  readonly name: string;
  readonly schema: AnySchema;
  readonly value: unknown;
}

/** Fails with `invalid` and every complaint about every part; each names its place, what is wrong and what to do. */
export function check(parts: readonly Check[], bodyBytes: number): void {
  const wrong = parts.filter(({ schema, value }) => !compiled(quick, schema)(value));
  if (wrong.length === 0) return;
  const all = wrong.flatMap((part) => complaintsOf(part, bodyBytes));
  throw new Failure("invalid", sentence(all), {
    details: { errors: all.map(({ path, message }) => ({ path, message })) },
  });
}

/** What is wrong with a value, as one text; undefined when nothing is. */
export function mismatch(schema: AnySchema, value: unknown): string | undefined {
  if (compiled(quick, schema)(value)) return undefined;
  return sentence(complaintsOf({ name: "answer", schema, value }, 0));
}

function complaintsOf({ name, schema, value }: Check, bytes: number): readonly Complaint[] {
  const validate = compiled(bytes <= collectBelowBytes ? thorough : quick, schema);
  validate(value);
  return complaints(name, validate.errors ?? []);
}

function sentence(all: readonly Complaint[]): string {
  return all.map(({ path, message }) => `${path} ${message}`).join("; ");
}

/** Ajv keeps what it compiled by the schema object itself. */
function compiled(ajv: Ajv2020, schema: AnySchema): ValidateFunction {
  return ajv.compile(schema);
}
