// Saves plans in files that only their owner can read, and validates them when they are read.
import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { Type } from "typebox";
import { diagnosticSchema } from "../../core/diagnostics.ts";
import { Failure } from "../../core/errors.ts";
import { isObject } from "../../core/json.ts";
import { declaredValidator } from "../../core/schema/validate.ts";
import { systemErrorText } from "../../core/system/system-error.ts";
import { writeAtomically } from "../../files/atomic-files.ts";
import { readTextFile } from "../../files/text-file.ts";
import type { Plan } from "../model/index.ts";
import { changeSchema, planFormat } from "../model/change.ts";
import { jsonErrorPosition } from "../../core/text/json-error.ts";

const texts = Type.Array(Type.String());

const SavedPlan = Type.Object({
  format: Type.Literal(planFormat),
  basis: Type.Object({
    stack: Type.String(),
    origin: Type.String(),
    desired: Type.String(),
    inventory: Type.String(),
  }),
  changes: Type.Array(changeSchema),
  unchanged: Type.Integer({ minimum: 0 }),
  diagnostics: Type.Array(diagnosticSchema),
  targets: Type.Optional(texts),
  cost: Type.Object({
    readCalls: Type.Number(),
    writeCalls: Type.Number(),
    applyCalls: Type.Optional(Type.Number()),
  }),
  manifests: Type.Optional(texts),
});

const validatePlan = declaredValidator(SavedPlan);

/** A plan as stored in a file. */
export interface PlanFile extends Plan {
  /**
   * The paths of its manifests, relative to the folder of the file. For messages only: a plan must not choose what is
   * applied.
   */
  readonly manifests?: readonly string[];
}

/**
 * Writes the plan atomically, readable by its owner alone, over nothing, an empty file or another plan. Fails with
 * `usage` if the path is not writable or is another file. `paths` are the manifests of the plan.
 */
export function savePlan(file: string, plan: Plan, paths?: readonly string[]): void {
  try {
    const saved = { ...plan, ...manifestsMember(file, paths) };
    writeAtomically(file, [JSON.stringify(saved), "\n"], {
      beforeRename: () => assertPlanWritable(file),
    });
  } catch (cause) {
    throw notWritableError(file, cause);
  }
}

/** Returns the `manifests` member. Without paths, it names the current folder; it is absent for standard input. */
function manifestsMember(
  file: string,
  paths: readonly string[] | undefined,
): Pick<PlanFile, "manifests"> {
  if (paths === undefined || paths.includes("-")) return {};
  const folder = dirname(resolve(file));
  const named = paths.length === 0 ? ["."] : paths;
  return { manifests: named.map((one) => relative(folder, resolve(one)) || ".") };
}

/** Fails like {@link savePlan} and writes nothing. */
export function assertPlanWritable(file: string): void {
  try {
    const stat = statSync(file, { throwIfNoEntry: false });
    accessSync(dirname(file), constants.W_OK);
    if (stat === undefined || (stat.isFile() && stat.size === 0)) return;
    if (stat.isFile() && isPlan(valueIn(file))) return;
  } catch (cause) {
    throw notWritableError(file, cause);
  }
  throw new Failure("usage", `${file} is not a saved plan, so it is not overwritten`, {
    remedy: "Nothing was written; choose another file for the plan, or delete this one.",
  });
}

function notWritableError(file: string, cause: unknown): Failure {
  if (cause instanceof Failure) return cause;
  return new Failure("usage", `${file} cannot be written: ${systemErrorText(cause)}`, { cause });
}

/** Reads the plan in a file. Fails with `usage` if it is not a plan, and with `corrupt` if it is incomplete. */
export function readPlan(file: string): PlanFile {
  const value = jsonIn(file);
  if (isReport(value)) throw reportError(file);
  if (!isPlan(value)) throw notAPlanError(file);
  if (value["format"] !== planFormat) {
    const written = JSON.stringify(value["format"]);
    throw new Failure(
      "corrupt",
      `${file} is a plan of format ${written}, and this version of svc reads format ${planFormat}`,
      { remedy: "Plan again with this version." },
    );
  }
  const violation = firstValidationError(value);
  if (violation === undefined) return value as Partial<PlanFile> as PlanFile;
  throw new Failure("corrupt", `${file} is not a complete plan: ${violation}`, {
    remedy: "Plan again; do not edit plan files.",
  });
}

function notAPlanError(file: string): Failure {
  return new Failure("usage", `${file} is not a plan that \`svc plan --out\` wrote`);
}

function firstValidationError(value: unknown): string | undefined {
  const [violation] = validatePlan(value);
  return violation && `${violation.path} ${violation.message}`;
}

/** True if the path ends in .json and the file looks like a plan. */
export function isPlanFile(path: string): boolean {
  return path.endsWith(".json") && isPlan(valueIn(path));
}

/** Fails with `usage` if the path ends in .json and the file is a report, which looks like a plan to people. */
export function rejectReport(path: string): void {
  if (path.endsWith(".json") && isReport(valueIn(path))) throw reportError(path);
}

function isReport(value: unknown): boolean {
  return isObject(value) && "format" in value && typeof value["report"] === "string";
}

function reportError(file: string): Failure {
  return new Failure(
    "usage",
    `${file} is a report, not a saved plan: it lacks what an apply needs`,
    {
      remedy: "Save the plan with `svc plan --out FILE`, and apply that file.",
    },
  );
}

/** Returns the JSON value in a file; undefined if it cannot be read or parsed. */
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
  const text = readTextFile(file);
  if (!text.trimStart().startsWith("{")) throw notAPlanError(file);
  const jsonError = jsonErrorPosition(text);
  if (jsonError === undefined) return JSON.parse(text);
  throw new Failure("corrupt", `${file} ${jsonError}`, {
    remedy: "Plan again with `svc plan --out`; do not edit plan files.",
  });
}
