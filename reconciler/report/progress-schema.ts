// JSON Schema of progress lines on standard error.
import { type Static, Type } from "typebox";
import type { JsonObject } from "../../core/json.ts";
import { actions } from "../model/actions.ts";

const closed = { additionalProperties: false } as const;
const count = (description: string) => Type.Integer({ minimum: 0, description });

const phase = Type.Object(
  {
    event: Type.Literal("phase"),
    phase: Type.Enum(["read", "check", "apply", "verify"], { description: "Phase that begins." }),
  },
  { ...closed, description: "A phase of the run begins." },
);

const change = Type.Object(
  {
    event: Type.Literal("change"),
    address: Type.String({ description: "Kind/name of the object." }),
    action: Type.Enum([...actions], { description: "Same as in a plan." }),
    result: Type.Enum(["done", "failed", "skipped"], { description: "Result of the change." }),
    done: count("Completed changes, failed ones included."),
    total: count("Total number of changes."),
    layer: count(
      "Position in the order of creates, from 0; the text counts from 1. Deletes run from the highest down.",
    ),
    perSecond: Type.Optional(
      Type.Number({ minimum: 0, description: "Changes per second so far." }),
    ),
    secondsLeft: Type.Optional(count("Estimated seconds left.")),
  },
  { ...closed, description: "A change has completed; not every change has a line." },
);

const wait = Type.Object(
  {
    event: Type.Literal("wait"),
    seconds: Type.Number({ minimum: 0, description: "Duration of the wait." }),
    serverRequested: Type.Boolean({ description: "The server requested the wait." }),
    status: Type.Optional(
      Type.Integer({ description: "Status of the response; missing without one." }),
    ),
    timedOut: Type.Optional(Type.Boolean({ description: "The request timed out." })),
    attempt: Type.Optional(
      count("Number of the next attempt; missing if calls only wait for rate limits."),
    ),
    attempts: Type.Optional(count("Maximum number of attempts.")),
  },
  { ...closed, description: "Calls wait, or a call is retried later." },
);

const record = Type.Union([phase, change, wait]);

/** A record of progress, printed as one JSON line. */
export type ProgressRecord = Static<typeof record>;

/** JSON Schema of progress lines, published as `schemas/progress.json`. */
export function progressSchema(): JsonObject {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Progress of svc",
    description: "A line on standard error while a command with --output json runs.",
    ...record,
  };
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
