// The objects that policies can be set on: how specs name them, and how the objects of a deployment are listed with their IDs.
// The kinds of access and the policies of roles are declared from these.
import { getDeployments } from "../api/deployments.ts";
import { listFolders } from "../api/folders.ts";
import { listReports } from "../api/reports.ts";
import { parseId } from "../api/schemas.ts";
import { listWorkbooks } from "../api/workbooks.ts";
import type { Reader } from "../core/kind/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf, Operation, RequestShape } from "../core/operation/operation.ts";
import { type PolicyType, policyTypeNamed } from "../core/operation/permission-actions.ts";
import { deploymentIds } from "./codec.ts";
import { foldersOf } from "./folder.codec.ts";
import { type WorkbookWithSlug, workbooksOf } from "./workbook.codec.ts";

/** An object with the name that specs give it. */
export interface NamedObject {
  readonly id: number;
  readonly name: string;
  /** IDs of the objects that contain it in its deployment, as members of a status. */
  readonly parents?: Readonly<Record<string, number>>;
}

/** Objects of one type in a deployment. Arrays are the same for the same lists of the reader. */
export interface ListedObjects {
  readonly deploymentId: number;
  readonly objects: readonly NamedObject[];
}

/** The fields of a policy of a role that name objects. */
export const policyFields = ["deployments", "folders", "workbooks", "reports"] as const;

/** Objects of a type that policies are set on. */
export interface PolicyObject {
  readonly type: PolicyType;
  /** The field of a policy that names such objects. */
  readonly field: (typeof policyFields)[number];
  readonly needs: readonly Operation<RequestShape, unknown, "read">[];
  /** Lists the objects in a deployment that specs can name; undefined if there is no such deployment. */
  readonly list: (reader: Reader, deployment: string) => Promise<ListedObjects | undefined>;
}

const workbookNames = memoizePerObject((workbooks: readonly WorkbookWithSlug[]) =>
  workbooks.map(({ id, slug: name }) => ({ id, name })),
);
const dashboardNames = memoizePerObject((workbooks: readonly WorkbookWithSlug[]) =>
  workbooks.flatMap(({ id: workbookId, slug: name, publishedDashboard }) =>
    publishedDashboard === undefined
      ? []
      : [{ id: publishedDashboard.id, name, parents: { workbookId } }],
  ),
);
const reportNames = memoizePerObject((reports: readonly AnswerOf<typeof listReports>[]) =>
  reports.map(({ id, publicId: name }) => ({ id, name })),
);

function inWorkbooks(
  namesOf: (workbooks: readonly WorkbookWithSlug[]) => readonly NamedObject[],
): PolicyObject["list"] {
  return async (reader, deployment) => {
    const found = await workbooksOf(reader, deployment);
    return found && { deploymentId: found.deploymentId, objects: namesOf(found.workbooks) };
  };
}

/** The objects by type. */
export const policyObjects: { readonly [Type in PolicyType]: PolicyObject } = {
  Deployment: {
    type: "Deployment",
    field: "deployments",
    needs: [getDeployments],
    list: async (reader, name) => {
      const id = (await deploymentIds.read(reader)).get(name);
      return id === undefined ? undefined : { deploymentId: id, objects: [{ id, name }] };
    },
  },
  Folder: {
    type: "Folder",
    field: "folders",
    needs: [getDeployments, listFolders],
    list: async (reader, deployment) => {
      const found = await foldersOf(reader, deployment);
      return found && { deploymentId: found.deploymentId, objects: found.folders };
    },
  },
  Workbook: {
    type: "Workbook",
    field: "workbooks",
    needs: [getDeployments, listWorkbooks],
    list: inWorkbooks(workbookNames),
  },
  Dashboard: {
    type: "Dashboard",
    field: "workbooks",
    needs: [getDeployments, listWorkbooks],
    list: inWorkbooks(dashboardNames),
  },
  Report: {
    type: "Report",
    field: "reports",
    needs: [getDeployments, listReports],
    list: async (reader, deployment) => {
      const deploymentId = (await deploymentIds.read(reader)).get(deployment);
      if (deploymentId === undefined) return undefined;
      const reports = await reader.all(listReports, { params: { deploymentId } });
      return { deploymentId, objects: reportNames(reports) };
    },
  },
};

const byName = memoizePerObject((objects: readonly NamedObject[]) =>
  Map.groupBy(objects, ({ name }) => name),
);

/** Returns the objects with a name, which several folders of a deployment can have. */
export function objectsNamed({ objects }: ListedObjects, name: string): readonly NamedObject[] {
  return byName(objects).get(name) ?? [];
}

/** Returns the objects of a type in a policy of a role; undefined for a policy without objects that specs can name. */
export function policyObjectsOf(resourceType: string): PolicyObject | undefined {
  const type = policyTypeNamed(resourceType);
  return type && policyObjects[type];
}

/** Returns the objects that a policy of a role names. */
export function namesIn(
  policy: { readonly resourceType: string } & {
    readonly [Field in PolicyObject["field"]]?: readonly string[] | null;
  },
): readonly string[] {
  const objects = policyObjectsOf(policy.resourceType);
  return (objects && policy[objects.field]) ?? [];
}

/** Returns the ID of an object that no name identifies, such as `#12`. An object can also have such a name. */
export function idInName(name: string): number | undefined {
  return name.startsWith("#") ? parseId(name.slice(1)) : undefined;
}
