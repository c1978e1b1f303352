// Files that the caller of svc names beside the manifests, such as grants and policies.
import { readFileSync } from "node:fs";
import type { TSchema } from "typebox";
import { Failure } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";

/** The whole text of a file. Fails with `usage` where it cannot be read. */
export function readGiven(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure("usage", `${file} cannot be read: ${code ?? "unknown"}`, { cause: error });
  }
}

/** The JSON Schema of such a file, for editors. */
export function givenSchema(title: string, schema: TSchema): JsonObject {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return JSON.parse(JSON.stringify({ $schema, title, ...schema })) as JsonObject;
}
