// Validates values against JSON Schemas with ajv. Loads ajv on first use, because loading it takes longer than the rest of core.
import { createHash } from "node:crypto";
import type {
  Ajv2020,
  CodeOptions,
  FuncKeywordDefinition,
  ValidateFunction,
} from "ajv/dist/2020.js";
import type { FormatsPlugin } from "ajv-formats";
import type { TSchema } from "typebox";
import { customFormats } from "./formats.ts";
import { memberRulesDefinition, memberRulesKeyword } from "./member-rules.ts";
import { precompiled } from "./precompiled.ts";
import { member, memoizePerSchema } from "./schema.ts";
import { type Traits, patternByKeyword, traitKeywords } from "./traits.ts";
import { type Compiled, schemaErrors, type SchemaValidationError } from "./validation-messages.ts";

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

/** Options for validators of one run: to optimize their code takes as long as to generate it, and more than it saves. */
export const quickCode: CodeOptions = { optimize: false };

let compiler: Ajv2020 | undefined;

/** Throws if a schema is not a valid JSON Schema. Needed for schemas of users: our own are declared with TypeBox. */
export function assertValidSchema(schema: TSchema): void {
  compiler ??= createCompiler(quickCode);
  void compiler.validateSchema(schema, true);
}

/** Compiles a valid schema without caching it in ajv. Throws for keywords and formats that ajv does not know. */
export function compile(schema: TSchema): Compiled {
  const check = precompiled.get(schemaDigest(schema))?.() ?? compileNow(schema);
  return (value) => (check(value) ? [] : (check.errors ?? []));
}

function compileNow(schema: TSchema): ValidateFunction {
  compiler ??= createCompiler(quickCode);
  const check = compiler.compile(schema);
  compiler.removeSchema(schema);
  return check;
}

/** Returns the name of a schema among the validators that the build compiles. */
export function schemaDigest(schema: TSchema): string {
  return createHash("sha256").update(JSON.stringify(schema)).digest("hex").slice(0, 32);
}

/** Keywords that functions check, so that the build compiles no schema that contains one. */
export const uncompiledKeywords: readonly string[] = [patternByKeyword, memberRulesKeyword];

/** Annotations for editors, which validation ignores. */
const annotations = ["markdownDescription", "markdownEnumDescriptions"];

/** Returns a compiler with our formats and keywords. `code` says how it generates source code. */
export function createCompiler(code?: CodeOptions): Ajv2020 {
  const { Ajv2020: Compiler } = requireAjv() as { Ajv2020: typeof Ajv2020 };
  const ajv = new Compiler({
    ...(code && { code }),
    allErrors: true,
    verbose: true,
    ownProperties: true,
    // Compiling the schema of schemas takes longer than compiling one of the project.
    validateSchema: false,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
  });
  const formats = requireFormats() as FormatsPlugin | { default: FormatsPlugin };
  ("default" in formats ? formats.default : formats)(ajv);
  for (const [name, accepts] of Object.entries(customFormats)) ajv.addFormat(name, accepts);
  ajv.addKeyword({
    keyword: patternByKeyword,
    type: "string",
    errors: "full",
    compile: patternByCheck,
  });
  ajv.addKeyword(memberRulesDefinition);
  const others = traitKeywords.filter((keyword) => !uncompiledKeywords.includes(keyword));
  return ajv.addVocabulary([...others, ...annotations]);
}

type Check = ReturnType<NonNullable<FuncKeywordDefinition["compile"]>>;

/** Checks a string against the pattern selected by a sibling field. Passes if the sibling selects none. */
function patternByCheck({ field, patterns }: NonNullable<Traits["patternBy"]>): Check {
  const check: Check = (text: string, at) => {
    // A value that is validated on its own has no parent.
    const parent: Readonly<Record<string, unknown>> | undefined = at?.parentData;
    const decisive = member(parent, field);
    const selected = typeof decisive === "string" ? member(patterns, decisive) : undefined;
    if (selected === undefined || new RegExp(selected.pattern, "u").test(text)) return true;
    const { expectation } = selected;
    check.errors = [
      { keyword: patternByKeyword, params: { expectation }, message: `must be ${expectation}` },
    ];
    return false;
  };
  return check;
}

// A bundler inlines modules that `require` names literally. ES modules have no `require`;
// `createRequire` provides it.
function requireAjv(): unknown {
  return typeof require === "function"
    ? require("ajv/dist/2020.js")
    : moduleRequire()("ajv/dist/2020.js");
}

function requireFormats(): unknown {
  return typeof require === "function" ? require("ajv-formats") : moduleRequire()("ajv-formats");
}

function moduleRequire(): NodeJS.Require {
  return process.getBuiltinModule("node:module").createRequire(import.meta.url);
}
