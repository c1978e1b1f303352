// Migrates the tables when a store is opened.
import { sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { Failure } from "../../core/errors.ts";
import { baseline, baselineName, type DialectName } from "./migrations/baseline.ts";
import type { Db } from "./schema.ts";

/** All migrations by number and name. A published migration never changes. */
function migrations(dialect: DialectName): Record<string, Migration> {
  return { [baselineName]: baseline(dialect) };
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
  const steps = recorded.filter((name) => name < baselineName);
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
 * Checks the migrations that `store` has run. Throws `corrupt` if a newer version created it, and `refused` if it is
 * older than the first migration.
 */
export function requireKnownMigrations(ran: readonly string[], store: string): void {
  const known = knownMigrations();
  if (ran.some((name) => name > baselineName && !known.includes(name))) {
    throw new Failure("corrupt", `a newer version of svc created ${store}`, {
      remedy: "Use that version, or restore a backup from before it.",
    });
  }
  const last = ran.toSorted().at(-1);
  if (last === undefined || last >= baselineName) return;
  throw new Failure(
    "refused",
    `${store} is from a build before version 0.1.0: its last migration is ${last}, and this version needs ${baselineName}`,
    {
      remedy:
        "Back it up, and start it once with the last build before version 0.1.0, which migrates it. Nothing was changed.",
    },
  );
}
