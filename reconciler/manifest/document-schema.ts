// Builds the JSON Schema of a built-in document such as Stack: common members and a spec.
import type { TSchema } from "typebox";
import type { JsonObject } from "../../core/json.ts";
import { apiVersion, metadataSchema } from "../../core/kind/json-schema.ts";

/** A built-in document, apart from its spec. */
export interface BuiltInDocument {
  readonly kind: string;
  readonly description: string;
  /** True if the spec is required. */
  readonly requiresSpec: boolean;
}

/** Returns the schema of the whole document. */
export function documentSchema(
  { kind, description, requiresSpec }: BuiltInDocument,
  spec: TSchema,
): JsonObject {
  return {
    title: kind,
    description,
    type: "object",
    required: ["apiVersion", "kind", "metadata", ...(requiresSpec ? ["spec"] : [])],
    additionalProperties: false,
    properties: {
      apiVersion: { const: apiVersion },
      kind: { const: kind },
      metadata: metadataSchema,
      // A TypeBox schema is JSON; only its type differs.
      spec: JSON.parse(JSON.stringify(spec)) as JsonObject,
    },
  };
}
