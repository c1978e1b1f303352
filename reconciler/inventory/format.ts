// Reads and writes the format of inventory files: JSON with one object a line, validated when it is read.
import { type TSchema, Type } from "typebox";
import { Failure } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { limits } from "../../core/limits/limits.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import type { Inventory, RunRecord } from "../model/index.ts";
import { stackCommand } from "../model/shell-command.ts";
import { jsonErrorPosition } from "../../core/text/json-error.ts";

/** The format of inventories. No other one is read. */
export const inventoryFormat = 11;

/** Declares an object without other members. */
export function closedObject<P extends Record<string, TSchema>>(members: P) {
  return Type.Object(members, { additionalProperties: false });
}

const texts = Type.Record(Type.String(), Type.String());
const values = Type.Record(Type.String(), Type.Unknown());

/** An entry, as inventories and journals store it. */
export const entrySchema = closedObject({
  kind: Type.String(),
  name: Type.String(),
  key: Type.String(),
  scope: texts,
  id: Type.Optional(Type.String()),
  lastApplied: values,
  fingerprints: texts,
  secretTo: Type.Optional(
    closedObject({ file: Type.String(), fingerprint: Type.Optional(Type.String()) }),
  ),
  lifecycle: Type.Optional(
    closedObject({
      protect: Type.Optional(Type.Literal(true)),
      onRemoval: Type.Optional(Type.Literal("orphan")),
    }),
  ),
  metadata: Type.Optional(
    closedObject({ name: Type.Optional(Type.String()), labels: Type.Optional(texts) }),
  ),
  movingTo: Type.Optional(Type.String({ minLength: 1 })),
  movedFrom: Type.Optional(Type.String({ minLength: 1 })),
  pending: Type.Boolean(),
  appliedAt: Type.String(),
});

/** A change of a run, as inventories and journals store it. */
export const runChangeSchema = closedObject({
  action: Type.String(),
  address: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  formerAddress: Type.Optional(Type.String()),
  key: Type.String(),
  id: Type.Optional(Type.String()),
  result: Type.Optional(Type.String()),
  before: Type.Optional(values),
  after: Type.Optional(values),
  hidden: Type.Optional(Type.Array(Type.String())),
  references: Type.Optional(texts),
  unrecorded: Type.Optional(Type.Literal(true)),
});

const moveText = Type.String({ minLength: 1, maxLength: limits.urlBytes });

const moveSchema = Type.Union([
  closedObject({ type: Type.Literal("entry-to"), address: moveText, stack: moveText }),
  closedObject({ type: Type.Literal("entry-from"), address: moveText, stack: moveText }),
  closedObject({ type: Type.Literal("name"), from: moveText }),
  closedObject({ type: Type.Literal("server"), from: moveText, to: moveText }),
]);

/** A run, as inventories and journals store it. */
export const runSchema = closedObject({
  id: Type.String({ minLength: 1 }),
  verb: Type.Enum(["apply", "undo", "move", "adopt"]),
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
});

const inventorySchema = closedObject({
  format: Type.Literal(inventoryFormat),
  stack: Type.String(),
  lineage: Type.String({ minLength: 1 }),
  serial: Type.Integer({ minimum: 1 }),
  origin: Type.Optional(Type.String()),
  salt: Type.String({ minLength: 1 }),
  entries: Type.Record(Type.String(), entrySchema),
  pipelines: Type.Optional(values),
  runs: Type.Optional(Type.Array(runSchema)),
});

const validateInventory = declaredValidator(inventorySchema);

/** Parses the text of an inventory. Fails with `corrupt`, naming `where`, for invalid JSON. */
export function parseContent(text: string, where: string): unknown {
  const value = parseJson(text);
  const jsonError = value === undefined ? jsonErrorPosition(text) : undefined;
  if (jsonError !== undefined) throw corrupt(where, jsonError);
  return value;
}

/** Validates a parsed inventory. Fails with `corrupt`, naming `where`, for another format or another document. */
export function inventoryOf(value: unknown, where: string): Inventory {
  const written = isObject(value) ? value["format"] : undefined;
  if (typeof written !== "number") throw corrupt(where, "is not an inventory");
  if (written !== inventoryFormat) throw otherFormat(where, written, inventoryFormat);
  const [first] = validateInventory(value);
  if (first) {
    const place = first.path === "" ? "" : ` at ${first.path}`;
    throw corrupt(where, `is not a valid inventory${place}: ${first.message}`);
  }
  const { format: _, origin, ...members } = value as Inventory & { readonly format: number };
  return { ...members, origin };
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
  const head = JSON.stringify({ format: inventoryFormat, ...rest });
  yield `${head.slice(0, -1)},"entries":{`;
  let separator = "\n";
  for (const address of Object.keys(entries).toSorted()) {
    yield `${separator}${JSON.stringify(address)}:${JSON.stringify(entries[address])}`;
    separator = ",\n";
  }
  yield "\n}";
  if (runs !== undefined) {
    yield `,"runs":[`;
    for (const [index, run] of runs.entries()) {
      yield index === 0 ? "\n" : ",\n";
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
  for (const [position, change] of changes.entries())
    yield `${position === 0 ? "" : ","}${JSON.stringify(change)}`;
  return yield "]}";
}

/** Returns the failure for a damaged file: the problem and its remedy. */
export function corrupt(path: string, what: string, remedy = "Restore it from a copy."): Failure {
  return new Failure("corrupt", `${path} ${what}; nothing was written`, {
    details: { path },
    remedy: `${remedy} Without a copy, move it away and adopt the objects again with \`svc adopt\`: a lost inventory deletes no live object.`,
  });
}

/** Returns the failure for an older or newer format. */
export function otherFormat(path: string, written: number, newest: number): Failure {
  return corrupt(
    path,
    `has format ${written}, and this version of svc reads format ${newest}`,
    "Use the version of svc that wrote it.",
  );
}

/** Parses JSON; undefined if `text` is invalid. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
