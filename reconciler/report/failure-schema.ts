// JSON Schema of a failed or unconfirmed command.
import { Type } from "typebox";
import { errorCodes } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";
import { type CommandValue, head } from "./command-result-schema.ts";

const text = Type.String();

/** Codes in `error.code` that are not failure codes. */
const outcomeCodes = ["confirmation_required", "declined", "bug"] as const;

const failure = Type.Object(
  {
    code: Type.String({
      enum: [...Object.keys(errorCodes), ...outcomeCodes],
      description: "See docs/reference/errors.md; confirmation_required and declined exit with 5.",
    }),
    message: Type.String({ description: "One sentence: what happened." }),
    remedy: Type.Optional(Type.String({ description: "What to do next." })),
    retryAfter: Type.Optional(
      Type.Number({ minimum: 0, description: "Seconds after which to retry." }),
    ),
    details: Type.Optional(
      Type.Record(text, Type.Unknown(), { description: "Details that depend on the code." }),
    ),
  },
  { additionalProperties: false, description: "Why." },
);

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

const facts = Type.Object({
  command: Type.Optional(
    Type.String({
      description: "The command that confirms. Left out where it would overwrite conflicts.",
    }),
  ),
  writes: count("Number of objects to write."),
  deletes: count("Number of deletes and replacements among them, or those that need approval."),
  limit: count("Number of deletes and replacements that need no approval, if there are more."),
  conflicts: Type.Optional(
    Type.Array(text, {
      description: "Addresses with conflicts, where deletes need approval too.",
    }),
  ),
  notFound: Type.Optional(
    Type.Array(text, {
      description: "Addresses of declared objects that the server does not have.",
    }),
  ),
  blocked: Type.Optional(
    Type.Array(Type.Unknown(), {
      description: "Existing objects that cannot be adopted; see command-output.json.",
    }),
  ),
  adopts: Type.Optional(Type.Array(text, { description: "Addresses to adopt." })),
  plan: Type.Optional(Type.Unknown({ description: "The plan; see report.json." })),
  steps: Type.Optional(
    Type.Array(Type.Unknown(), {
      description: "Versions to promote; see promotion.json.",
    }),
  ),
  pipeline: Type.Optional(
    Type.Unknown({
      description: "State of the pipeline, including completed steps; see promotion.json.",
    }),
  ),
  stack: Type.Optional(Type.String({ description: "Stack whose inventory moves." })),
  renamedFrom: Type.Optional(Type.String({ description: "The previous name of that stack." })),
  formerUrl: Type.Optional(
    Type.String({ description: "Address of the server that the inventory records." }),
  ),
  url: Type.Optional(Type.String({ description: "Address of the server that it would record." })),
  objectCount: count("Objects in that inventory."),
});

/** What a command reports about itself with its failure. */
export type FailureFacts = CommandValue<typeof facts>;

/**
 * JSON Schema of a failed command, published as `schemas/failure.json`. New members may be added.
 */
export function failureSchema(): JsonObject {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A failure of svc",
    description: "Output of every command with --output json that has no result.",
    ...Type.Object({
      ...head,
      report: Type.Literal("failure"),
      error: failure,
      status: Type.Optional(
        Type.String({
          enum: ["confirmation_required", "declined", "refused"],
          description: "Same as the code, if the command needs a confirmation.",
        }),
      ),
      ...facts.properties,
    }),
  };
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
