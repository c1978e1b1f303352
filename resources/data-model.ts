// DataModel: the files of a deployment's deploy branch. A write changes a new branch, validates it, and merges it in one step.
import { Type } from "typebox";
import { mergeToDefault } from "../api/branches.ts";
import { getDataModelFileHashes, listDataModelFiles } from "../api/data-model.ts";
import { getDeployments, getDeploymentSettings } from "../api/deployments.ts";
import { Id } from "../api/schemas.ts";
import {
  type BindingOptions,
  defineKind,
  defineObserve,
  type ObservedObject,
} from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import { field } from "../core/schema/traits.ts";
import { deploymentField, deploymentIdOf, deploymentIds } from "./codec.ts";
import { compileCheck } from "./data-model-check.ts";
import { fileErrors, folderWarnings } from "./data-model-offline.ts";
import { hasModel, readFiles } from "./data-model-files.ts";
import { branchWith, type Merge } from "./data-model-merge.ts";
import type { Spec } from "./data-model-upload.ts";
import { statusSchema } from "./status-schema.ts";

const orders = `cubes:
  - name: orders
    sql_table: public.orders
    dimensions:
      - { name: id, sql: id, type: number, primary_key: true }
      - { name: status, sql: status, type: string }
    measures:
      - { name: count, type: count }
`;

/** The DataModel resource type. Every deployment has a deploy branch; the model exists while it has a file besides README files. */
export const dataModel = defineKind(
  {
    name: "DataModel",
    plural: "data-models",
    doc: "The data model of a deployment: all files of its deploy branch. A change is uploaded to a new branch, validated and merged in one step, so production never has half of it. Deleting it deletes the files.",
    shape: "tree",
    key: ["deployment"],
    scope: ["deployment"],
    spec: Type.Object({
      deployment: deploymentField,
      files: field(
        Type.Record(
          Type.String({ pattern: "^[^/]", maxLength: limits.modelPathLength }),
          field(Type.String({ maxLength: 2 * limits.modelFileBytes }), {
            doc: "Text of the file. A data URI `data:application/octet-stream;base64,…` for a file that is not UTF-8.",
            listedByHash: "sha1",
          }),
          { minProperties: 1, maxProperties: limits.modelFiles },
        ),
        {
          doc: "Files by path, such as `model/cubes/orders.yml`. Cubes and views are read from the folders `model` and `schema`. Files that are not listed are removed.",
        },
      ),
    }),
    status: statusSchema({ deploymentId: Id, branchName: Type.String() }),
    check: compileCheck,
    offlineErrors: fileErrors,
    offlineWarnings: folderWarnings,
    examples: [
      {
        title: "A model with one cube",
        name: "shop-model",
        spec: { deployment: "staging", files: { "model/cubes/orders.yml": orders } },
        variations: {
          files: {
            "model/cubes/orders.yml": orders.replace("status, sql: status", "state, sql: state"),
            "model/cubes/customers.yml": orders.replaceAll("orders", "customers"),
          },
        },
      },
    ],
  },
  (bind) => {
    const merge = <Fact>(
      message: (live: ObservedObject<Spec> | undefined) => string,
      { filesOf, oneByOne, deploymentIdFor, ...how }: Merge<Fact> & BindingOptions<Fact>,
    ) =>
      bind.perObject(
        mergeToDefault,
        ({ live }, { deploymentId, branchName }) => ({
          params: { deploymentId },
          body: { branchName, message: message(live) },
        }),
        { ...how, preparation: branchWith({ filesOf, oneByOne, deploymentIdFor }) },
      );
    const writes = [false, true].map((oneByOne) =>
      merge((live) => `${live === undefined ? "Create" : "Update"} the data model`, {
        filesOf: ({ files }) => files,
        oneByOne,
        deploymentIdFor: ({ spec: { deployment } }, ids) => deploymentIdOf(ids, deployment),
        prerequisite: deploymentIds,
      }),
    );
    return {
      observe: defineObserve({
        cost: "perObject",
        needs: [getDeployments, getDeploymentSettings, getDataModelFileHashes, listDataModelFiles],
        read: async (reader, { deployment = "" }, interest) => {
          const deploymentId = (await deploymentIds.read(reader)).get(deployment);
          if (deploymentId === undefined) return [];
          const params = { deploymentId };
          const settings = await reader.one(getDeploymentSettings, { params });
          const branchName = settings?.deployBranchName;
          if (branchName === undefined) return [];
          const query = { branchName };
          const hashes = await reader.one(getDataModelFileHashes, { params, query });
          if (hashes === undefined || !hasModel(Object.keys(hashes))) return [];
          const files = interest.has("files")
            ? await readFiles(reader, { deploymentId, branchName, hashes })
            : undefined;
          const spec = { deployment, ...(files && { files }) };
          return [{ id: String(deploymentId), spec, status: { deploymentId, branchName } }];
        },
      }),
      create: writes,
      update: writes,
      delete: [
        merge(() => "Delete the data model", {
          filesOf: () => ({}),
          // It sends no file.
          oneByOne: true,
          // The run may have given the deployment another name.
          deploymentIdFor: ({ live }) => Number(live?.status["deploymentId"]),
        }),
      ],
    };
  },
);
