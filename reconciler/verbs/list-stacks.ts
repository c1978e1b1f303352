// Finds the stacks below folders, and those that changed files belong to.
import path from "node:path";
import { fileReader, mayContainStack } from "../manifest/files.ts";
import { listFiles } from "../manifest/list-files.ts";
import { type LoadOptions, loadStackAlone } from "../manifest/load.ts";
import { isStack, sharedPlaces } from "../manifest/stack.ts";
import type { Diagnostic } from "../../core/diagnostics.ts";
import { isAtOrBelow } from "../operator/path-containment.ts";

/** A stack in a folder. */
export interface ListedStack {
  /** Absolute. */
  readonly folder: string;
  /** Undefined if the Stack has errors, which loading reports. */
  readonly name: string | undefined;
  /** Absolute places outside the folder that its manifests begin at. */
  readonly shared: readonly string[];
}

/** Returns the stacks below folders, sorted by folder, and what could not be read. */
export async function listStacks(options: LoadOptions): Promise<{
  readonly stacks: readonly ListedStack[];
  readonly diagnostics: readonly Diagnostic[];
}> {
  const { paths, cwd } = options;
  const reader = fileReader({ cwd, stdin: undefined });
  const files = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const written of paths.length === 0 ? ["."] : paths) {
    const folder = path.resolve(cwd, written);
    const listing = await listFiles({ folder, globs: ["**"] }, reader);
    diagnostics.push(...listing.diagnostics);
    for (const file of listing.files) if (await mayContainStack(file)) files.add(file);
  }
  const read = await reader.readAll([...files]);
  const stacks: ListedStack[] = [];
  for (const { path: file, documents, diagnostics: errors } of read) {
    diagnostics.push(...errors);
    if (!documents.some(isStack)) continue;
    const folder = path.dirname(file);
    const { stack, manifests } = await loadStackAlone({ ...options, paths: [file] });
    stacks.push({ folder, name: stack?.name, shared: sharedPlaces(folder, manifests) });
  }
  return {
    stacks: stacks.toSorted((left, right) => (left.folder < right.folder ? -1 : 1)),
    diagnostics,
  };
}

/** Returns the stacks that read one of the files: the innermost one around it, those that share it, and those with errors. */
export function stacksOf(
  stacks: readonly ListedStack[],
  files: readonly string[],
): readonly ListedStack[] {
  const touched = new Set(stacks.filter(({ name }) => name === undefined));
  for (const file of files) {
    const around = stacks.filter(({ folder }) => isAtOrBelow(folder, file));
    const [inner] = around.toSorted((left, right) => right.folder.length - left.folder.length);
    if (inner !== undefined) touched.add(inner);
    for (const stack of stacks)
      if (stack.shared.some((place) => isAtOrBelow(place, file))) touched.add(stack);
  }
  return stacks.filter((stack) => touched.has(stack));
}
