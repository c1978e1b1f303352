// The state of one controller in its state folder: a file for each document.
import { chownSync, rmSync, statSync } from "node:fs";
import path from "node:path";
import { Failure } from "../core/errors.ts";
import { isPermissionError, systemErrorText } from "../core/system/system-error.ts";
import { makePrivateFolder, readIfExists, writeAtomically } from "../files/atomic-files.ts";
import type { StateStore } from "./state-store.ts";

/** Opens the store in a state folder, whose only writers are the controller and the commands of operators. */
export function folderStore(state: string): StateStore {
  const fileOf = (name: string): string => path.join(state, `${name}.json`);
  return {
    load: async (name) => readText(fileOf(name)),
    loadAll: async (names) =>
      new Map(
        names.flatMap((name) => {
          const text = readText(fileOf(name));
          return text === undefined ? [] : [[name, text] as const];
        }),
      ),
    change: async (name, change, { isDurable } = {}) => {
      const file = fileOf(name);
      const folder = path.dirname(file);
      const text = change(readText(file));
      makePrivateFolder(folder);
      // The folder of a source is private to the user that the controller runs as; an operator may write as another one.
      const give = (temporary: string): void => giveToOwner(temporary, folder);
      const beforeRename = folder === state ? {} : { beforeRename: give };
      writeAtomically(file, [text], { ...beforeRename, isDurable });
    },
    remove: async (name) => rmSync(fileOf(name), { force: true }),
  };
}

/** Gives the file to the owner of the folder. */
function giveToOwner(file: string, folder: string): void {
  const { uid, gid } = statSync(folder);
  if (statSync(file).uid === uid) return;
  try {
    chownSync(file, uid, gid);
  } catch (cause) {
    throw new Failure("forbidden", "the controller could not read a file of another user", {
      cause,
      remedy: `Run the command as the user that the controller runs as, the owner of ${folder}.`,
    });
  }
}

function readText(file: string): string | undefined {
  try {
    return readIfExists(file);
  } catch (cause) {
    throw new Failure(
      isPermissionError(cause) ? "forbidden" : "unavailable",
      `${file} cannot be read: ${systemErrorText(cause)}`,
      {
        cause,
        remedy: "Make the user that the controller runs as the owner of the file and its folder.",
      },
    );
  }
}
