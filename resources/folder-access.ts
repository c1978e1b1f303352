// FolderAccess: what an account-wide group may do with a folder and what it contains.
import { Type } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import { listFolders } from "../api/folders.ts";
import { Id, Name } from "../api/schemas.ts";
import { defineKind } from "../core/kind.ts";
import { field } from "../core/traits.ts";
import { deploymentField } from "./codec.ts";
import { folderPlace, foldersNamed } from "./folder.codec.ts";
import { policyBindings, policyFields } from "./resource-policy.codec.ts";
import { statusSchema } from "./status-schema.ts";

/** The FolderAccess resource type. */
export const folderAccess = defineKind(
  {
    name: "FolderAccess",
    plural: "folder-accesses",
    doc: "What the members of an account-wide group may do with a folder. The policy also permits the action on what it contains, and adds to what roles permit. Policies of single users and of all users are not managed.",
    shape: "entry",
    key: ["deployment", "folder", "group"],
    scope: ["deployment", "folder"],
    spec: Type.Object({
      deployment: deploymentField,
      folder: field(Name, {
        doc: "Folder that the access is to.",
        refersTo: "Folder",
        within: { deployment: "deployment" },
        cascadeDelete: true,
        onChange: "replace",
      }),
      ...policyFields("Folder"),
    }),
    status: statusSchema({ deploymentId: Id, folderId: Id, groupId: Id }),
    examples: [
      {
        title: "Analysts edit a folder",
        name: "sales-folder-analysts",
        spec: {
          deployment: "production",
          folder: "sales-folder",
          group: "analysts",
          action: "FolderEdit",
        },
        variations: { action: "FolderManage" },
      },
    ],
  },
  (bind) =>
    policyBindings(bind, {
      type: "Folder",
      idField: "folderId",
      needs: [getDeployments, listFolders],
      ids: folderPlace("folder"),
      // The policy on a managed folder is known by ID, even if another folder has the name too.
      named: async (reader, { deployment = "", folder = "" }) =>
        (await foldersNamed(reader, deployment, folder)).map(({ id: folderId, deploymentId }) => ({
          deploymentId,
          folderId,
        })),
    }),
);
