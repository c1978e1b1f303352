// A PostgreSQL server for tests: the one that SVC_TEST_POSTGRES names, else one that is made of the binaries on this machine.
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chownSync,
  existsSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Where a server can come from. */
export type PostgresSource = { readonly url: string } | { readonly bin: string };

/** What is said where there is none. */
export const postgresMissing =
  "no PostgreSQL: SVC_TEST_POSTGRES is not set, and there is no initdb on PATH or in /usr/lib/postgresql";

/** The source of servers of this machine; undefined where it has none. */
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

/** A server that runs. */
export interface PostgresServer {
  /** With a password, as in real life. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a server on a loopback port, or takes the one that is named. What a crash would lose does not matter here. */
export async function startPostgres(source: PostgresSource): Promise<PostgresServer> {
  if ("url" in source) return { url: source.url, stop: async () => undefined };
  const folder = mkdtempSync(join(tmpdir(), "svc-pg-"));
  const user = unprivileged();
  const password = randomBytes(12).toString("hex");
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  for (const path of [folder, passwordFile]) if (user) chownSync(path, user.uid, user.gid);
  const data = join(folder, "data");
  const command = (name: string, args: readonly string[]) =>
    run(join(binOf(source.bin), name), args, { cwd: folder, timeout: 60_000, ...user });
  const login = ["--username=svc", "--auth=scram-sha-256", `--pwfile=${passwordFile}`];
  try {
    await command("initdb", ["-D", data, "-N", ...login, "--encoding=UTF8", "--locale=C.UTF-8"]);
    const port = await freePort();
    const settings = {
      listen_addresses: "127.0.0.1",
      port,
      unix_socket_directories: folder,
      fsync: "off",
      max_connections: 200,
    };
    const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
    const log = join(folder, "log");
    await command("pg_ctl", ["-D", data, "-w", "-l", log, "-o", options.join(" "), "start"]);
    return {
      url: `postgres://svc:${password}@127.0.0.1:${port}/postgres`,
      stop: async () => {
        await command("pg_ctl", ["-D", data, "-w", "-m", "immediate", "stop"]);
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** A folder of links on PATH may hold links to the programs; they look for their files beside themselves. */
function binOf(folder: string): string {
  const own = globSync("/usr/lib/postgresql/*/bin").toSorted().at(-1);
  return existsSync(join(dirname(folder), "share/postgresql")) || own === undefined ? folder : own;
}

/** PostgreSQL refuses to run as root, so somebody else has to. */
function unprivileged(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = (lines.find((line) => line.startsWith(`${name}:`)) ?? "").split(":");
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("running as root, and there is no user postgres or nobody to run PostgreSQL as");
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address === "object" && address !== null) return address.port;
  throw new Error("no free port");
}
