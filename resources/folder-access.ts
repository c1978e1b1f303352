// FolderAccess, FolderUserAccess and FolderAllUsersAccess: what may be done with a folder and what it contains.
import { getDeployments } from "../api/deployments.ts";
import { listFolders } from "../api/folders.ts";
import { Name } from "../api/schemas.ts";
import { field } from "../core/traits.ts";
import { deploymentField } from "./codec.ts";
import { folderPlace, foldersNamed } from "./folder.codec.ts";
import { accessKinds } from "./access-kinds.ts";

/** The resource types of access to folders: of a group, of a user, and of all users. */
export const [folderAccess, folderUserAccess, folderAllUsersAccess] = accessKinds(
  {
    type: "Folder",
    reach: ", and with what it contains.",
    fields: {
      deployment: deploymentField,
      folder: field(Name, {
        doc: "Folder that the access is to.",
        refersTo: "Folder",
        within: { deployment: "deployment" },
        cascadeDelete: true,
        onChange: "replace",
      }),
    },
    idField: "folderId",
    needs: [getDeployments, listFolders],
    ids: folderPlace("folder"),
    // The policy on a managed folder is known by ID, even if another folder has the name too.
    named: async (reader, { deployment = "", folder = "" }) =>
      (await foldersNamed(reader, deployment, folder)).map(({ id: folderId, deploymentId }) => ({
        deploymentId,
        folderId,
      })),
  },
  {
    name: "sales-folder",
    scope: { deployment: "production", folder: "sales-folder" },
    actions: ["FolderEdit", "FolderManage"],
  },
);
