// `valueFrom: { folder }`: reads a map of files from a folder of the stack: inside the Stack's folder, or a base that it shares.
import { existsSync } from "node:fs";
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

/** Reads the files of a folder, with the rules of `svc deploy`. Needs no grant, because the manifests of the stack are beside or above it. */
export function filesFrom(
  source: JsonValue,
  { folder: stackFolder, sharedPlaces, displayPath }: SecretSources,
): FolderResult {
  const written = folderIn(source);
  if (written === undefined) {
    const summary = "valueFrom has no valid source of files";
    return { code: "variable-syntax", summary, remedy: "Write valueFrom: { folder: PATH }." };
  }
  const folder = path.resolve(stackFolder, written);
  const places = [stackFolder, ...sharedPlaces.filter((place) => existsSync(place))];
  if (!places.some((place) => isInside(folder, place))) {
    const summary = `the folder "${written}" is outside the Stack's folder and its shared manifests`;
    const remedy = `Paths are relative to the Stack's folder. Move the folder into it, or share it: spec.manifests of the Stack names what is outside, such as "../../base/**/*.yaml".`;
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
      const from = folders.find(({ path: place }) => place === joinPointer(parts.slice(0, -1)));
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
