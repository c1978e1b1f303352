// Decides whether the paths of a command are several stacks.
import { fileReader, standardInput } from "./files.ts";
import { classifyPaths, findStack } from "./find-stack.ts";

/**
 * Returns the paths as one stack each if several of them contain a Stack; otherwise an empty list, because they are one
 * stack.
 */
export async function separateStacks(
  paths: readonly string[],
  cwd: string,
): Promise<readonly string[]> {
  if (paths.length < 2 || paths.includes(standardInput)) return [];
  let count = 0;
  for (const path of new Set(paths)) {
    const reader = fileReader({ cwd, stdin: undefined });
    const stackFile = await findStack(await classifyPaths([path], cwd, reader), cwd, reader);
    if ("document" in stackFile) count++;
  }
  return count > 1 ? [...new Set(paths)] : [];
}
