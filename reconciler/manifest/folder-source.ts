// `valueFrom: { folder }`: reads a map of files from a folder inside the Stack's folder.
import path from "node:path";
import { Failure } from "../../core/errors.ts";
import { isFileMap, membersOf } from "../../core/kind/fields.ts";
import { isObject, type JsonValue } from "../../core/json.ts";
import type { Kind } from "../../core/kind/kind.ts";
import { joinPointer, splitPointer } from "../../core/pointer.ts";
import { isInside } from "../operator/path-containment.ts";
import { readProjectTexts } from "./project-files.ts";
import type { SecretSources, SubstitutionResult } from "./variables.ts";

/** A folder whose files a field contains. */
export interface ReadFolder {
  /** Absolute. */
  readonly folder: string;
  /** The same folder for messages, relative to the current folder. */
  readonly displayPath: string;
  /** JSON Pointer to the field in the document. */
  readonly path: string;
}

/** The files of a folder, or why they cannot be read. */
export type FolderResult = SubstitutionResult & { readonly read?: Omit<ReadFolder, "path"> };

/** Returns whether a kind has a field that is a map of files. */
export function hasFileMap(kind: Kind): boolean {
  return membersOf(kind.spec).some(({ schema }) => isFileMap(schema));
}

/** Reads the files of a folder, with the rules of `svc deploy`. Needs no grant, because the folder is inside the Stack's folder. */
export function filesFrom(
  source: JsonValue,
  { folder: stackFolder, displayPath }: SecretSources,
): FolderResult {
  const given = folderIn(source);
  if (given === undefined) {
    const summary = "valueFrom has no valid source of files";
    return { code: "variable-syntax", summary, remedy: "Write valueFrom: { folder: PATH }." };
  }
  const folder = path.resolve(stackFolder, given);
  if (!isInside(folder, stackFolder)) {
    const summary = `the folder "${given}" is outside the Stack's folder`;
    // A shared base is read from outside; a folder of files is relative to the Stack, wherever its manifest is.
    const remedy =
      "Move it into the folder of the Stack's document, or declare the files in the manifest. A base that stacks share can have the manifest, not the folder.";
    return { code: "source-not-allowed", summary, remedy };
  }
  const below = path.relative(stackFolder, folder);
  const read = { folder, displayPath: path.join(displayPath, below) };
  try {
    return { value: readProjectTexts(folder), read };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const remedy = error.remedy ?? "Check the path and the files.";
    return { code: "source-unreadable", summary: error.message, remedy, read };
  }
}

/** Returns a function that finds the files whose contents are values of a document. Empty without such files. */
export function fileLocator({ folders = [] }: { readonly folders?: readonly ReadFolder[] }): {
  readonly fileOf?: (pointer: string) => string | undefined;
} {
  if (folders.length === 0) return {};
  return {
    fileOf: (pointer) => {
      const parts = splitPointer(pointer);
      const name = parts.at(-1);
      const from = folders.find(({ path: at }) => at === joinPointer(parts.slice(0, -1)));
      return from && name !== undefined ? path.join(from.displayPath, name) : undefined;
    },
  };
}

function folderIn(source: JsonValue): string | undefined {
  const [entry, another] = isObject(source) ? Object.entries(source) : [];
  const [form, value] = entry ?? [];
  return form === "folder" && typeof value === "string" && another === undefined
    ? value
    : undefined;
}
