// The file of `--json-into`: looked at before anything is done, written whole at the end, and never over what is not an answer of svc.
import {
  accessSync,
  constants,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { errorCodes, Failure } from "../../core/errors.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import { codeOf } from "../../reconciler/operator/atomic-write.ts";
import { commandOutputs } from "../../reconciler/report/command-output-schema.ts";
import { outcomeCodes } from "../../reconciler/report/failure-schema.ts";

/** A place for one JSON answer. */
export interface JsonFile {
  /** Replaces what is there by the text, whole. Fails with `usage` where that cannot be, or something else has come to lie there. */
  write(text: string): void;
}

/** Looks at the place, and leaves it as it is. Fails with `usage` where nothing can be written, or something else lies there. */
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

/** The file that is to be replaced, links followed; undefined for a pipe, a device, and an open descriptor. */
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

/** What is open already is written where it stands: its file, if it is one, is somebody else's to replace. */
function isDescriptor(given: string): boolean {
  return /^\/(?:dev\/(?:stdout|stderr|fd\/)|proc\/)/u.test(path.resolve(given));
}

function replace(file: string, text: string): void {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode;
  const fresh = `${file}.${process.pid}-${crypto.randomUUID()}.tmp`;
  try {
    writeFileSync(fresh, text, { flag: "wx", ...(mode !== undefined && { mode: mode & 0o777 }) });
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

function valueIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What an answer consists of. */
interface AnswerShape {
  readonly members: readonly string[];
  readonly required: readonly string[];
}

/** Of the answers that are no reports; an inventory has other members beside some of these. */
const answerShapes: readonly AnswerShape[] = [
  ...Object.values(commandOutputs).map(({ properties, required }): AnswerShape => {
    return { members: Object.keys(properties), required };
  }),
  answerShape(["installed", "version"], ["source"]),
  answerShape(["pipeline", "stage", "approved"]),
  answerShape(["pipeline", "stage", "said"], ["by"]),
  answerShape(["kind", "plural", "doc", "key", "fields"], ["cascades", "cannot", "mints"]),
];

function answerShape(required: readonly string[], optional: readonly string[] = []): AnswerShape {
  return { members: [...required, ...optional], required };
}

/** True for what a command of svc has answered: a report, a failure, one of the small answers, or the list of kinds. */
function isSvcAnswer(value: unknown): value is JsonValue {
  if (Array.isArray(value)) {
    const [first] = value as readonly unknown[];
    return isObject(first) && ["kind", "plural", "doc"].every((name) => name in first);
  }
  if (!isObject(value)) return false;
  if (typeof value["report"] === "string") return typeof value["format"] === "number";
  const { error } = value;
  if (isObject(error)) return isCode(error["code"]) && typeof error["message"] === "string";
  return answerShapes.some(
    ({ members, required }) =>
      Object.keys(value).every((name) => members.includes(name)) &&
      required.every((name) => Object.hasOwn(value, name)),
  );
}

function isCode(code: unknown): boolean {
  return typeof code === "string" && [...Object.keys(errorCodes), ...outcomeCodes].includes(code);
}

function notAnAnswerError(given: string): Failure {
  return new Failure("usage", `${given} holds something else than an answer of svc`, {
    remedy:
      "Nothing was done and it is as it was; name another file for --json-into, or remove it.",
  });
}

function cannotWriteError(given: string, why: string, cause?: unknown): Failure {
  return new Failure("usage", `${given} cannot be written: ${why}`, {
    ...(cause !== undefined && { cause }),
    remedy: "Name another file for --json-into.",
  });
}

function withFileErrors<T>(given: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw cannotWriteError(given, codeOf(error) || "unknown", error);
  }
}
