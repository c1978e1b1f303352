// The schema compiler, loaded when the first schema is compiled and not before: it costs more than all the rest of core.
import type { Ajv2020, ErrorObject, FuncKeywordDefinition } from "ajv/dist/2020.js";
import type { FormatsPlugin } from "ajv-formats";
import type { TSchema } from "typebox";
import { member } from "./schema.ts";
import { type Traits, patternByKeyword, traitKeywords } from "./traits.ts";
import { isIri, isTimeZone } from "./text-patterns.ts";

/** What the compiler reports: ajv's own form, with the schema and the value at the place in it. */
export type SchemaError = ErrorObject;

/** All errors of a value; none when it is valid. */
export type Compiled = (value: unknown) => readonly SchemaError[];

let compiler: Ajv2020 | undefined;

/** Compiles a schema; the compiler keeps nothing of it. Throws where the schema itself is wrong, which is our bug. */
export function compile(schema: TSchema): Compiled {
  compiler ??= load();
  const check = compiler.compile(schema);
  compiler.removeSchema(schema);
  return (value) => (check(value) ? [] : (check.errors ?? []));
}

/** Annotations for editors that no validator needs to understand. */
const annotations = ["markdownDescription", "markdownEnumDescriptions"];

function load(): Ajv2020 {
  const { Ajv2020: Compiler } = requireAjv() as { Ajv2020: typeof Ajv2020 };
  const ajv = new Compiler({
    allErrors: true,
    verbose: true,
    ownProperties: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
  });
  const formats = requireFormats() as FormatsPlugin | { default: FormatsPlugin };
  ("default" in formats ? formats.default : formats)(ajv);
  ajv.addFormat("iri", isIri);
  ajv.addFormat("time-zone", isTimeZone);
  ajv.addKeyword({
    keyword: patternByKeyword,
    type: "string",
    errors: "full",
    compile: patternByCheck,
  });
  const others = traitKeywords.filter((keyword) => keyword !== patternByKeyword);
  return ajv.addVocabulary([...others, ...annotations]);
}

type Check = ReturnType<NonNullable<FuncKeywordDefinition["compile"]>>;

/** A text's form, where the field beside it that decides has a value already. */
function patternByCheck({ field, patterns: forms }: NonNullable<Traits["patternBy"]>): Check {
  const check: Check = (text: string, at) => {
    const decisive: unknown = at?.parentData[field];
    const form = typeof decisive === "string" ? member(forms, decisive) : undefined;
    if (form === undefined || new RegExp(form.pattern, "u").test(text)) return true;
    const { expectation: means } = form;
    check.errors = [{ keyword: patternByKeyword, params: { means }, message: `must be ${means}` }];
    return false;
  };
  return check;
}

// A bundler finds `require` with a literal name and packs what it names; in Node's own modules there is no `require`, and
// `createRequire` makes one.
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
