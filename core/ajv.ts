// The schema compiler, loaded when the first schema is compiled and not before: it costs more than all the rest of core.
import type { Ajv2020, ErrorObject } from "ajv/dist/2020.js";
import type { FormatsPlugin } from "ajv-formats";
import type { TSchema } from "typebox";
import { traitKeywords } from "./traits.ts";

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
  const { Ajv2020: Compiler } = required() as { Ajv2020: typeof Ajv2020 };
  const ajv = new Compiler({
    allErrors: true,
    verbose: true,
    ownProperties: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
  });
  const formats = requiredFormats() as FormatsPlugin | { default: FormatsPlugin };
  ("default" in formats ? formats.default : formats)(ajv);
  return ajv.addVocabulary([...traitKeywords, ...annotations]);
}

// A bundler finds `require` with a literal name and packs what it names; in Node's own modules there is no `require`, and
// `createRequire` makes one.
function required(): unknown {
  return typeof require === "function"
    ? require("ajv/dist/2020.js")
    : requireHere()("ajv/dist/2020.js");
}

function requiredFormats(): unknown {
  return typeof require === "function" ? require("ajv-formats") : requireHere()("ajv-formats");
}

function requireHere(): NodeJS.Require {
  return process.getBuiltinModule("node:module").createRequire(import.meta.url);
}
