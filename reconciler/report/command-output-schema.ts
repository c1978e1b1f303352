// JSON Schemas of command results that are not reports.
import { type TObject, Type } from "typebox";
import type { JsonObject } from "../../core/json.ts";
import { actions } from "../model/actions.ts";
import { reportFormat } from "../model/report-format.ts";
import { closed, commandResult, type CommandValue } from "./command-result-schema.ts";
import { toolOutputs } from "./tool-output-schema.ts";

const stack = Type.String({ description: "Name of the stack." });
const addresses = (description: string) => Type.Array(Type.String(), { description });
const count = (description: string) => Type.Integer({ minimum: 0, description });

const place = (description: string) => Type.Enum(["file", "service", "postgres"], { description });

const change = Type.Object(
  {
    address: Type.String({ description: "Kind/name of the object." }),
    kind: Type.String(),
    action: Type.Enum([...actions], { description: "Same as in a plan." }),
    name: Type.String(),
    formerAddress: Type.Optional(
      Type.String({
        description: "Address of its inventory entry until the run, if that was another.",
      }),
    ),
    key: Type.String({ description: "Natural key as text." }),
    result: Type.Optional(
      Type.Enum(["done", "partial", "failed", "skipped"], {
        description:
          "Missing while the run is in progress, and after it was killed. `partial`: it failed, and a part was written.",
      }),
    ),
    id: Type.Optional(Type.String({ description: "Id at the service, if known." })),
    before: Type.Optional(
      Type.Unknown({
        description:
          "The changed fields before the change, all fields of a deleted object; null if absent.",
      }),
    ),
    after: Type.Optional(
      Type.Unknown({ description: "The same fields after it, all fields of a created object." }),
    ),
    hidden: Type.Optional(
      addresses("Fields among them whose values are fingerprints, and cannot be restored."),
    ),
    references: Type.Optional(
      Type.Record(Type.String(), Type.String(), {
        description: "Addresses of the objects that `before` refers to, by kind and natural key.",
      }),
    ),
    unrecorded: Type.Optional(
      Type.Literal(true, {
        description: "The values are left out: they are too large.",
      }),
    ),
  },
  { ...closed, description: "What a run did to one object." },
);

const move = Type.Object(
  {
    type: Type.Enum(["entry-to", "entry-from", "name", "server"], {
      description: "An entry to or from another stack, or the name or server of the inventory.",
    }),
    address: Type.Optional(Type.String({ description: "For an entry: Kind/name of the object." })),
    stack: Type.Optional(Type.String({ description: "For an entry: the other stack." })),
    from: Type.Optional(Type.String({ description: "The former name or address." })),
    to: Type.Optional(Type.String({ description: "The new address of the server." })),
  },
  { ...closed, description: "What a move moved." },
);

const run = Type.Object(
  {
    id: Type.String({ description: "Argument of `svc undo`." }),
    verb: Type.Enum(["apply", "undo", "move", "adopt"], {
      description: "`move` and `adopt` wrote only the inventory.",
    }),
    by: Type.String({ description: "Who." }),
    reason: Type.Optional(
      Type.String({ description: "Why: the option --reason, or what a move moved." }),
    ),
    commit: Type.Optional(Type.String({ description: "Git commit." })),
    dirty: Type.Optional(
      Type.Boolean({
        description: "Whether the manifests differed from the commit; missing if that is unknown.",
      }),
    ),
    startedAt: Type.String({ description: "ISO 8601." }),
    endedAt: Type.Optional(
      Type.String({
        description: "Missing while the run is in progress, and after it was killed.",
      }),
    ),
    finishedBy: Type.Optional(
      Type.String({ description: "Of a killed run: the later run that finished its changes." }),
    ),
    counts: Type.Record(Type.String(), count("Number of changes."), {
      description: "Changes by action; after the end of the run, completed changes.",
    }),
    incomplete: Type.Optional(count("Changes that failed or were not attempted.")),
    undoes: Type.Optional(Type.String({ description: "For an undo: the run it reverts." })),
    move: Type.Optional(move),
    changes: Type.Optional(Type.Array(change, { description: "Missing for older runs." })),
  },
  { ...closed, description: "One run." },
);

const node = Type.Object(
  {
    address: Type.String({ description: "Kind/name." }),
    dependsOn: addresses("Objects that it refers to, and its parents."),
    layer: count(
      "Position in the order, from 0; the text counts from 1. Objects of a layer are created in parallel.",
    ),
  },
  { ...closed, description: "One object that the stack declares." },
);

const ownedObject = Type.Object(
  {
    address: Type.String({ description: "Kind/name of the object." }),
    kind: Type.String(),
    key: Type.String({ description: "Natural key as text." }),
    id: Type.Optional(Type.String({ description: "Id at the service, if known." })),
    appliedAt: Type.String({ description: "ISO 8601." }),
    protected: Type.Boolean({ description: "Deletes and replacements are refused." }),
    pending: Type.Boolean({
      description: "True if a create was started and its result is unknown.",
    }),
  },
  { ...closed, description: "One object that the stack owns." },
);

