// Deletes expired sessions and tokens, ephemeral users, idempotency records, audit entries and counts of views in bounded batches.
import { sweepAuditLogs } from "../areas/audit-logs/sweep.ts";
import { sweepRuns } from "../areas/notifications/runs.ts";
import { sweepDataModels } from "../areas/data-model/sweep.ts";
import { sweepViews } from "../areas/usage-analytics/sweep.ts";
import { purgeIdempotency } from "../http/request/idempotency.ts";
import type { Db } from "../store/schema.ts";
import { deleteExpired, deleteInBatches, deleteRows } from "../store/in-batches.ts";
import { deleteOrphanedPolicies } from "../store/policy-grants.ts";
import { isEphemeralUser } from "../store/sql-conditions.ts";
import type { Job } from "./jobs.ts";

/** The sweep job. */
export const sweep: Job = {
  name: "sweep",
  attempts: 3,
  retrySeconds: 10,
  leaseSeconds: 120,
  everyMinutes: 5,
  run: async (_, { db, signal }) => sweepAll(db, new Date(), signal),
};

/** Deletes obsolete rows of data models, and policies on deleted objects. */
export const modelSweep: Job = {
  name: "sweep-models",
  attempts: 3,
  retrySeconds: 60,
  leaseSeconds: 600,
  everyMinutes: 30,
  run: async (_, { db, signal }) => {
    await sweepDataModels(db, new Date(), signal);
    await deleteInBatches(db, signal, deleteOrphanedPolicies);
  },
};

/** Deletes until no expired rows are left or `signal` aborts. Each batch is one transaction. */
export async function sweepAll(db: Db, now: Date, signal?: AbortSignal): Promise<void> {
  const batches = [
    deleteExpired("embed_sessions"),
    sweepEphemeralUsers,
    deleteExpired("environment_tokens"),
    deleteExpired("oauth_records"),
    deleteExpired("browser_sessions"),
    deleteExpired("password_links"),
    purgeIdempotency,
    sweepAuditLogs,
    sweepViews,
    deleteExpired("dashboard_exports"),
    sweepRuns,
  ];
  for (const batch of batches) {
    await deleteInBatches(db, signal, (tx, most) => batch(tx, now, most));
  }
}

/** Deletes ephemeral users whose sessions have all ended. A subscribed user stays. */
async function sweepEphemeralUsers(tx: Db, _: Date, most: number): Promise<number> {
  const over = tx
    .selectFrom("users")
    .select("users.id")
    .where(isEphemeralUser)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("embed_sessions")
            .select("embed_sessions.id")
            .whereRef("embed_sessions.user_id", "=", "users.id"),
        ),
      ),
    )
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom("recipients")
            .select("recipients.id")
            .whereRef("recipients.user_id", "=", "users.id"),
        ),
      ),
    )
    .orderBy("users.id")
    .limit(most);
  return deleteRows(tx, "users", over);
}
