// Brings the tables up to date when a store is opened.
import { type Migration, Migrator } from "kysely/migration";
import { Failure, isFailure } from "../../core/errors.ts";
import { accounts } from "./migrations/0001-accounts.ts";
import { deployments } from "./migrations/0002-deployments.ts";
import { notifications } from "./migrations/0003-notifications.ts";
import { listOrders } from "./migrations/0004-list-orders.ts";
import { access } from "./migrations/0005-access.ts";
import { idempotency } from "./migrations/0006-idempotency.ts";
import { servers } from "./migrations/0007-servers.ts";
import { sealPrefix } from "./migrations/0008-seal-prefix.ts";
import { states } from "./migrations/0010-states.ts";
import type { DialectName } from "./migrations/tables.ts";
import type { Db } from "./schema.ts";

/** Every migration by number and name; a published one never changes. */
function migrations(dialect: DialectName): Record<string, Migration> {
  return {
    "0001-accounts": accounts(dialect),
    "0002-deployments": deployments(dialect),
    "0003-notifications": notifications(dialect),
    "0004-list-orders": listOrders(),
    "0005-access": access(),
    "0006-idempotency": idempotency(),
    "0007-servers": servers(dialect),
    "0008-seal-prefix": sealPrefix(),
    "0010-states": states(dialect),
  };
}

/** The names of all migrations there are. */
export function knownMigrations(): readonly string[] {
  return Object.keys(migrations("sqlite"));
}

/**
 * Runs what has not run yet, inside the database's own lock; `schema` is the one to look in where a database has several. Fails
 * with `corrupt` where a newer version made the store, or one whose migrations came in another order.
 */
export async function migrate(db: Db, dialect: DialectName, schema?: string): Promise<void> {
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => migrations(dialect) },
    migrationTableName: "migrations",
    migrationLockTableName: "migrations_lock",
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  if (isFailure(error)) throw error;
  if (error instanceof Error && error.message.startsWith("corrupted migrations")) {
    throw unknownMigrationsError(error);
  }
  throw error instanceof Error ? error : new Error("a migration failed", { cause: error });
}

/** The record of what has run is not one that this version could have left: it names what we do not have, or lacks one between others. */
function unknownMigrationsError(cause: Error): Failure {
  const isNewer = cause.message.endsWith("is missing");
  const summary = isNewer
    ? "the store was made by a newer version of svc"
    : "the store was made by an unreleased build of svc, whose migrations came in another order";
  const remedy = isNewer
    ? "Use that version, or restore a backup made before it."
    : "Restore a backup made by a released version, or use that build. Nothing was changed.";
  return new Failure("corrupt", summary, { cause, remedy });
}