/** Results by command. */
export const commandOutputs = {
  history: commandResult("history", {
    stack,
    runs: Type.Array(run, { description: "Newest first." }),
  }),
  graph: commandResult("graph", {
    stack,
    objects: Type.Array(node, { description: "In the order of creation." }),
  }),
  protect: commandResult("protect", {
    stack,
    changed: addresses("Objects whose protection changed."),
    declared: addresses(
      "Objects without protection whose documents protect them again at the next apply.",
    ),
  }),
  adopt: commandResult("adopt", {
    adopted: addresses("Addresses that the stack now owns."),
    notFound: addresses(
      "Declared objects that the server does not have, and requested addresses that the stack does not declare.",
    ),
    blocked: Type.Array(
      Type.Object(
        {
          address: Type.String({ description: "Kind/name of the object." }),
          code: Type.String({ description: "Code of the error, as in a plan." }),
          summary: Type.String({ description: "Why it cannot be adopted." }),
          remedy: Type.Optional(Type.String({ description: "What to do next." })),
        },
        closed,
      ),
      { description: "Existing objects that were not adopted because of an error." },
    ),
  }),
  init: commandResult("init", {
    stack: Type.String({
      description: "Name of the stack, or what those of environments begin with.",
    }),
    stackFolders: Type.Array(Type.String(), {
      description: "Folders of the stacks, relative to the folder.",
    }),
    needsRepository: Type.Boolean({
      description: "Whether the stacks need a Git repository, and the folder is in none.",
    }),
    files: Type.Array(Type.String(), { description: "Paths relative to the folder." }),
    missingIgnores: Type.Array(Type.String(), {
      description: "Lines that an existing .gitignore may lack.",
    }),
  }),
  "inventory show": commandResult("inventory", {
    stack,
    backend: place("Where the inventory is stored."),
    serial: count("Increases with every write."),
    objects: Type.Array(ownedObject, { description: "Sorted by address." }),
  }),
  stacks: commandResult("stack-list", {
    stacks: Type.Array(
      Type.Object(
        {
          folder: Type.String({ description: "Relative to the current folder." }),
          name: Type.Optional(
            Type.String({ description: "Missing if the Stack document has errors." }),
          ),
        },
        closed,
      ),
      { description: "Sorted by folder." },
    ),
  }),
  publish: commandResult("publish", {
    request: Type.Optional(count("Number of the pull request with the comment.")),
    replaced: Type.Optional(Type.Boolean({ description: "Whether the comment was there before." })),
    commit: Type.Optional(Type.String({ description: "The commit that has the status." })),
    state: Type.Optional(Type.Enum(["success", "failure", "pending"])),
  }),
  "inventory unlock": commandResult("inventory-unlock", {
    unlocked: Type.String({ description: "Id of the lock." }),
    stack,
  }),
  "inventory move ADDRESS": commandResult("inventory-entry-move", {
    address: Type.String({ description: "Address of the object." }),
    from: Type.String({ description: "Name of the stack that owned it." }),
    to: Type.String({ description: "Name of the stack that owns it now." }),
  }),
  "inventory move --former-url": commandResult("inventory-address", {
    stack,
    formerUrl: Type.Optional(
      Type.String({ description: "Address that the inventory had before." }),
    ),
    url: Type.String({ description: "Address of the server." }),
    changed: Type.Boolean({
      description: "False if the inventory had this address already, or none.",
    }),
    objectCount: Type.Optional(count("Objects in the inventory.")),
  }),
  "inventory move": commandResult("inventory-move", {
    stack,
    objectCount: count("Objects in the inventory."),
    from: place("Previous backend."),
    to: place("New backend."),
    backupFile: Type.Optional(
      Type.String({ description: "Path of the previous inventory file, if there was one." }),
    ),
    renamedFrom: Type.Optional(
      Type.String({ description: "For a rename: the previous name of the stack." }),
    ),
  }),
  ...toolOutputs,
} as const satisfies Readonly<Record<string, TObject>>;

type CommandOutputs = typeof commandOutputs;

/** Returns a result as JSON, with its head. */
export function commandJson<Command extends keyof CommandOutputs>(
  command: Command,
  value: CommandValue<CommandOutputs[Command]>,
): JsonObject {
  const { report } = commandOutputs[command].properties;
  return { format: reportFormat, report: report.const, ...(value as JsonObject) };
}

/**
 * JSON Schema of command results, published as `schemas/command-output.json`: `$defs` has one per
 * command.
 */
export function commandOutputSchema(): JsonObject {
  const names = Object.keys(commandOutputs) as readonly (keyof typeof commandOutputs)[];
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Command results of svc",
    description: "Results of commands with --output json that are not reports, by command.",
    anyOf: names.map((name) => ({ $ref: `#/$defs/${name}` })),
    $defs: Object.fromEntries(
      names.map((name) => [
        name,
        { description: `Result of \`svc ${name}\`.`, ...commandOutputs[name] },
      ]),
    ),
  };
  return JSON.parse(JSON.stringify(schema)) as JsonObject;
}
