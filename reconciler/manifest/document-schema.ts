// The JSON Schema of a document that is svc's own, as Stack and Pipeline are: its head, and the spec that it brings.
import type { TSchema } from "typebox";
import type { JsonObject } from "../../core/json.ts";
import { apiVersion, metadataSchema } from "../../core/json-schema.ts";

/** What such a document is, beside its spec. */
export interface BuiltInDocument {
  readonly kind: string;
  readonly description: string;
  /** It says nothing without. */
  readonly requiresSpec: boolean;
}

/** The schema of the whole document. */
export function documentSchema(
  { kind, description, requiresSpec: needsSpec }: BuiltInDocument,
  spec: TSchema,
): JsonObject {
  return {
    title: kind,
    description,
    type: "object",
    required: ["apiVersion", "kind", "metadata", ...(needsSpec ? ["spec"] : [])],
    additionalProperties: false,
    properties: {
      apiVersion: { const: apiVersion },
      kind: { const: kind },
      metadata: metadataSchema,
      // A schema is JSON; its builder only has another type for it.
      spec: JSON.parse(JSON.stringify(spec)) as JsonObject,
    },
  };
}
