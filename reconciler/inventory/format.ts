// Reads and writes the format of inventory files: JSON with one object a line, validated when it is read.
import { Type } from "typebox";
import { Failure } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { Entry, Inventory, RunRecord } from "../model/index.ts";
import { listEntries } from "../model/inventory-entries.ts";
import { stackCommand } from "../model/shell-command.ts";
import { jsonErrorPosition } from "../../core/text/json-error.ts";
import { withCurrentNames } from "./former-names.ts";

/**
 * The format that is written. Format 10 renamed members, and format 11 records the values after each change of a run (see
 * former-names.ts); formats 1 to 10 are read.
 */
const format = 11;

/** An entry, as the file and the journal store it. */
export const entrySchema = Type.Object(
  {
    kind: Type.String(),
    name: Type.String(),
    key: Type.String(),
    scope: Type.Record(Type.String(), Type.String()),
    id: Type.Optional(Type.String()),
    lastApplied: Type.Record(Type.String(), Type.Unknown()),
    fingerprints: Type.Record(Type.String(), Type.String()),
    secretTo: Type.Optional(
      Type.Object(
        { file: Type.String(), fingerprint: Type.Optional(Type.String()) },
        { additionalProperties: false },
      ),
    ),
    lifecycle: Type.Optional(
      Type.Object(
        {
          protect: Type.Optional(Type.Literal(true)),
          onRemoval: Type.Optional(Type.Literal("orphan")),
        },
        { additionalProperties: false },
      ),
    ),
    metadata: Type.Optional(
      Type.Object(
        {
          name: Type.Optional(Type.String()),
          labels: Type.Optional(Type.Record(Type.String(), Type.String())),
        },
        { additionalProperties: false },
      ),
    ),
    movingTo: Type.Optional(Type.String({ minLength: 1 })),
    movedFrom: Type.Optional(Type.String({ minLength: 1 })),
    pending: Type.Boolean(),
    appliedAt: Type.String(),
  },
  { additionalProperties: false },
);

const closed = { additionalProperties: false } as const;

/** A change of a run, as the file and the journal store it. */
export const runChangeSchema = Type.Object(
  {
    action: Type.String(),
    address: Type.String(),
    kind: Type.String(),
    name: Type.String(),
    formerAddress: Type.Optional(Type.String()),
    key: Type.String(),
    id: Type.Optional(Type.String()),
    result: Type.Optional(Type.String()),
    before: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    after: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    hidden: Type.Optional(Type.Array(Type.String())),
    references: Type.Optional(Type.Record(Type.String(), Type.String())),
    unrecorded: Type.Optional(Type.Literal(true)),
  },
  closed,
);

const moveText = Type.String({ minLength: 1, maxLength: limits.urlBytes });

/** A move, as the file and the journal store it. */
const moveSchema = Type.Union([
  Type.Object(
    {
      type: Type.Union([Type.Literal("entry-to"), Type.Literal("entry-from")]),
      address: moveText,
      stack: moveText,
    },
    closed,
  ),
  Type.Object({ type: Type.Literal("name"), from: moveText }, closed),
  Type.Object({ type: Type.Literal("server"), from: moveText, to: moveText }, closed),
]);

/** A run, as the file and the journal store it. */
export const runSchema = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    verb: Type.Union([
      Type.Literal("apply"),
      Type.Literal("undo"),
      Type.Literal("move"),
      Type.Literal("adopt"),
    ]),
    by: Type.String(),
    message: Type.Optional(Type.String()),
    commit: Type.Optional(Type.String()),
    dirty: Type.Optional(Type.Boolean()),
    startedAt: Type.String(),
    endedAt: Type.Optional(Type.String()),
    counts: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
    incomplete: Type.Optional(Type.Integer({ minimum: 0 })),
    undoes: Type.Optional(Type.String()),
    move: Type.Optional(moveSchema),
    changes: Type.Optional(Type.Array(runChangeSchema)),
  },
  closed,
);

const fileSchema = Type.Object(
  {
    format: Type.Integer({ minimum: 1, maximum: format }),
    stack: Type.String(),
    lineage: Type.String({ minLength: 1 }),
    serial: Type.Integer({ minimum: 1 }),
    origin: Type.Optional(Type.String()),
    salt: Type.String({ minLength: 1 }),
    entries: Type.Record(Type.String(), entrySchema),
    pipelines: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    runs: Type.Optional(Type.Array(runSchema)),
  },
  { additionalProperties: false },
);

const validateFile = declaredValidator(fileSchema);

/** Parses an inventory. Fails with `corrupt`, naming `path`, for invalid JSON, another format or another document. */
export function parseInventory(text: string, path: string): Inventory {
  const value = parseJson(text);
  const jsonError = value === undefined ? jsonErrorPosition(text) : undefined;
  if (jsonError !== undefined) throw corrupt(path, jsonError, "Restore it from a copy.");
  return inventoryOf(value, path);
}

