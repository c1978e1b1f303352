// Checks that the inventory of a stack is a file of its folder that holds nothing else.
import path from "node:path";
import type { Diagnostic } from "../../core/diagnostics.ts";
import type { Stack } from "../model/index.ts";
import { isInside } from "../operator/path-containment.ts";
import { mayBeInventory } from "./files.ts";
import type { FoundStack } from "./find-stack.ts";

/** Refuses an inventory path that would overwrite another file, before anything is written. */
export async function inventoryErrors(
  { document }: FoundStack,
  stack: Stack | undefined,
): Promise<readonly Diagnostic[]> {
  if (stack === undefined) return [];
  const pointer = "/spec/inventory/file";
  const file = path.relative(stack.folder, stack.inventoryFile);
  const refuse = (why: string, remedy: string): readonly Diagnostic[] => {
    const summary = `the inventory file "${file}" ${why}`;
    const place = document.locate(pointer);
    return [{ code: "out-of-bounds", severity: "error", summary, remedy, place, path: pointer }];
  };
  if (leavesFolder(stack)) {
    return refuse("leads out of the folder of the Stack", "Use a path below it, without links.");
  }
  if (await mayBeInventory(stack.inventoryFile)) return [];
  const remedy = "Choose a path that does not exist yet, apart from the manifests.";
  return refuse("exists and is not an inventory", remedy);
}

/** A path that cannot be read is reported by the command that needs it. */
function leavesFolder({ inventoryFile, folder }: Stack): boolean {
  try {
    return !isInside(inventoryFile, folder);
  } catch {
    return false;
  }
}
