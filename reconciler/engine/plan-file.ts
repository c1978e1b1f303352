// Saved plans: written whole for their owner alone, and held against their form before they are believed.
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { Type } from "typebox";
import { Failure } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { validator } from "../../core/validate.ts";
import { codeOf, writeAtomically } from "../operator/atomic-write.ts";
import type { Plan } from "../model/index.ts";
import { actions } from "../report/actions.ts";
import { jsonErrorPosition } from "../operator/json-error.ts";

const text = Type.String();
const texts = Type.Array(text);
const json = Type.Record(text, Type.Unknown());
const scope = Type.Record(text, text);
const direction = Type.Union(["pending", "drifted", "conflict"].map((one) => Type.Literal(one)));
const Diagnostic = Type.Object({
  code: text,
  severity: Type.Union(["error", "warning", "info"].map((one) => Type.Literal(one))),
  summary: text,
});

const Field = Type.Object({
  path: text,
  field: text,
  reason: text,
  replaces: Type.Boolean(),
  sensitive: Type.Boolean(),
  direction,
});

const Change = Type.Object({
  action: Type.Union(actions.map((one) => Type.Literal(one))),
  address: text,
  kind: text,
  name: text,
  key: text,
  scope,
  id: Type.Optional(text),
  from: Type.Optional(Type.Object({ key: text, scope })),
  fields: Type.Array(Field),
  direction,
  desired: Type.Optional(json),
  secretTo: Type.Optional(Type.Object({ file: text, mark: Type.Optional(text) })),
  precondition: Type.Union([
    Type.Object({ absent: Type.Literal(true) }),
    Type.Object({ digest: text, fields: texts }),
  ]),
  layer: Type.Integer({ minimum: 0 }),
  movedTo: Type.Optional(text),
  abandoned: Type.Optional(Type.Literal(true)),
  guards: Type.Optional(json),
  metadata: Type.Optional(json),
  previousMetadata: Type.Optional(json),
  dependsOn: texts,
  cascadedBy: Type.Optional(text),
  cascadeCounts: Type.Optional(Type.Record(text, Type.Integer({ minimum: 1 }))),
  cascadedMetadata: Type.Optional(Type.Array(json)),
  blockedBy: texts,
  notVerifiable: texts,
});

const SavedPlan = Type.Object({
  format: Type.Literal(1),
  basis: Type.Object({ stack: text, origin: text, desired: text, inventory: text }),
  changes: Type.Array(Change),
  unchanged: Type.Integer({ minimum: 0 }),
  diagnostics: Type.Array(Diagnostic),
  cost: Type.Object({ readCalls: Type.Number(), writeCalls: Type.Number() }),
  manifests: Type.Optional(texts),
});

/** A plan as its file has it. */
export interface PlanFile extends Plan {
  /** What it was made of, as seen from the folder of its file; only ever told, since whoever writes a plan must not choose what is applied. */
  readonly manifests?: readonly string[];
}

/**
 * Writes the plan, readable by its owner alone, whole or not at all, where nothing lies, an empty file or another plan. Fails
 * with `usage` where that place cannot be written, or is something else. `paths` are those that it was made of.
 */
export function savePlan(file: string, plan: Plan, paths?: readonly string[]): void {
  try {
    writeAtomically(
      file,
      [JSON.stringify({ ...plan, ...manifestsMember(file, paths) }), "\n"],
      () => assertPlanWritable(file),
    );
  } catch (cause) {
    throw notWritableError(file, cause);
  }
}

/** None are the current folder; what came in at standard input is nowhere. */
function manifestsMember(
  file: string,
  paths: readonly string[] | undefined,
): Pick<PlanFile, "manifests"> {
  if (paths === undefined || paths.includes("-")) return {};
  const folder = dirname(resolve(file));
  const named = paths.length === 0 ? ["."] : paths;
  return { manifests: named.map((one) => relative(folder, resolve(one)) || ".") };
}

/** Fails as {@link savePlan} would, and writes nothing. */
export function assertPlanWritable(file: string): void {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    accessSync(dirname(file), constants.W_OK);
    if (stat === undefined || (stat.isFile() && stat.size === 0)) return;
    if (stat.isFile() && isPlan(valueIn(file))) return;
  } catch (cause) {
    throw notWritableError(file, cause);
  }
  throw new Failure("usage", `${file} is no saved plan, and is not replaced by one`, {
    remedy: "nothing was written and it is as it was; name another file for the plan, or remove it",
  });
}

function notWritableError(file: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure("usage", `${file} cannot be written: ${codeOf(cause)}`, { cause });
}

/** The plan in a file. Fails with `usage` where there is none, and with `corrupt` where it is not whole. */
export function readPlan(file: string): PlanFile {
  const value = jsonIn(file);
  if (!isPlan(value))
    throw new Failure("usage", `${file} is not a plan that \`svc plan --out\` wrote`);
  if (value["format"] !== 1) {
    throw new Failure("corrupt", `${file} is a plan of another format`, {
      remedy: "plan again with this version",
    });
  }
  const violation = firstValidationError(value);
  if (violation === undefined) return value as Partial<PlanFile> as PlanFile;
  throw new Failure("corrupt", `${file} is not a whole plan: ${violation}`, {
    remedy: "plan again; a plan is not to be edited",
  });
}

function firstValidationError(value: unknown): string | undefined {
  const [violation] = validator(SavedPlan)(value);
  return violation && `${violation.path} ${violation.message}`;
}

/** True for a path that ends in .json and holds something that says it is a plan. */
export function isPlanFile(path: string): boolean {
  return path.endsWith(".json") && isPlan(valueIn(path));
}

/** What a file holds; undefined where it cannot be read, or is no JSON. */
function valueIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function isPlan(value: unknown): value is Record<string, unknown> {
  return isObject(value) && "format" in value && isObject(value["basis"]);
}

function jsonIn(file: string): unknown {
  const given = textIn(file);
  const jsonError = jsonErrorPosition(given);
  if (jsonError === undefined) return JSON.parse(given);
  throw new Failure("corrupt", `${file} ${jsonError}; nothing was written`, {
    remedy: "make it anew with `svc plan --out`; a plan is not to be edited",
  });
}

function textIn(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new Failure("usage", `${file} cannot be read: ${codeOf(error)}`, { cause: error });
  }
}
