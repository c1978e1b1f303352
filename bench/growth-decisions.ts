// Measures how permission checks on folders grow with the number of folders and policies.
import { startServer } from "../service/server/server.ts";
import type { Db } from "../service/store/schema.ts";
import {
  decideOnFolder,
  fillWithPolicies,
  folderCount,
  listFoldersInside,
  permittedFolder,
  refusedFolder,
} from "../test/support/many-policies.ts";
import { growthFactor, type GrowthScene, type GrowthStep } from "./growth-rate.ts";

/** The folders for each list that is measured. */
const foldersPerList = 10;

/**
 * Decides as often as there are folders, and lists what it may read in proportion: linear if neither takes longer than among
 * fewer folders and policies. The large size has 10,000 folders and 100,000 policies.
 */
export const decisionScene: GrowthScene = {
  title: "Decisions",
  size: folderCount / growthFactor,
  open: async (size) => {
    const server = await startServer({ data: ":memory:", jobs: false });
    await fillWithPolicies(server.db, size);
    const on = { db: server.db, size };
    return {
      steps: [
        decisionStep("permitted by a policy", on, { folder: permittedFolder, isPermitted: true }),
        decisionStep("refused", on, { folder: refusedFolder, isPermitted: false }),
        listStep(on),
      ],
      close: () => server.close(),
    };
  },
};

/** A store with a number of folders. */
interface FilledStore {
  readonly db: Db;
  readonly size: number;
}

function listStep({ db, size }: FilledStore): GrowthStep {
  return {
    name: "list of the permitted folders in one",
    run: async () => {
      for (let done = 0; done < size; done += foldersPerList) {
        if ((await listFoldersInside(db, permittedFolder - 1)).length !== 1)
          throw new Error("a list is wrong");
      }
    },
  };
}

function decisionStep(
  name: string,
  { db, size }: FilledStore,
  { folder, isPermitted }: { readonly folder: number; readonly isPermitted: boolean },
): GrowthStep {
  return {
    name,
    // A transaction caches nothing between decisions.
    run: () =>
      db.transaction().execute(async (tx) => {
        for (let done = 0; done < size; done++) {
          const refusal = await decideOnFolder(tx, folder);
          if ((refusal === undefined) !== isPermitted) throw new Error("a decision is wrong");
        }
      }),
  };
}
