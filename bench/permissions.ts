// Measures permission checks on folders, and lists of folders, with 100,000 policies and 10,000 folders on both stores,
// against the bare read of one row.
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { limits } from "../core/limits/limits.ts";
import { openStores } from "../service/store/open.ts";
import type { Db } from "../service/store/schema.ts";
import {
  decideOnFolder,
  fillWithPolicies,
  folderCount,
  listFoldersInside,
  permittedFolder,
  policyCount,
  refusedFolder,
} from "../test/support/many-policies.ts";
import { findPostgres, postgresMissing, startPostgres } from "../test/support/postgres-server.ts";
import { cpuMs, interleavedRounds, median, medianRatio } from "./interleaved-rounds.ts";
import { formatFactor, formatMs, printTable } from "./report.ts";
import { serve } from "./server.ts";

const decisions = 200;
const rounds = 15;

/** Runs them on SQLite, and on PostgreSQL where there is one. */
export async function permissionsBench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "svc-bench-permissions-"));
  try {
    const data = join(folder, "data");
    await measure("SQLite", data, ["--data", data]);
    const source = findPostgres();
    if (source === undefined) {
      console.log(`\nNot measured: ${postgresMissing}.`);
      return;
    }
    const database = await startPostgres(source);
    try {
      const key = ["--secret-key-file", join(folder, "secret.key")];
      await measure("PostgreSQL", database.url, ["--database", database.url, ...key]);
    } finally {
      await database.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(name: string, location: string, options: readonly string[]): Promise<void> {
  // The server creates the store with its first account and deployment.
  await (await serve(options)).stop();
  const stores = await openStores(location);
  const store = await stores.open({});
  try {
    await fillWithPolicies(store.db);
    await printDecisions(name, store.db);
  } finally {
    await store.close();
    await stores.close();
  }
}

async function printDecisions(name: string, db: Db): Promise<void> {
  if ((await decideOnFolder(db, permittedFolder)) || !(await decideOnFolder(db, refusedFolder)))
    throw new Error("a decision is wrong");
  const contestants = {
    bare: (tx: Db) =>
      tx.selectFrom("folders").select("name").where("id", "=", permittedFolder).execute(),
    permitted: (tx: Db) => decideOnFolder(tx, permittedFolder),
    refused: (tx: Db) => decideOnFolder(tx, refusedFolder),
    list: (tx: Db) => listFoldersInside(tx, permittedFolder - 1),
  };
  // A transaction caches nothing between decisions.
  const repeated = mapValues(contestants, (one) => () => {
    return db.transaction().execute(async (tx) => {
      for (let done = 0; done < decisions; done++) await one(tx);
    });
  });
  const times = await interleavedRounds(rounds, repeated);
  const cpu = await interleavedRounds(
    rounds,
    mapValues(repeated, (one) => () => cpuMs(one)),
  );
  const row = (label: string, one: keyof typeof contestants) => [
    label,
    formatMs(median(times[one]) / decisions),
    formatMs(median(cpu[one]) / decisions),
    formatFactor(medianRatio(cpu[one], cpu.bare)),
  ];
  const depth = `${limits.folderDepth} folders deep`;
  printTable(
    `${name}: a decision among ${policyCount} policies and ${folderCount} folders, ${rounds} rounds of ${decisions}`,
    [
      ["", "time", "CPU", "to a read"],
      row("one row by its ID", "bare"),
      row(`permitted by a policy, ${depth}`, "permitted"),
      row(`refused, ${depth}`, "refused"),
      row(`list of the permitted folders in one, ${depth}`, "list"),
    ],
  );
}

function mapValues<Name extends string, From, To>(
  values: Readonly<Record<Name, From>>,
  convert: (value: From) => To,
): Record<Name, To> {
  const entries = (Object.keys(values) as Name[]).map((name) => [name, convert(values[name])]);
  return Object.fromEntries(entries) as Record<Name, To>;
}
