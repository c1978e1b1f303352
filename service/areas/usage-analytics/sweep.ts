// Deletes views that are too old, in bounded batches.
import { limits } from "../../../core/limits/limits.ts";
import { deleteRows } from "../../store/in-batches.ts";
import type { Db } from "../../store/schema.ts";
import { dayOf } from "./record-views.ts";

/** Deletes at most `most` rows and returns their number. */
export async function sweepViews(tx: Db, now: Date, most: number): Promise<number> {
  const over = tx
    .selectFrom("content_views")
    .select("id")
    .where("day", "<", dayOf(now.getTime() - limits.usageMs))
    .orderBy("day")
    .limit(most);
  return deleteRows(tx, "content_views", over);
}
