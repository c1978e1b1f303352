// Folder: a folder of a deployment, identified by its name.
import { Type, type Static } from "typebox";
import { getDeployments } from "../api/deployments.ts";
import {
  createFolder,
  deleteFolder,
  getFolder,
  listFolders,
  updateFolder,
} from "../api/folders.ts";
import { Id, Name } from "../api/schemas.ts";
import { moveWorkspaceItem } from "../api/workspace.ts";
import { defineKind, defineObserve, type ObjectWrite } from "../core/kind/kind.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { limits } from "../core/limits/limits.ts";
import { field } from "../core/schema/traits.ts";
import { changedFields, definedMembers, deploymentField, deploymentIds, idOf } from "./codec.ts";
import { folderCycleCheck } from "./folder-cycle-check.ts";
import { folderPlace, foldersOf } from "./folder.codec.ts";
import { statusSchema } from "./status-schema.ts";

const spec = Type.Object({
  deployment: deploymentField,
  name: field(Name, { doc: "Name: unique among the folders of the deployment that are managed." }),
  parent: Type.Optional(
    field(Name, {
      doc: "Folder that contains it. A change moves it with everything in it; `null` moves it to the root.",
      refersTo: "Folder",
      within: { deployment: "deployment" },
    }),
  ),
  position: Type.Optional(
    field(Type.Integer({ minimum: 0, maximum: limits.folderPosition }), {
      doc: "Position among its sibling folders. Defaults to the last.",
      serverChosen: true,
      resetBy: ["parent"],
      neverCleared: true,
    }),
  ),
});

type Spec = Static<typeof spec>;

function paramsOf(subject: ObjectWrite<Spec>) {
  return { deploymentId: Number(subject.live?.status["deploymentId"]), folderId: idOf(subject) };
}

/**
 * The Folder resource type. Folders have no other natural key in the API, so two managed folders have different names.
 */
export const folder = defineKind(
  {
    name: "Folder",
    plural: "folders",
    doc: "A folder of a deployment, for workbooks and reports. svc identifies it by deployment and name, and by ID once it is managed. Deleting it moves what it contains to the root; a folder with subfolders cannot be deleted.",
    shape: "item",
    key: ["deployment", "name"],
    scope: ["deployment"],
    check: folderCycleCheck,
    spec,
    status: statusSchema({ id: Id, deploymentId: Id }),
    examples: [
      {
        title: "A folder at the root",
        name: "sales-folder",
        spec: { deployment: "production", name: "Sales", position: 0 },
        variations: { name: "Revenue", position: 3 },
      },
      {
        title: "A folder in another one",
        name: "europe-folder",
        spec: { deployment: "production", name: "Europe", parent: "sales-folder" },
        variations: { name: "EMEA", parent: null },
      },
    ],
  },
  (bind) => ({
    observe: defineObserve<Spec>({
      cost: "perParent",
      needs: [getDeployments, listFolders],
      read: async (reader, { deployment = "" }) => {
        const found = await foldersOf(reader, deployment);
        const names = new Map(found?.folders.map(({ id, name }) => [id, name]));
        return (found?.folders ?? []).map((one) =>
          toObserved(deployment, one, names.get(one.parentId ?? 0)),
        );
      },
      byId: {
        needs: [getFolder],
        read: async (reader, folderId, { scope: { deployment = "" } }) => {
          const deploymentId = (await deploymentIds.read(reader)).get(deployment);
          if (deploymentId === undefined) return undefined;
          const one = await reader.one(getFolder, { params: { deploymentId, folderId } });
          return one && toObserved(deployment, one, one.folderPath?.at(-1)?.name);
        },
      },
    }),
    create: [
      bind.perObject(
        createFolder,
        ({ spec: { name, position } }, { deploymentId, folderId: parentId }) => ({
          params: { deploymentId },
          body: { name, ...definedMembers({ parentId, position }) },
        }),
        { prerequisite: folderPlace("parent") },
      ),
    ],
    update: [
      bind.perObject(
        moveWorkspaceItem,
        (subject, { deploymentId, folderId }) => ({
          params: { deploymentId },
          body: { type: "FOLDER" as const, id: idOf(subject), folderId },
        }),
        { prerequisite: folderPlace("parent"), covers: ["parent"] },
      ),
      bind.perObject(
        updateFolder,
        (subject) => ({
          params: paramsOf(subject),
          body: changedFields(subject, ["name", "position"]),
        }),
        { covers: ["name", "position"] },
      ),
    ],
    delete: [bind.perObject(deleteFolder, (subject) => ({ params: paramsOf(subject) }))],
  }),
);

function toObserved(
  deployment: string,
  { id, name, position, deploymentId }: AnswerOf<typeof listFolders>,
  parent: string | undefined,
) {
  return {
    id: String(id),
    spec: definedMembers({ deployment, name, parent, position }),
    status: { id, deploymentId },
  };
}
