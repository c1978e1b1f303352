// Deletes expired sessions and tokens, ephemeral users, idempotency records, audit entries and counts of views in bounded batches.
import { sweepAuditLogs } from "../areas/audit-logs/sweep.ts";
import { sweepRuns } from "../areas/notifications/runs.ts";
import { sweepExports } from "../areas/dashboard-exports/exports.ts";
import { sweepDataModels } from "../areas/data-model/sweep.ts";
import { sweepViews } from "../areas/usage-analytics/sweep.ts";
import { purgeIdempotency } from "../http/request/idempotency.ts";
import { toTimestamp } from "../store/codec.ts";
import type { Db } from "../store/schema.ts";
import { deleteInBatches } from "../store/in-batches.ts";
import { deleteOrphanedPolicies } from "../store/policies.ts";
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
  const expired = [
    sweepSessions,
    sweepEphemeralUsers,
    sweepEnvironmentTokens,
    sweepSignIns("oauth_records"),
    sweepSignIns("browser_sessions"),
    sweepSignIns("password_links"),
  ];
  const batches = [
    ...expired,
    purgeIdempotency,
    sweepAuditLogs,
    sweepViews,
    sweepExports,
    sweepRuns,
  ];
  for (const batch of batches) {
    await deleteInBatches(db, signal, (tx, most) => batch(tx, now, most));
  }
}

async function sweepSessions(tx: Db, now: Date, most: number): Promise<number> {
  const over = tx
    .selectFrom("embed_sessions")
    .select("id")
    .where("expires_at", "<", toTimestamp(now))
    .orderBy("expires_at")
    .limit(most);
  const { numDeletedRows } = await tx
    .deleteFrom("embed_sessions")
    .where("id", "in", over)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

async function sweepEnvironmentTokens(tx: Db, now: Date, most: number): Promise<number> {
  const over = tx
    .selectFrom("environment_tokens")
    .select("id")
    .where("expires_at", "<", toTimestamp(now))
    .limit(most);
  const { numDeletedRows } = await tx
    .deleteFrom("environment_tokens")
    .where("id", "in", over)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Returns a function that deletes expired rows of a table of sign-in. */
function sweepSignIns(table: "oauth_records" | "browser_sessions" | "password_links") {
  return async (tx: Db, now: Date, most: number): Promise<number> => {
    const over = tx
      .selectFrom(table)
      .select("id")
      .where("expires_at", "<", toTimestamp(now))
      .orderBy("expires_at")
      .limit(most);
    const { numDeletedRows } = await tx
      .deleteFrom(table)
      .where("id", "in", over)
      .executeTakeFirstOrThrow();
    return Number(numDeletedRows);
  };
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
  const { numDeletedRows } = await tx
    .deleteFrom("users")
    .where("id", "in", over)
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
