// What the commands answer in JSON that make no report, each as a JSON Schema: one document, and a definition for each.
import { type TObject, Type } from "typebox";
import type { JsonObject } from "../../core/json.ts";
import { actions } from "./actions.ts";

const closed = { additionalProperties: false } as const;
const stack = Type.String({ description: "Name of the stack." });
const addresses = (description: string) => Type.Array(Type.String(), { description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const place = (description: string) => Type.Enum(["file", "service", "postgres"], { description });

const change = Type.Object(
  {
    address: Type.String({ description: "Kind/name of the object." }),
    kind: Type.String(),
    action: Type.Enum([...actions], { description: "As in a plan." }),
    name: Type.String(),
    key: Type.String({ description: "The natural key as text." }),
    result: Type.Optional(
      Type.Enum(["done", "failed", "skipped"], {
        description: "Left out while the run goes on, and where it was killed.",
      }),
    ),
    id: Type.Optional(Type.String({ description: "The service's id, where it is known." })),
    before: Type.Optional(
      Type.Unknown({ description: "What could be read of the object before; null is not there." }),
    ),
    hidden: Type.Optional(
      addresses("Fields that were changed or lost and of which nothing can be put back."),
    ),
  },
  { ...closed, description: "What a run did to one object." },
);

const run = Type.Object(
  {
    id: Type.String({ description: "For `svc undo`." }),
    verb: Type.Enum(["apply", "undo", "move"], {
      description: "`move` took the inventory alone over from elsewhere.",
    }),
    by: Type.String({ description: "Who." }),
    message: Type.Optional(Type.String({ description: "Why." })),
    commit: Type.Optional(Type.String({ description: "From which commit of Git." })),
    begunAt: Type.String({ description: "ISO 8601." }),
    endedAt: Type.Optional(
      Type.String({ description: "Left out while the run goes on, and where it was killed." }),
    ),
    counts: Type.Record(Type.String(), count("So many."), {
      description: "Changes by action; once the run has ended, those that were done.",
    }),
    undone: Type.Optional(count("Changes that failed or were not tried.")),
    undoes: Type.Optional(Type.String({ description: "Of an undo: the run it takes back." })),
    changes: Type.Optional(
      Type.Array(change, { description: "Left out of runs that are too long ago." }),
    ),
  },
  { ...closed, description: "One run." },
);

const node = Type.Object(
  {
    address: Type.String({ description: "Kind/name." }),
    dependsOn: addresses("What it refers to, or lies in."),
    layer: count("Position in the order: objects of one are made at the same time."),
  },
  { ...closed, description: "One object that the stack declares." },
);

const protection: TObject = Type.Object(
  {
    stack,
    changed: addresses("Protected now and not before, or the other way round."),
    declared: addresses(
      "Of those that are not protected any more: whose documents say so again at the next apply.",
    ),
  },
  closed,
);

/** The answers by the command that gives them. */
export const commandOutputs = {
  history: Type.Object(
    { stack, runs: Type.Array(run, { description: "The newest first." }) },
    closed,
  ),
  graph: Type.Object(
    { stack, objects: Type.Array(node, { description: "In the order in which they are made." }) },
    closed,
  ),
  protect: protection,
  unprotect: protection,
  adopt: Type.Object(
    {
      adopted: addresses("What is the stack's from now on."),
      missed: addresses("What was asked for and not there to be taken."),
    },
    closed,
  ),
  unlock: Type.Object({ unlocked: Type.String({ description: "The lock's id." }), stack }, closed),
  "move-inventory": Type.Object(
    {
      stack,
      objectCount: count("Objects that the inventory tells of."),
      from: place("Where it was."),
      to: place("Where it is now."),
      backupFile: Type.Optional(
        Type.String({ description: "Where its file lies now, if it was in one." }),
      ),
      renamedFrom: Type.Optional(
        Type.String({ description: "Of a rename: what the stack was called." }),
      ),
    },
    closed,
  ),
} as const satisfies Readonly<Record<string, TObject>>;

/** `schemas/answers.json`: `$defs` has an answer for each command that makes no report. `svc undo` makes one, that of an apply. */
export function commandOutputSchema(): JsonObject {
  const names = Object.keys(commandOutputs) as readonly (keyof typeof commandOutputs)[];
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Answers of svc",
    description: "What commands answer with --output json that make no report, by their names.",
    anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: Object.fromEntries(
      names.map((name) => [
        name,
        { description: `What \`svc ${name}\` answers.`, ...commandOutputs[name] },
      ]),
    ),
  };
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
