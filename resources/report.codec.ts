// Converts reports between specs and requests: folders and workbooks to IDs, and cleared members to empty ones.
import { listFolders } from "../api/folders.ts";
import type { listReports } from "../api/reports.ts";
import type { JsonObject } from "../core/json.ts";
import type { ObjectWrite, Prerequisite, Reader } from "../core/kind/kind.ts";
import { memoizePerObject } from "../core/memoize.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import { changedFields, definedMembers } from "./codec.ts";
import { type FolderPlace, folderPlace } from "./folder.codec.ts";
import type { Spec } from "./report.schema.ts";
import { workbookIds, type WorkbookWithSlug, workbooksOf } from "./workbook.codec.ts";

/** The texts of a report, which an empty text clears. */
const texts = [
  "title",
  "jsonQuery",
  "sqlQuery",
  "host",
  "externalWorkbookId",
  "resultLocation",
  "endResultCell",
  "sheetId",
  "workbookName",
] as const;

/** The members that `updateReport` changes and clears. */
export const definition = ["name", "meta", "pivotItems", ...texts] as const;

/** Where a report is. */
interface ReportPlace extends FolderPlace {
  readonly workbookId: number | undefined;
}

/** The folder that a spec names. */
export const placeInFolder = folderPlace("folder");

/** The folder and the workbook that a spec names. */
export const place = {
  operation: listFolders,
  dependsOn: ["deployment", "folder", "workbook"],
  read: async (reader: Reader, named: JsonObject) => {
    const folder = await placeInFolder.read(reader, named);
    if (folder === undefined || named["workbook"] == null) {
      return folder && { ...folder, workbookId: undefined };
    }
    const workbook = await workbookIds.read(reader, named);
    return workbook && { ...folder, workbookId: workbook.workbookId };
  },
  missingMessage: "the deployment, the folder or the workbook does not exist",
} satisfies Prerequisite<ReportPlace>;

/** Returns the request that creates a report. */
export function createInput(
  { spec }: ObjectWrite<Spec>,
  { deploymentId, folderId, workbookId }: ReportPlace,
) {
  const { deployment: _, publicId, folder: _folder, workbook: _workbook, ...rest } = spec;
  return {
    params: { deploymentId, publicId },
    body: definedMembers({ ...rest, folderId, workbookId }),
  };
}

/** Returns the changed members. An empty text or object clears one. */
export function changedDefinition(subject: ObjectWrite<Spec>) {
  const { name, meta, pivotItems } = changedFields(subject, ["name", "meta", "pivotItems"]);
  const cleared = Object.fromEntries(
    Object.entries(changedFields(subject, texts)).map(([member, value]) => [member, value ?? ""]),
  );
  return {
    ...cleared,
    ...definedMembers({ name, meta }),
    ...(pivotItems === undefined ? {} : { pivotItems: pivotItems ?? {} }),
  };
}

/** Reads the reports of a deployment, or the given one; an empty list if the deployment does not exist. */
export async function observeReports(
  reader: Reader,
  deployment: string,
  read: (deploymentId: number) => Promise<readonly AnswerOf<typeof listReports>[]>,
) {
  const found = await workbooksOf(reader, deployment);
  if (found === undefined) return [];
  const slugs = slugsById(found.workbooks);
  return (await read(found.deploymentId)).map((item) => toObserved(deployment, item, slugs));
}

const slugsById = memoizePerObject(
  (workbooks: readonly WorkbookWithSlug[]) => new Map(workbooks.map(({ id, slug }) => [id, slug])),
);

function toObserved(
  deployment: string,
  item: AnswerOf<typeof listReports>,
  slugs: ReadonlyMap<number, string>,
) {
  const { id, publicId, deploymentId, folderPath, workbookId, source, meta, pivotItems } = item;
  const shown = Object.fromEntries(texts.map((name) => [name, item[name]]));
  return {
    id: String(id),
    spec: definedMembers({
      ...shown,
      deployment,
      publicId,
      name: item.name,
      folder: folderPath?.at(-1)?.name,
      workbook: slugs.get(workbookId ?? 0),
      meta,
      pivotItems,
      source,
    }),
    status: { id, deploymentId },
  };
}
