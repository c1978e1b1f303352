// Starts a PostgreSQL server for tests: the one that SVC_TEST_POSTGRES names, or one from the binaries of this machine.
import { execFile } from "node:child_process";
import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import { chownSync, existsSync, globSync, mkdtempSync, writeFileSync } from "node:fs";
import { findFreePort } from "./free-port.ts";
import { memoryFolder } from "./memory-folder.ts";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { Client } from "pg";
import { openStores } from "../../service/store/open.ts";
import { startKeeper } from "./start-keeper.ts";
import { type SystemUser, unprivilegedUser } from "./system-user.ts";

const run = promisify(execFile);

/** The source of a server. */
export type PostgresSource = { readonly url: string } | { readonly bin: string };

/** The message if no server is available. */
export const postgresMissing =
  "no PostgreSQL: SVC_TEST_POSTGRES is not set, and there is no initdb on PATH or in /usr/lib/postgresql";

/** Returns the source of servers on this machine; undefined if there is none. */
export function findPostgres(): PostgresSource | undefined {
  const url = process.env["SVC_TEST_POSTGRES"];
  if (url !== undefined && url !== "") return { url };
  const folders = [
    ...(process.env["PATH"] ?? "").split(delimiter),
    ...globSync("/usr/lib/postgresql/*/bin").toSorted().toReversed(),
  ];
  const bin = folders.find(
    (folder) =>
      folder !== "" &&
      ["initdb", "pg_ctl", "postgres"].every((name) => existsSync(join(folder, name))),
  );
  return bin === undefined ? undefined : { bin };
}

/** A running server. */
export interface PostgresServer {
  /** The URL with a password, as in production. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server on a loopback port, or uses the named one. Durability does not matter here. */
export async function startPostgres(source: PostgresSource): Promise<PostgresServer> {
  if ("url" in source) return { url: source.url, stop: async () => undefined };
  const folder = mkdtempSync(join(memoryFolder() ?? tmpdir(), "svc-pg-"));
  const data = join(folder, "data");
  const bin = binOf(source.bin);
  const user = unprivilegedUser("postgres");
  const stop = startWatchdog(bin, { data, folder, user });
  try {
    return { url: await startServer(bin, { data, folder, user }), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface ServerLocation {
  readonly data: string;
  readonly folder: string;
  readonly user: SystemUser | undefined;
}

/** Answers what stops the server; where this process ends before, however it does, the server ends as well. */
function startWatchdog(bin: string, { data, folder, user }: ServerLocation): () => Promise<void> {
  if (user) chownSync(folder, user.uid, user.gid);
  const as = user === undefined ? [] : [String(user.uid), String(user.gid)];
  return startKeeper(new URL("./postgres-watchdog.ts", import.meta.url), [
    join(bin, "pg_ctl"),
    data,
    folder,
    ...as,
  ]);
}

/** Creates a server, starts it, and returns its URL. */
async function startServer(bin: string, { data, folder, user }: ServerLocation): Promise<string> {
  const password = randomBytes(12).toString("hex");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user) chownSync(passwordFile, user.uid, user.gid);
  const command = (name: string, args: readonly string[]) =>
    run(join(bin, name), args, { cwd: folder, timeout: 60_000, ...user });
  const login = ["--username=svc", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  await command("initdb", ["-D", data, "-N", ...login, "--encoding=UTF8", "--locale=C.UTF-8"]);
  const port = await findFreePort();
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: folder,
    fsync: "off",
    full_page_writes: "off",
    max_connections: 200,
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const log = join(folder, "log");
  await command("pg_ctl", ["-D", data, "-w", "-l", log, "-o", options.join(" "), "start"]);
  const url = `postgres://svc:${password}@127.0.0.1:${port}/postgres`;
  await runSql(url, `alter role svc password '${quickVerifier(password)}'`);
  return url;
}

/**
 * Returns what the server stores of a password (RFC 5803), with one iteration of its hash instead of 4,096: these take both sides
 * milliseconds for each of the thousands of connections of a run.
 */
function quickVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, 1, 32, "sha256");
  const [client, serverKey] = ["Client Key", "Server Key"].map((name) =>
    createHmac("sha256", salted).update(name).digest(),
  ) as [Buffer, Buffer];
  const storedKey = createHash("sha256").update(client).digest();
  const text = (bytes: Buffer): string => bytes.toString("base64");
  return `SCRAM-SHA-256$1:${text(salt)}$${text(storedKey)}:${text(serverKey)}`;
}

/** Runs statements one by one, outside of transactions. Returns the rows of the last one. */
export async function runSql(url: string, ...texts: readonly string[]): Promise<readonly object[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    let rows: readonly object[] = [];
    for (const text of texts) rows = (await client.query<object>(text)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Returns the URL of another database of the same server. */
export function databaseUrl(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

/**
 * Returns the statement that creates a database as a copy of a template. Copying files takes half the processor time of the
 * write-ahead log, which PostgreSQL 15 and later use by default.
 */
export async function copyStatement(url: string, template: string): Promise<string> {
  const [row] = await runSql(url, "select current_setting('server_version_num')::int as version");
  const { version } = row as { readonly version: number };
  return `template ${template}${version >= 150_000 ? " strategy file_copy" : ""}`;
}

/** Creates a database with an up-to-date store as a template for others, and returns its name. */
export async function makeTemplate(url: string): Promise<string> {
  const name = `test_template_${randomBytes(6).toString("hex")}`;
  await runSql(url, `create database ${name} template template0 encoding 'UTF8' locale 'C.UTF-8'`);
  const stores = await openStores(databaseUrl(url, name));
  try {
    await (await stores.open({})).close();
  } finally {
    await stores.close();
  }
  return name;
}

/**
 * Resolves links, because a folder on PATH may contain links to the programs, which look for their files next to
 * themselves.
 */
function binOf(folder: string): string {
  const own = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1);
  return existsSync(join(dirname(folder), "share/postgresql")) || own === undefined ? folder : own;
}
