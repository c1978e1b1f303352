// Writes the file of `--json-into` atomically. Refuses to overwrite anything but a result of svc,
// before any work is done.
import {
  accessSync,
  constants,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { Failure } from "../../../core/errors.ts";
import { isObject, type JsonObject } from "../../../core/json.ts";
import { writeAtomically } from "../../../files/atomic-files.ts";
import { systemErrorText } from "../../../core/system/system-error.ts";

/** A file for one JSON result. */
export interface JsonFile {
  /**
   * Replaces the file atomically. Fails with `usage` if it cannot, or if the file is no longer a
   * result of svc.
   */
  write(text: string): void;
}

/**
 * Checks the path without changing it. Fails with `usage` if it cannot be written, or is not a result
 * of svc.
 */
export function jsonFile(given: string): JsonFile {
  resolveTarget(given);
  return {
    write: (text) =>
      withFileErrors(given, () => {
        const file = resolveTarget(given);
        if (file === undefined) writeFileSync(given, text, { flag: "a" });
        else replace(file, text);
      }),
  };
}

/**
 * Returns the file to replace, with links resolved; undefined for a pipe, a device or an open
 * descriptor.
 */
function resolveTarget(given: string): string | undefined {
  return withFileErrors(given, () => {
    const stat = statSync(given, { throwIfNoEntry: false });
    if (stat?.isDirectory() === true) throw cannotWriteError(given, "it is a folder");
    if (isDescriptor(given) || (stat !== undefined && !stat.isFile())) return undefined;
    const file = stat === undefined ? path.resolve(given) : realpathSync(given);
    if (stat !== undefined) {
      accessSync(file, constants.W_OK);
      if (stat.size > 0 && !isSvcAnswer(valueIn(file))) throw notAnAnswerError(given);
    }
    accessSync(path.dirname(file), constants.W_OK);
    return file;
  });
}

/**
 * An open descriptor is written in place: the file behind it belongs to the process that opened it.
 */
function isDescriptor(given: string): boolean {
  return /^\/(?:dev\/(?:stdout|stderr|fd\/)|proc\/)/u.test(path.resolve(given));
}

function replace(file: string, text: string): void {
  const { mode = 0o666 } = statSync(file, { throwIfNoEntry: false }) ?? {};
  writeAtomically(file, [text], { mode: mode & 0o777 });
}

function valueIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Returns true for a result of svc: one with a head, or the answer of `svc spec` by what makes it an
 * OpenAPI document.
 */
function isSvcAnswer(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  if (typeof value["report"] === "string") return typeof value["format"] === "number";
  const { openapi, info, paths } = value;
  return typeof openapi === "string" && isObject(info) && isObject(paths);
}

function notAnAnswerError(given: string): Failure {
  return new Failure("usage", `${given} is not a result of this version of svc`, {
    remedy: "Nothing was written; choose another file for --json-into, or delete this one.",
  });
}

function cannotWriteError(given: string, why: string, cause?: unknown): Failure {
  return new Failure("usage", `cannot write ${given}: ${why}`, {
    ...(cause !== undefined && { cause }),
    remedy: "Choose another file for --json-into.",
  });
}

function withFileErrors<T>(given: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw cannotWriteError(given, systemErrorText(error), error);
  }
}
