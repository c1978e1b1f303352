// Reads the embed access of the workbooks that specs name, for the resource types that declare one part of it each.
import { getDeployments } from "../api/deployments.ts";
import { getEmbedAccess, listEmbedAccess } from "../api/embed-dashboards.ts";
import { listWorkbooks } from "../api/workbooks.ts";
import type { ObservedObject, Observe } from "../core/kind/kind.ts";
import { limits } from "../core/limits/limits.ts";
import type { AnswerOf } from "../core/operation/operation.ts";
import type { ObjectLimit } from "../core/kind/related-objects.ts";
import { observeEach, type Owner } from "./observe-each.ts";
import { workbookIds } from "./workbook.codec.ts";

/** How many embed tenants can have access to one workbook; all of them count as one. */
export const embedAccessLimit: ObjectLimit = {
  what: "accesses of embed tenants to one workbook",
  max: limits.embedAccess,
  remedy: "Give all embed tenants access.",
};

type EmbedAccess = AnswerOf<typeof getEmbedAccess>;
type WorkbookPlace = Readonly<Record<"deploymentId" | "workbookId", number>>;

/** Declares how a part of the embed access of workbooks is observed. `objectsIn` returns the objects of one workbook. */
export function observeEmbedAccess<Spec>(
  objectsIn: (access: EmbedAccess, owner: Owner<WorkbookPlace>) => readonly ObservedObject<Spec>[],
): Observe {
  return observeEach<WorkbookPlace, EmbedAccess, AnswerOf<typeof listEmbedAccess>, Spec>(
    {
      needs: [getDeployments, listWorkbooks, getEmbedAccess],
      placesOf: async (reader, scope) => {
        const ids = await workbookIds.read(reader, scope);
        return ids === undefined ? [] : [ids];
      },
      one: async (reader, params) => reader.one(getEmbedAccess, { params }),
      observed: async (_, access, owner) => objectsIn(access, owner),
    },
    {
      read: async (reader, deploymentId, pages) =>
        reader.allWithin(pages, listEmbedAccess, { params: { deploymentId } }),
      idOf: ({ workbookId }) => workbookId,
      idIn: ({ workbookId }) => workbookId,
    },
  );
}

/** Returns the path of the embed access of an observed object. */
export function liveIds(live: Pick<ObservedObject, "status"> | undefined): WorkbookPlace {
  return {
    deploymentId: Number(live?.status["deploymentId"]),
    workbookId: Number(live?.status["workbookId"]),
  };
}
