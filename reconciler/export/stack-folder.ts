// Inspects the target folder of an export: whether it contains a Stack, and a default Stack name.
import path from "node:path";
import { isName } from "../../core/kind/identity.ts";
import { isObject } from "../../core/json.ts";
import { fileReader } from "../manifest/files.ts";
import { findStack, classifyPaths } from "../manifest/find-stack.ts";
import { listFiles } from "../manifest/list-files.ts";
import type { Document } from "../manifest/parse.ts";
import { isStack } from "../manifest/stack.ts";
import { repositoryRoot } from "../operator/commit.ts";

/**
 * Returns true if the folder or a folder below it contains a Stack document; false for a missing
 * folder.
 */
export async function hasStack(folder: string): Promise<boolean> {
  return (await stackFileIn(folder)) !== undefined;
}

/** Returns the name of the only Stack in a folder or below it; undefined without one, or without a plain name. */
export async function stackNameIn(folder: string): Promise<string | undefined> {
  const reader = fileReader({ cwd: folder });
  const named = await classifyPaths([folder], folder, reader);
  if (named.folders.length === 0) return undefined;
  const stackFile = await findStack(named, folder, reader);
  const value = "document" in stackFile ? stackFile.document.value : undefined;
  const metadata = isObject(value) ? value["metadata"] : undefined;
  const name = isObject(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" && isName(name) ? name : undefined;
}

/** Returns the file of a Stack document in a folder or below it. Undefined for a missing folder. */
export async function stackFileIn(folder: string): Promise<string | undefined> {
  const reader = fileReader({ cwd: folder });
  const named = await classifyPaths([folder], folder, reader);
  if (named.folders.length === 0) return undefined;
  const stackFile = await findStack(named, folder, reader);
  if ("document" in stackFile) return stackFile.file;
  const place = stackFile.find(({ code }) => code === "multiple-stacks")?.place;
  return place && path.resolve(folder, place.file);
}

/** How many folders are searched upwards outside a Git repository. */
const maxParents = 10;

/**
 * Returns the file of the Stack whose manifests are in and below a folder above this one. Searches up to the root of the
 * Git repository. A Stack that lists its manifests allows others below it.
 */
export async function stackFileAbove(folder: string): Promise<string | undefined> {
  const root = repositoryRoot(folder);
  const reader = fileReader({ cwd: folder });
  let parent = folder;
  for (let up = 0; up < maxParents && parent !== root && parent !== path.dirname(parent); up++) {
    parent = path.dirname(parent);
    const { files } = await listFiles({ folder: parent, globs: ["*.{yaml,yml}"] }, reader);
    const read = await reader.readAll(files);
    const owner = read.find(({ documents }) => documents.some(isWholeFolder));
    if (owner !== undefined) return owner.path;
  }
  return undefined;
}

function isWholeFolder(document: Document): boolean {
  if (!isStack(document) || !isObject(document.value)) return false;
  const { spec } = document.value;
  return !isObject(spec) || spec["manifests"] === undefined;
}

/** Returns a Stack name derived from the name of the folder. */
export function stackNameFor(folder: string): string {
  const name = path
    .basename(folder)
    .replace(/[^A-Za-z0-9._-]+/gu, "-")
    .replace(/^[^A-Za-z0-9]+/u, "")
    .slice(0, 100)
    .replace(/[^A-Za-z0-9]+$/u, "");
  return name === "" ? "exported" : name;
}
