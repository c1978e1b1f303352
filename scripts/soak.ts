// `npm run soak`: kills applies and servers for as long as one likes, and says what did not survive.
import { parseArgs } from "node:util";
import { soakApplies, type Soaked } from "../test/soak/applies.ts";
import { soakServers } from "../test/soak/servers.ts";
import {
  ask,
  databaseOf,
  findPostgres,
  makeTemplate,
  postgresMissing,
  startPostgres,
} from "../test/support/postgres-server.ts";

const { values } = parseArgs({
  options: {
    applies: { type: "string", default: "1000" },
    servers: { type: "string", default: "100" },
    database: { type: "boolean", default: false },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
  },
});

function whole(name: "applies" | "servers" | "seed"): number {
  if (/^\d{1,10}$/.test(values[name])) return Number(values[name]);
  throw new Error(`--${name} must be a whole number`);
}

const seed = whole("seed");
const tell = (line: string): void => console.error(line);
tell(`seed ${seed}`);

async function soak(
  what: string,
  count: number,
  run: (soak: { count: number; seed: number; tell: typeof tell }) => Promise<Soaked>,
): Promise<Soaked> {
  const from = performance.now();
  const soaked = await run({ count, seed, tell });
  const seconds = Math.round((performance.now() - from) / 1000);
  console.log(
    `${soaked.killed} ${what} killed in ${seconds} s, ${soaked.wrong.length} faults found, ` +
      `${soaked.passedOver} stacks passed over`,
  );
  for (const line of soaked.wrong) console.log(line);
  return soaked;
}

/** On the PostgreSQL that SVC_TEST_POSTGRES names, or one of this machine's programs. */
async function onDatabases(run: Parameters<typeof soakServers>[0]): Promise<Soaked> {
  const source = findPostgres();
  if (source === undefined) throw new Error(postgresMissing);
  const server = await startPostgres(source);
  const database = async () => {
    const name = await makeTemplate(server.url);
    const drop = async (): Promise<void> => {
      await ask(server.url, `drop database ${name} with (force)`);
    };
    return { data: databaseOf(server.url, name), drop };
  };
  try {
    return await soakServers({ ...run, database });
  } finally {
    await server.stop();
  }
}

const all = [
  await soak("applies", whole("applies"), soakApplies),
  await soak("servers", whole("servers"), values.database ? onDatabases : soakServers),
];
process.exitCode = all.every(({ wrong }) => wrong.length === 0) ? 0 : 1;
