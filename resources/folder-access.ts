// FolderAccess, FolderUserAccess and FolderAllUsersAccess: permissions on a folder and its contents.
import { Name } from "../api/schemas.ts";
import { field } from "../core/schema/traits.ts";
import { deploymentField } from "./codec.ts";
import { accessKinds } from "./access-kinds.ts";
import { policyObjects } from "./policy-objects.ts";

/** The resource types of access to folders: of a group, of a user, and of all users. */
export const [folderAccess, folderUserAccess, folderAllUsersAccess] = accessKinds(
  {
    ...policyObjects.Folder,
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
  },
  {
    name: "sales-folder",
    scope: { deployment: "production", folder: "sales-folder" },
    actions: ["FolderEdit", "FolderManage"],
  },
);
