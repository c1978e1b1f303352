// `svc folders`: the folders of a deployment.
import {
  createFolder,
  deleteFolder,
  getFolder,
  listFolderAncestors,
  listFolders,
  updateFolder,
} from "../../api/folders.ts";
import { type Area, type Columns, command } from "../operations/command.ts";
import { deploymentLookup } from "../shared/lookup/deployment-argument.ts";
import { folderLookup } from "./lookups.ts";
import type { AnswerOf } from "../../core/operation/operation.ts";

const inDeployment = { deploymentId: deploymentLookup, parentId: folderLookup };
const lookups = { ...inDeployment, folderId: folderLookup };

type Folder = AnswerOf<typeof listFolders>;

const columns: Columns<Folder> = {
  ID: "id",
  NAME: "name",
  PATH: ({ folderPath = [], name }) => [...folderPath.map((one) => one.name), name].join(" / "),
  POSITION: "position",
  CHANGED: "updatedAt",
};

/** Commands that list, create, rename and delete the folders of a deployment. */
export const folders: Area = {
  name: "folders",
  description: "List, create, rename and delete the folders of a deployment.",
  commands: [
    command("list", listFolders, { lookups: inDeployment, columns }),
    command("get", getFolder, { lookups }),
    command("create", createFolder, { lookups: inDeployment, arguments: ["name"] }),
    command("update", updateFolder, { lookups }),
    command("delete", deleteFolder, { lookups }),
    command("ancestors", listFolderAncestors, { lookups, columns }),
  ],
};
