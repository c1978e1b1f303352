// Collects views of dashboards and reports, and stores the counts every few seconds, so that queries do not write.
import { limits } from "../../../core/limits/limits.ts";
import type { Db } from "../../store/schema.ts";
import { inTransaction } from "../../store/transaction.ts";
import type { ViewLog } from "../shared/view-log.ts";
import { type CountedView, recordViews } from "./record-views.ts";

/** Creates a log. `onError` receives the error when views cannot be stored. */
export function createViewLog(onError: (error: unknown) => void): ViewLog {
  const accounts = new Map<Db, Map<string, CountedView>>();
  let timer: NodeJS.Timeout | undefined;
  const store = async (db: Db, views: ReadonlyMap<string, CountedView>): Promise<void> => {
    try {
      await inTransaction(db, (tx) => recordViews(tx, [...views.values()]));
    } catch (error) {
      onError(error);
    }
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const waiting = [...accounts];
    accounts.clear();
    await Promise.all(waiting.map(([db, views]) => store(db, views)));
  };
  return {
    flush,
    add(db, { counts, ...view }) {
      const views = accounts.get(db) ?? new Map<string, CountedView>();
      accounts.set(db, views);
      const { deploymentId, type, publicId, userId, external } = view;
      const key = `${deploymentId} ${type} ${publicId} ${userId} ${external?.tenantId ?? ""}`;
      const before = views.get(key) ?? { views: 0, queries: 0 };
      if (!views.has(key) && views.size >= limits.viewsWaiting) return;
      views.set(key, {
        ...view,
        views: before.views + Number(counts === "view"),
        queries: before.queries + Number(counts === "query"),
      });
      timer ??= setTimeout(() => void flush(), limits.viewFlushMs).unref();
    },
    close: flush,
  };
}