/** Validates a parsed inventory. Fails with `corrupt`, naming `path`, like {@link parseInventory}. */
export function inventoryOf(value: unknown, path: string): Inventory {
  const written = isObject(value) ? value["format"] : undefined;
  if (!isObject(value) || typeof written !== "number") {
    throw corrupt(path, "is not an inventory", "Restore it from a copy.");
  }
  if (written > format) {
    throw corrupt(path, ...newerFormat(written, format));
  }
  const current: unknown = written < format ? { ...withCurrentNames(value), format } : value;
  const [first] = validateFile(current);
  if (first) {
    const where = first.path === "" ? "" : ` at ${first.path}`;
    throw corrupt(
      path,
      `is not a valid inventory${where}: ${first.message}`,
      "Restore it from a copy.",
    );
  }
  const { stack, lineage, serial, origin, salt, entries, pipelines, runs } = current as Inventory;
  shareEqualParts(entries);
  const more = { ...(pipelines && { pipelines }), ...(runs && { runs }) };
  return { stack, lineage, serial, origin, salt, entries, ...more };
}

const emptyPart = Object.freeze({});

/** Keeps one object or text in place of many equal ones in parsed entries, which are most of the memory of an inventory. */
function shareEqualParts(entries: Inventory["entries"]): void {
  let before: Entry | undefined;
  for (const { 1: entry } of listEntries(entries)) {
    const shared: { -readonly [Part in keyof Entry]: Entry[Part] } = entry;
    if (isEmpty(entry.scope)) shared.scope = emptyPart;
    if (isEmpty(entry.fingerprints)) shared.fingerprints = emptyPart;
    if (entry.key === entry.name) shared.key = entry.name;
    if (entry.appliedAt === before?.appliedAt) shared.appliedAt = before.appliedAt;
    before = entry;
  }
}

function isEmpty(part: object): boolean {
  return Object.keys(part).length === 0;
}

/** Fails with `corrupt` if the inventory at `path` belongs to another stack. */
export function requireSameStack(stack: string, inventory: Inventory, path: string): void {
  if (inventory.stack === stack) return;
  throw corrupt(
    path,
    `belongs to the stack ${JSON.stringify(inventory.stack)}, not to ${JSON.stringify(stack)}`,
    `Name another inventory file in the Stack document, or give the stack its old name; where the stack itself was renamed: ${stackCommand({}, "inventory", "move", "--renamed-from", inventory.stack)}.`,
  );
}

/** Renders the inventory in pieces: one line an entry, sorted by address. */
export function* renderInventory(inventory: Inventory): Generator<string> {
  const { entries, runs, ...rest } = inventory;
  const head = JSON.stringify({ format, ...rest });
  yield `${head.slice(0, -1)},"entries":{`;
  let separator = "\n";
  for (const address of Object.keys(entries).toSorted()) {
    yield `${separator}${JSON.stringify(address)}:${JSON.stringify(entries[address])}`;
    separator = ",\n";
  }
  yield "\n}";
  if (runs !== undefined) {
    yield `,"runs":[`;
    for (const [at, run] of runs.entries()) {
      yield at === 0 ? "\n" : ",\n";
      yield* renderRun(run);
    }
    yield "\n]";
  }
  yield "}\n";
}

/** One change at a time: a run of many changes is never one text. */
function* renderRun({ changes, ...run }: RunRecord): Generator<string> {
  const head = JSON.stringify(run);
  if (changes === undefined) return yield head;
  yield `${head.slice(0, -1)},"changes":[`;
  for (const [at, change] of changes.entries())
    yield `${at === 0 ? "" : ","}${JSON.stringify(change)}`;
  return yield "]}";
}

/** Returns the failure for a damaged file: the problem and its remedy. */
export function corrupt(path: string, what: string, remedy: string): Failure {
  return new Failure("corrupt", `${path} ${what}; nothing was written`, {
    details: { path },
    remedy: `${remedy} Without a copy, move it away and adopt the objects again with \`svc adopt\`: a lost inventory deletes no live object.`,
  });
}

/** Returns the problem with a file of a newer format, and its remedy. */
export function newerFormat(written: number, newest: number): [what: string, remedy: string] {
  return [
    `has format ${written}, and this version of svc knows up to ${newest}`,
    "Use the version of svc that wrote it, or a newer one.",
  ];
}

/** Parses JSON; undefined if `text` is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the entries by address; safe for addresses such as `__proto__`. */
export function entriesOf(map: ReadonlyMap<string, Entry>): Readonly<Record<string, Entry>> {
  return Object.fromEntries(map);
}
