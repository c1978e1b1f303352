// `npm run soak`: kills applies and servers repeatedly, runs many changes, and reports lost or damaged data.
import { parseArgs } from "node:util";
import { soakApplies, type SoakResult } from "../test/slow/soak/apply-soak.ts";
import { soakLargeRun } from "../test/slow/soak/large-run-soak.ts";
import { soakServers } from "../test/slow/soak/server-soak.ts";
import {
  runSql,
  databaseUrl,
  findPostgres,
  makeTemplate,
  postgresMissing,
  startPostgres,
} from "../test/support/postgres-server.ts";

const { values } = parseArgs({
  options: {
    applies: { type: "string", default: "1000" },
    servers: { type: "string", default: "200" },
    changes: { type: "string", multiple: true, default: ["10000", "50000"] },
    database: { type: "boolean", default: false },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});

function wholeNumber(name: keyof typeof values, value: string): number {
  if (/^\d{1,10}$/.test(value)) return Number(value);
  throw new Error(`--${name} must be an integer`);
}

const seed = wholeNumber("seed", values.seed);
const logLine = (line: string): void => console.error(line);
logLine(`seed ${seed}`);

async function soak(
  what: string,
  count: number,
  run: (soak: { count: number; seed: number; report: typeof logLine }) => Promise<SoakResult>,
): Promise<SoakResult> {
  const from = performance.now();
  const soaked = await run({ count, seed, report: logLine });
  const seconds = Math.round((performance.now() - from) / 1000);
  console.log(
    `${soaked.killed} ${what} killed in ${seconds} s, ${soaked.wrong.length} faults found, ` +
      `${soaked.skipped} stacks skipped`,
  );
  for (const line of soaked.wrong) console.log(line);
  return soaked;
}

/** Uses the PostgreSQL server in SVC_TEST_POSTGRES, or starts a local one. */
async function withDatabases(
  run: (
    database: NonNullable<Parameters<typeof soakServers>[0]["database"]>,
  ) => Promise<SoakResult>,
): Promise<SoakResult> {
  const source = findPostgres();
  if (source === undefined) throw new Error(postgresMissing);
  const server = await startPostgres(source);
  const database = async () => {
    const name = await makeTemplate(server.url);
    const drop = async (): Promise<void> => {
      await runSql(server.url, `drop database ${name} with (force)`);
    };
    return { data: databaseUrl(server.url, name), drop };
  };
  try {
    return await run(database);
  } finally {
    await server.stop();
  }
}

function soakServersOnPostgres(options: Parameters<typeof soakServers>[0]): Promise<SoakResult> {
  return withDatabases((database) => soakServers({ ...options, database }));
}

/** Runs this many changes with each inventory backend; with PostgreSQL if it is available. */
async function soakLargeRuns({ count }: { readonly count: number }): Promise<SoakResult> {
  const options = { changes: count, report: logLine };
  if (count === 0) return { killed: 0, skipped: 0, wrong: [] };
  const results = [
    await soakLargeRun({ ...options, inventory: "file" }),
    await soakLargeRun({ ...options, inventory: "service" }),
  ];
  if (values.database || findPostgres() !== undefined) {
    const onPostgres = withDatabases(async (database) => {
      const { data, drop } = await database();
      try {
        return await soakLargeRun({ ...options, inventory: "postgres", databaseUrl: data });
      } finally {
        await drop();
      }
    });
    results.push(await onPostgres);
  }
  return {
    killed: results.reduce((sum, { killed }) => sum + killed, 0),
    skipped: 0,
    wrong: results.flatMap(({ wrong }) => wrong),
  };
}

const all = [
  await soak("applies", wholeNumber("applies", values.applies), soakApplies),
  await soak(
    "servers",
    wholeNumber("servers", values.servers),
    values.database ? soakServersOnPostgres : soakServers,
  ),
];
for (const changes of values.changes) {
  all.push(await soak("large runs", wholeNumber("changes", changes), soakLargeRuns));
}
process.exitCode = all.every(({ wrong }) => wrong.length === 0) ? 0 : 1;
