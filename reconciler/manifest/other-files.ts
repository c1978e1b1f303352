// Finds the files and documents among the manifests that declare nothing: those that svc ignores, such as the files of a data model, and those that are errors.
import path from "node:path";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { belongsToModel } from "../../core/data-model/model-path.ts";
import { apiVersion } from "../../core/kind/json-schema.ts";
import { isObject } from "../../core/json.ts";
import { member } from "../../core/schema/schema.ts";
import { isAtOrBelow, realPath } from "../operator/path-containment.ts";
import { looksLikeDocument } from "./document.ts";
import type { ManifestFile } from "./files.ts";
import type { ReadFolder } from "./folder-source.ts";
import type { Document } from "./parse.ts";

/**
 * Returns the files without those that are values of the stack, in one of `folders`. A file that may declare something
 * stays, because its objects would look removed.
 */
export function withoutValues(
  files: readonly ManifestFile[],
  folders: readonly ReadFolder[],
): readonly ManifestFile[] {
  const outer = new Set(folders.map(({ folder }) => realPath(folder)));
  if (outer.size === 0) return files;
  return files.filter(({ path: file, declaresNothing }) => {
    if (declaresNothing !== true) return true;
    const inner = realPath(file);
    return !foldersAbove(inner).some((folder) => outer.has(folder) && isReadFrom(folder, inner));
  });
}

/** Returns the folders that contain a file, the innermost first. */
function foldersAbove(file: string): readonly string[] {
  const parent = path.dirname(file);
  return parent === file ? [] : [parent, ...foldersAbove(parent)];
}

/** Returns whether a file is read with a folder. Neither path contains links. */
export function isReadFrom(outer: string, inner: string): boolean {
  return (
    isAtOrBelow(outer, inner) &&
    belongsToModel(path.relative(outer, inner).replaceAll(path.sep, "/"))
  );
}

/** Returns the documents that declare nothing and are not known to be something else. */
export function otherDocuments(files: readonly ManifestFile[]): readonly Document[] {
  return files
    .flatMap(({ documents }) => documents)
    .filter(
      (document) =>
        !looksLikeDocument(document) && !isEncryptedBySops(document) && !isModelFile(document),
    );
}

/** Returns true for a file encrypted by sops, which may be among the manifests for `valueFrom`. */
function isEncryptedBySops({ value }: Document): boolean {
  const sops = isObject(value) ? member(value, "sops") : undefined;
  return isObject(sops) && typeof member(sops, "mac") === "string";
}

/** Returns true for a file of a data model that no manifest names, as `svc deploy` uploads it. */
function isModelFile({ value }: Document): boolean {
  return isObject(value) && ("cubes" in value || "views" in value);
}

/** Returns the error of a document that declares nothing. One with a syntax error has an error already. */
export function notADocument({ hasErrors, locate }: Document): readonly Diagnostic[] {
  if (hasErrors) return [];
  const summary = "this is not a manifest document: it has no apiVersion, kind and metadata";
  const remedy = `Begin it with "apiVersion: ${apiVersion}", or exclude the file in the Stack's spec.manifests.`;
  const place = locate("", "value");
  return [{ code: "not-a-document", severity: "error", summary, remedy, place, path: "" }];
}
