// The schemas of the documents that declare no object.
import type { JsonObject } from "../core/json.ts";
import { pipelineSchema } from "../promotion/pipeline-schema.ts";
import { removedSchema } from "../reconciler/manifest/removed.ts";
import { stackSchema } from "../reconciler/manifest/stack.ts";

/** The schemas by kind. */
export const documentSchemas: Readonly<Record<string, JsonObject>> = {
  Stack: stackSchema,
  Removed: removedSchema,
  Pipeline: pipelineSchema,
};
