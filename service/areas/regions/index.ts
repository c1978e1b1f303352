// Area regions: the regions in which a deployment can run.
import { listRegions } from "../../../api/regions.ts";
import { handleList, type OperationHandler, omitNullish } from "../shared/operation-handler.ts";
import { pageOf } from "../shared/pagination.ts";
import { keyset } from "../../store/keyset.ts";

/** The handlers of this area. */
export const regions: readonly OperationHandler[] = [
  handleList(listRegions, async (call) =>
    pageOf(call, keyset(call.db.selectFrom("regions").selectAll(), "regions.id"), (row) => ({
      id: row.id,
      name: row.name,
      ...omitNullish({ title: row.title, provider: row.provider }),
      isPublic: row.is_public === 1,
    })),
  ),
];
