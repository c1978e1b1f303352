// Compiles the validators of declared schemas to source code, so that programs start without compiling them. Schemas with
// a pattern that depends on a sibling field, and those of users, are compiled when they are used.
import { _ } from "ajv";
import standaloneCode from "ajv/dist/standalone/index.js";
import type { TSchema } from "typebox";
import { operations } from "../api/index.ts";
import { answerSchema } from "../client/validate-answer.ts";
import {
  createCompiler,
  declaredSchemas,
  schemaDigest,
  uncompiledKeywords,
} from "../core/schema/validate.ts";
import { desiredSpecSchema } from "../core/kind/fields.ts";
import { inputSchema } from "../provider/bridge/validate-inputs.ts";
import { kinds } from "../resources/index.ts";

/** Returns the source of a CommonJS module for each schema, by its digest. */
export async function precompiledValidators(): Promise<ReadonlyMap<string, string>> {
  // Modules declare their schemas when they are loaded.
  await Promise.all([
    import("../reconciler/index.ts"),
    import("../promotion/index.ts"),
    import("../controller/index.ts"),
    import("../service/model/compile.ts"),
  ]);
  const desired = kinds.map((kind) => desiredSpecSchema(kind));
  return compiledSources([...declaredSchemas(), ...desired, ...providerSchemas()]);
}

/** Returns the same for the schemas that the Terraform provider and the Pulumi plugin validate with. */
export function precompiledProviderValidators(): ReadonlyMap<string, string> {
  return compiledSources(providerSchemas());
}

function providerSchemas(): readonly TSchema[] {
  return [
    ...kinds.map((kind) => inputSchema(kind.spec)),
    ...operations.flatMap((operation) => answerSchema(operation) ?? []),
  ];
}

function compiledSources(schemas: readonly TSchema[]): ReadonlyMap<string, string> {
  return new Map(
    schemas
      .filter((schema) => {
        const text = JSON.stringify(schema);
        return !uncompiledKeywords.some((keyword) => text.includes(`"${keyword}"`));
      })
      .map((schema) => {
        const digest = schemaDigest(schema);
        const source = sources.get(digest) ?? validatorSource(schema);
        sources.set(digest, source);
        return [digest, source];
      }),
  );
}

/** Compiled sources by digest, because several bundles of a build have the same validators. */
const sources = new Map<string, string>();

/** Returns the source of a CommonJS module that exports the validator of a schema. */
export function validatorSource(schema: TSchema): string {
  const ajv = createCompiler({ source: true, formats: _`require("svc-formats").default` });
  return standaloneCode.default(ajv, ajv.compile(schema));
}
