// Migrates the tables when a store is opened.
import { sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { Failure } from "../../core/errors.ts";
import { baseline, baselineName, type DialectName, formerSteps } from "./migrations/baseline.ts";
import { gitPins, gitPinsName } from "./migrations/git-pins.ts";
import { notificationTenants, notificationTenantsName } from "./migrations/notification-tenants.ts";
import type { Db } from "./schema.ts";

/** All migrations by number and name. A published migration never changes. */
function migrations(dialect: DialectName): Record<string, Migration> {
  return {
    [baselineName]: baseline(dialect),
    [notificationTenantsName]: notificationTenants,
    [gitPinsName]: gitPins,
  };
}

/** Returns the names of all migrations. */
export function knownMigrations(): readonly string[] {
  return Object.keys(migrations("sqlite"));
}

/**
 * Runs pending migrations under the database's lock. `schema` selects one of several schemas. Throws as
 * {@link requireKnownMigrations} does, before it writes anything.
 */
export async function migrate(db: Db, dialect: DialectName, schema?: string): Promise<void> {
  const recorded = await recordedMigrations(db);
  requireKnownMigrations(recorded, "the store");
  const steps = recorded.filter((name) => formerSteps.includes(name));
  const done = Object.fromEntries(steps.map((name) => [name, { up: async () => undefined }]));
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...done, ...migrations(dialect) }) },
    migrationTableName: "migrations",
    migrationLockTableName: "migrations_lock",
    ...(schema === undefined ? {} : { migrationTableSchema: schema }),
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  throw error instanceof Error ? error : new Error("a migration failed", { cause: error });
}

/** Returns the names of the migrations that a store has run; none for an empty database. */
async function recordedMigrations(db: Db): Promise<readonly string[]> {
  const tables = await db.introspection.getTables();
  if (!tables.some(({ name }) => name === "migrations")) return [];
  const { rows } = await sql<{ name: string }>`select name from migrations`.execute(db);
  return rows.map(({ name }) => name);
}

/**
 * Checks the migrations that `store` has run. Throws `corrupt` if another version created it, and `refused`, naming the first
 * one that is missing, if it has only a part of those before version 0.1.0.
 */
export function requireKnownMigrations(ran: readonly string[], store: string): void {
  const known = [...formerSteps, ...knownMigrations()];
  const unknown = ran.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Failure("corrupt", `a newer version of svc created ${store}: it has ${unknown}`, {
      remedy: "Use that version, or restore a backup from before it.",
    });
  }
  const missing = [...formerSteps, baselineName].find((name) => !ran.includes(name));
  if (missing === undefined || !formerSteps.some((name) => ran.includes(name))) return;
  throw new Failure(
    "refused",
    `${store} is from a build before version 0.1.0 and lacks the migration ${missing}`,
    {
      remedy:
        "Back it up, and start it once with the last build before version 0.1.0, which migrates it. Nothing was changed.",
    },
  );
}
