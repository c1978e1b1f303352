// Checks that a folder is not moved into itself, before the first write.
import { getDeployments } from "../api/deployments.ts";
import { listFolders } from "../api/folders.ts";
import type { JsonValue } from "../core/json.ts";
import type { Reader } from "../core/kind.ts";
import type { CheckResult, ValueCheck } from "../core/server-checks.ts";
import { textOf } from "./field-text.ts";
import { foldersOf } from "./folder.codec.ts";

const none: CheckResult = { errors: [], errorCount: 0 };

/** Reports a folder that moves below itself: a folder whose document names no parent stays where it is. */
export const folderCycleCheck: ValueCheck<Reader> = {
  what: "the place of the folder",
  needs: [getDeployments, listFolders],
  run: async (reader, { spec, changed, planned }) => {
    if (changed?.some(({ path }) => path === "/parent") !== true) return none;
    const deployment = textOf(spec["deployment"]);
    const { folders = [] } = (await foldersOf(reader, deployment)) ?? {};
    const byId = new Map(folders.map((one) => [one.id, one]));
    const liveParent = (name: string, id: string | undefined): JsonValue | undefined => {
      const one = folders.find((live) =>
        id === undefined ? live.name === name : String(live.id) === id,
      );
      return one?.parentId == null ? undefined : byId.get(one.parentId)?.name;
    };
    const parentOf = (name: string): JsonValue | undefined => {
      const written = planned("Folder", { deployment, name });
      return written?.spec["parent"] === undefined
        ? liveParent(name, written?.id)
        : written.spec["parent"];
    };
    const path = [textOf(spec["name"])];
    for (let at = spec["parent"]; typeof at === "string"; at = parentOf(at)) {
      if (at === path[0]) return inItself([...path, at]);
      // Another cycle: the check of its own folders reports it.
      if (path.includes(at)) return none;
      path.push(at);
    }
    return none;
  },
};

function inItself(path: readonly string[]): CheckResult {
  const [own = "", parent = ""] = path;
  const message = `the folder ${own} would be in itself: ${path.join(" in ")}`;
  const remedy = `move ${parent} out of it in the same run, such as with \`parent: null\``;
  return { errors: [{ path: "/parent", message, remedy }], errorCount: 1 };
}
