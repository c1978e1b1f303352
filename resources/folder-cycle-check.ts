// Checks that a folder is not moved into itself, before the first write.
import { getDeployments } from "../api/deployments.ts";
import { listFolders } from "../api/folders.ts";
import type { Reader } from "../core/kind/kind.ts";
import type {
  CheckedWrite,
  CheckResult,
  PlannedObject,
  ValueCheck,
} from "../core/kind/server-checks.ts";
import { textOf } from "./field-text.ts";
import { type Folders, folderById, foldersNamed, foldersOf } from "./folder.codec.ts";

const none: CheckResult = { errors: [], errorCount: 0 };

/** Reports a folder that moves below itself: a folder whose document names no parent stays where it is. */
export const folderCycleCheck: ValueCheck<Reader> = {
  what: "the place of the folder",
  needs: [getDeployments, listFolders],
  run: async (reader, write) => {
    const { spec, changed, planned } = write;
    if (!movesFolder(changed)) return none;
    const deployment = textOf(spec["deployment"]);
    const found = await foldersOf(reader, deployment);
    const own = planned("Folder", { deployment, name: textOf(spec["name"]) });
    if (found === undefined || own?.id === undefined) return none;
    const path = [textOf(spec["name"])];
    const visited = new Set<string>();
    const parentOf = parentLookup(found.folders, { deployment, write });
    for (let at = parentOf({ id: own.id, written: own }); at !== undefined; at = parentOf(at)) {
      path.push(at.name);
      if (at.id === own.id) return inItself(path);
      // Another cycle: the check of its own folders reports it.
      const key = JSON.stringify([at.id, at.name]);
      if (visited.has(key)) return none;
      visited.add(key);
    }
    return none;
  },
};

/** A folder after the run. Several can have one name, so that the ID identifies those that exist. */
interface PlacedFolder {
  /** Undefined if the plan creates it. */
  readonly id: string | undefined;
  readonly name: string;
  readonly written: PlannedObject | undefined;
}

/** Returns a function that finds the folder that contains another after the run; undefined at the root, and where a name is ambiguous. */
function parentLookup(
  folders: Folders,
  { deployment, write }: { readonly deployment: string; readonly write: CheckedWrite },
) {
  const existing = (id: number): PlacedFolder => {
    const written = write.plannedById("Folder", String(id));
    const name = textOf(written?.spec["name"] ?? folderById(folders).get(id)?.name);
    return { id: String(id), name, written };
  };
  const named = (name: string): PlacedFolder | undefined => {
    const written = write.planned("Folder", { deployment, name });
    if (written !== undefined) return { id: written.id, name, written };
    const [only, ...others] = foldersNamed(folders).get(name) ?? [];
    return only && others.length === 0 ? existing(only.id) : undefined;
  };
  return ({ id, written }: Omit<PlacedFolder, "name">): PlacedFolder | undefined => {
    if (written !== undefined && (written.changed === undefined || movesFolder(written.changed))) {
      const { parent } = written.spec;
      return typeof parent === "string" ? named(parent) : undefined;
    }
    const parentId = folderById(folders).get(Number(id))?.parentId;
    return parentId == null ? undefined : existing(parentId);
  };
}

function movesFolder(changed: CheckedWrite["changed"]): boolean {
  return changed?.some(({ path }) => path === "/parent") === true;
}

function inItself(path: readonly string[]): CheckResult {
  const [own = "", parent = ""] = path;
  const message = `the folder ${own} would be in itself: ${path.join(" in ")}`;
  const remedy = `Move ${parent} out of it in the same run, such as with \`parent: null\`.`;
  return { errors: [{ path: "/parent", message, remedy }], errorCount: 1 };
}
