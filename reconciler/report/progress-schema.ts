// The lines of progress that programs get on standard error, as a JSON Schema.
import { type Static, Type } from "typebox";
import type { JsonObject } from "../../core/json.ts";
import { actions } from "./actions.ts";

const closed = { additionalProperties: false } as const;
const count = (description: string) => Type.Integer({ minimum: 0, description });

const phase = Type.Object(
  {
    event: Type.Literal("phase"),
    phase: Type.Enum(["read", "check", "apply", "verify"], { description: "What begins." }),
  },
  { ...closed, description: "A part of the run begins." },
);

const change = Type.Object(
  {
    event: Type.Literal("change"),
    address: Type.String({ description: "Kind/name of the object." }),
    action: Type.Enum([...actions], { description: "As in a plan." }),
    result: Type.Enum(["done", "failed", "skipped"], { description: "How it ended." }),
    done: count("Changes that have ended, however."),
    total: count("Changes in all."),
    layer: count("Position in the order of creates; deletes run from the highest down."),
    perSecond: Type.Optional(Type.Number({ minimum: 0, description: "Changes a second so far." })),
    secondsLeft: Type.Optional(count("As long it takes yet, at that rate.")),
  },
  { ...closed, description: "A change has ended; not every one is told." },
);

const wait = Type.Object(
  {
    event: Type.Literal("wait"),
    seconds: Type.Number({ minimum: 0, description: "How long." }),
    serverRequested: Type.Boolean({ description: "The server asked for it." }),
    status: Type.Optional(
      Type.Integer({ description: "What the server answered; left out where no answer came." }),
    ),
    timedOut: Type.Optional(Type.Boolean({ description: "No answer came in time." })),
    attempt: Type.Optional(
      count("The attempt that follows; left out where calls wait for a spent allowance only."),
    ),
    attempts: Type.Optional(count("Attempts at most.")),
  },
  { ...closed, description: "Calls wait, or one is tried again later." },
);

const line = Type.Union([phase, change, wait]);

/** One line of progress. */
export type ProgressLine = Static<typeof line>;

/** `schemas/progress.json`: one line on standard error, while a command with --output json runs. */
export function progressSchema(): JsonObject {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A line of progress of svc",
    description: "A line on standard error while a command with --output json runs.",
    ...line,
  };
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
