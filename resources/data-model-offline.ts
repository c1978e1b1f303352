// Finds errors in the files of a data model that need no server: paths that no file can have, and broken YAML.
import { isObject, type JsonObject } from "../core/json.ts";
import { limits } from "../core/limits.ts";
import { invalidPathReason, isModelYaml, templateOffset } from "../core/model-path.ts";
import { parseModelYaml } from "../core/model-yaml.ts";
import { joinPointer } from "../core/pointer.ts";
import type { OfflineError } from "../core/server-checks.ts";

/** Returns the errors in the known files of a spec. */
export function fileErrors({ files }: JsonObject): readonly OfflineError[] {
  if (!isObject(files)) return [];
  return Object.entries(files).flatMap(([path, text]): readonly OfflineError[] => {
    const at = joinPointer(["files", path]);
    const reason = invalidPathReason(path.normalize("NFC"));
    if (reason !== undefined) {
      return [{ path: at, message: `is not a path of a file: ${reason}` }];
    }
    const isRead = typeof text === "string" && isModelYaml(path) && templateOffset(text) < 0;
    return isRead ? yamlErrors(at, text) : [];
  });
}

function yamlErrors(path: string, text: string): readonly OfflineError[] {
  if (text.length > limits.modelFileBytes) return [];
  const parsed = parseModelYaml(text);
  if ("value" in parsed) return [];
  // Other errors mostly follow from the first.
  return parsed.errors.slice(0, 1).map(({ offset, message }) => {
    const lines = text.slice(0, offset).split("\n");
    const column = (lines.at(-1)?.length ?? 0) + 1;
    return { path, message: `is not valid at ${lines.length}:${column}: ${message}` };
  });
}
