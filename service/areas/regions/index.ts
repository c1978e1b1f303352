// Area regions: where a deployment can live.
import { listRegions } from "../../../api/regions.ts";
import { behaveList, type Behaviour, present } from "../../area.ts";
import { pageOf } from "../../paging.ts";
import { keyset } from "../../store/keyset.ts";

/** What the operations of the area do. */
export const regions: readonly Behaviour[] = [
  behaveList(listRegions, async (call) =>
    pageOf(call, keyset(call.db.selectFrom("regions").selectAll(), "regions.id"), (row) => ({
      id: row.id,
      name: row.name,
      ...present({ title: row.title, provider: row.provider }),
      isPublic: row.is_public === 1,
    })),
  ),
];
