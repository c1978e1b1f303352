// Finds errors in the files of a data model that need no server: paths that no file can have, broken YAML, and folders that
// are not read.
import { createHash } from "node:crypto";
import { isObject, type JsonObject } from "../core/json.ts";
import { limits } from "../core/limits/limits.ts";
import { invalidPathReason, isModelFile, isModelYaml } from "../core/data-model/model-path.ts";
import { hasTags } from "../core/data-model/model-template.ts";
import { parseModelYaml } from "../core/data-model/model-yaml.ts";
import { joinPointer } from "../core/pointer.ts";
import type { OfflineError, ValueError } from "../core/kind/server-checks.ts";

/** Returns the errors in the known files of a spec. */
export function fileErrors({ files }: JsonObject): readonly OfflineError[] {
  if (!isObject(files)) return [];
  return Object.entries(files).flatMap(([path, text]): readonly OfflineError[] => {
    const at = joinPointer(["files", path]);
    const reason = invalidPathReason(path.normalize("NFC"));
    if (reason !== undefined) {
      return [{ path: at, message: `is not a path of a file: ${reason}` }];
    }
    const isRead = typeof text === "string" && isModelYaml(path) && !hasTags(text);
    return isRead ? yamlErrors(at, text) : [];
  });
}

/** Returns a warning if there are files of cubes or views, but the compiler reads none of them because of their folders. */
export function folderWarnings({ files }: JsonObject): readonly ValueError[] {
  const paths = isObject(files) ? Object.keys(files) : [];
  const unread = paths.find((path) => isModelFile(`model/${path}`));
  if (unread === undefined || paths.some(isModelFile)) return [];
  const message = `no file is in a folder model or schema, so the data model has no cubes: ${unread}`;
  const remedy =
    "Let each path begin with model/, as in model/cubes/orders.yml. A folder of valueFrom is the one that contains the folder model.";
  return [{ path: "/files", message, remedy }];
}

function yamlErrors(path: string, text: string): readonly OfflineError[] {
  if (text.length > limits.modelFileBytes) return [];
  const found = knownError(text);
  return found === undefined ? [] : [{ path, ...found }];
}

type TextError = Omit<OfflineError, "path">;

/** Errors by the digest of a text, those used last at the end: a controller loads the same files again and again. */
const errors = new Map<string, TextError | undefined>();

/** Most texts whose error is kept. */
const mostErrors = 20_000;

function knownError(text: string): TextError | undefined {
  const key = createHash("sha256").update(text).digest("base64");
  const error = errors.has(key) ? errors.get(key) : firstError(text);
  errors.delete(key);
  errors.set(key, error);
  const [oldest] = errors.keys();
  if (errors.size > mostErrors && oldest !== undefined) errors.delete(oldest);
  return error;
}

/** Returns the first error of a text, from which the others mostly follow; undefined if there is none. */
function firstError(text: string): TextError | undefined {
  const parsed = parseModelYaml(text);
  const [error] = "value" in parsed ? [] : parsed.errors;
  if (error === undefined) return undefined;
  const lines = text.slice(0, error.offset).split("\n");
  const column = (lines.at(-1)?.length ?? 0) + 1;
  const message = `is not valid at ${lines.length}:${column}: ${error.message}`;
  return { message, position: { line: lines.length, column } };
}
