// The one form in which every command tells a program that it failed, or that nobody confirmed it, as a JSON Schema.
import { Type } from "typebox";
import { errorCodes } from "../../core/errors.ts";
import type { JsonObject } from "../../core/json.ts";

const text = Type.String();

/** What stands in `error.code` and is no failure of the machinery. */
export const outcomeCodes = ["confirmation_required", "declined", "bug"] as const;

const failure = Type.Object(
  {
    code: Type.String({
      enum: [...Object.keys(errorCodes), ...outcomeCodes],
      description: "See docs/reference/errors.md; confirmation_required and declined end with 5.",
    }),
    message: Type.String({ description: "What happened, in a sentence." }),
    remedy: Type.Optional(Type.String({ description: "What to do about it." })),
    retryAfter: Type.Optional(
      Type.Number({ minimum: 0, description: "Seconds after which trying again may succeed." }),
    ),
    details: Type.Optional(
      Type.Record(text, Type.Unknown(), { description: "Facts that depend on the code." }),
    ),
  },
  { additionalProperties: false, description: "Why." },
);

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }));

/** `schemas/failure.json`: what a command answers with --output json where it has no result. New members may come. */
export function failureSchema(): JsonObject {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A failure of svc",
    description: "What every command answers with --output json where it has no result.",
    ...Type.Object({
      error: failure,
      status: Type.Optional(
        Type.String({
          enum: ["confirmation_required", "declined"],
          description: "The same as the code, where nothing failed but nobody said yes.",
        }),
      ),
      command: Type.Optional(Type.String({ description: "The command that confirms." })),
      writes: count("Objects that would be written."),
      deletes: count("Deletes and replaces among them, or those that have to be allowed."),
      adopts: Type.Optional(
        Type.Array(text, { description: "Addresses of what would be taken over." }),
      ),
      plan: Type.Optional(
        Type.Unknown({ description: "What would be done: a report; see report.json." }),
      ),
      steps: Type.Optional(
        Type.Array(Type.Unknown(), {
          description: "Versions that would begin to come into a stage; see promotion.json.",
        }),
      ),
      pipeline: Type.Optional(
        Type.Unknown({
          description:
            "Where the pipeline stands, with what was done all the same: a report; see promotion.json.",
        }),
      ),
    }),
  };
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
