// Starts a MariaDB server for tests: the one that SVC_TEST_MYSQL names, or one from the binaries of this machine.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { type Connection, createConnection } from "mysql2/promise";
import { findFreePort } from "./free-port.ts";
import { memoryFolder } from "./memory-folder.ts";
import { startKeeper } from "./start-keeper.ts";
import { unprivilegedUser } from "./system-user.ts";

const run = promisify(execFile);

/** The source of a server. */
export type MysqlServerSource = { readonly url: string } | { readonly programs: Programs };

type Programs = Readonly<Record<(typeof programNames)[number], string>>;
const programNames = ["mariadbd", "mariadb-install-db", "mariadb-tzinfo-to-sql"] as const;

/** The message if no server is available. */
export const mysqlMissing = `no MariaDB: SVC_TEST_MYSQL is not set, and ${programNames.join(", ")} are not all on PATH or in /usr/sbin`;

/** Returns the source of servers on this machine; undefined if there is none. */
export function findMysql(): MysqlServerSource | undefined {
  const url = process.env["SVC_TEST_MYSQL"];
  if (url !== undefined && url !== "") return { url };
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/bin"];
  const files = programNames.map((name) =>
    folders.map((folder) => join(folder, name)).find((file) => existsSync(file)),
  );
  const [mariadbd, install, zones] = files;
  if (mariadbd === undefined || install === undefined || zones === undefined) return undefined;
  return {
    programs: { mariadbd, "mariadb-install-db": install, "mariadb-tzinfo-to-sql": zones },
  };
}

/** A running server. */
export interface MysqlServer {
  /** The URL of its administrator. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The zones of tests. Others are missing, as in a server whose administrator loaded none. */
const zones = [
  "Europe/Berlin",
  "America/New_York",
  "America/Los_Angeles",
  "America/Havana",
  "America/Sao_Paulo",
  "Asia/Kolkata",
  "Asia/Katmandu",
  "Australia/Lord_Howe",
  "Pacific/Apia",
];

/** Starts a server on a loopback port, or uses the named one. Durability does not matter here. */
export async function startMysql(source: MysqlServerSource): Promise<MysqlServer> {
  if ("url" in source) return { url: source.url, stop: async () => undefined };
  const { programs } = source;
  const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), "svc-mysql-"));
  const user = unprivilegedUser("mysql");
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, "data");
  const socket = join(folder, "socket");
  const create = [
    "--no-defaults",
    `--datadir=${data}`,
    "--auth-root-authentication-method=normal",
    "--skip-test-db",
    "--skip-name-resolve",
  ];
  await run(programs["mariadb-install-db"], create, { cwd: folder, timeout: 60_000, ...user });
  const port = await findFreePort();
  const settings = [
    "--no-defaults",
    `--datadir=${data}`,
    `--socket=${socket}`,
    "--bind-address=127.0.0.1",
    `--port=${port}`,
    "--skip-log-bin",
    "--skip-name-resolve",
    "--innodb-flush-method=nosync",
    "--innodb-flush-log-at-trx-commit=0",
    "--max-connections=200",
    `--log-error=${join(folder, "log")}`,
  ];
  const ids = user ? [String(user.uid), String(user.gid)] : ["", ""];
  const command = [programs.mariadbd, ...settings];
  const stop = startKeeper(new URL("./server-keeper.ts", import.meta.url), [
    folder,
    ...ids,
    ...command,
  ]);
  try {
    const password = randomBytes(12).toString("hex");
    const administrator = await connectWhenStarted({ port, log: join(folder, "log") });
    for (const zone of zones) {
      const { stdout } = await run(programs["mariadb-tzinfo-to-sql"], [
        join("/usr/share/zoneinfo", zone),
        zone,
      ]);
      await administrator.query("USE mysql");
      await administrator.query(stdout);
    }
    await administrator.query(`CREATE USER svc@'%' IDENTIFIED BY '${password}'`);
    await administrator.query("GRANT ALL ON *.* TO svc@'%'");
    await administrator.end();
    return { url: `mysql://svc:${password}@127.0.0.1:${port}/mysql`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Connects as the administrator, who has no password before the first statement, once the server answers. */
async function connectWhenStarted({
  port,
  log,
}: {
  readonly port: number;
  readonly log: string;
}): Promise<Connection> {
  for (let waits = 0; ; waits++) {
    try {
      return await createConnection({
        host: "127.0.0.1",
        port,
        user: "root",
        multipleStatements: true,
      });
    } catch (error) {
      if (waits === 300) {
        const text = existsSync(log) ? readFileSync(log, "utf8") : "";
        throw new Error(`MariaDB does not start: ${text}`, { cause: error });
      }
      await sleep(100);
    }
  }
}
