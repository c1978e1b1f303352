// Reads the embed access of the workbook that a spec names, for the resource types that declare one part of it each.
import { getDeployments } from "../api/deployments.ts";
import { getEmbedAccess } from "../api/embed-dashboards.ts";
import { listWorkbooks } from "../api/workbooks.ts";
import type { JsonObject } from "../core/json.ts";
import type { ObservedObject, Reader } from "../core/kind.ts";
import { workbookIds } from "./workbook.codec.ts";

/** The embed access of a workbook, and the calls that reading it makes. */
export const embedAccess = {
  needs: [getDeployments, listWorkbooks, getEmbedAccess],
  /** Returns the access with the IDs of the workbook; undefined if there is no such workbook. */
  async read(reader: Reader, scope: JsonObject) {
    const ids = await workbookIds.read(reader, scope);
    const access = ids && (await reader.one(getEmbedAccess, { params: ids }));
    return ids && access && { ids, access };
  },
};

/** Returns the path of the embed access of an observed object. */
export function liveIds(live: Pick<ObservedObject, "status"> | undefined) {
  return {
    deploymentId: Number(live?.status["deploymentId"]),
    workbookId: Number(live?.status["workbookId"]),
  };
}
