// Converts names of folders to IDs and back.
import { listFolders } from "../api/folders.ts";
import type { JsonObject } from "../core/json.ts";
import type { Prerequisite, Reader } from "../core/kind/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { deploymentIds, severalNamed } from "./codec.ts";

/** The folders of a deployment. */
export type Folders = readonly AnswerOf<typeof listFolders>[];

/** Reads a deployment's ID and all its folders; undefined if the deployment does not exist. */
export async function foldersOf(
  reader: Reader,
  deployment: string,
): Promise<{ deploymentId: number; folders: Folders } | undefined> {
  const deploymentId = (await deploymentIds.read(reader)).get(deployment);
  if (deploymentId === undefined) return undefined;
  const query = { recursive: true };
  return {
    deploymentId,
    folders: await reader.all(listFolders, { params: { deploymentId }, query }),
  };
}

/** Returns the folders by name, which several can have. */
export const foldersNamed = memoizePerObject((folders: Folders) =>
  Map.groupBy(folders, ({ name }) => name),
);

/** Returns the folders by ID. */
export const folderById = memoizePerObject(
  (folders: Folders) => new Map(folders.map((one) => [one.id, one])),
);

/** The IDs of a deployment and of the folder that contains an object: null at the root. */
export interface FolderPlace {
  readonly deploymentId: number;
  readonly folderId: number | null;
}

/** Returns a prerequisite that looks up the folder that `field` names. */
export function folderPlace(field: string) {
  return {
    operation: listFolders,
    dependsOn: ["deployment", field],
    read: async (reader: Reader, spec: JsonObject) => {
      const { deployment, [field]: name } = spec;
      const found = await foldersOf(reader, typeof deployment === "string" ? deployment : "");
      if (found === undefined) return undefined;
      if (typeof name !== "string") return { deploymentId: found.deploymentId, folderId: null };
      const named = foldersNamed(found.folders).get(name) ?? [];
      if (named.length > 1) throw severalNamed("folders", name, named);
      const [only] = named;
      return only && { deploymentId: found.deploymentId, folderId: only.id };
    },
    missingMessage: "the deployment or the folder does not exist",
  } satisfies Prerequisite<FolderPlace>;
}
